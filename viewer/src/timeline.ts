// SPDX-License-Identifier: Apache-2.0
// Where playing is: a clock over the times of frames, and the frame that belongs to it. Knows nothing
// of loading but the question whether a frame is there.

export class Playhead {
  times: number[] = [];
  index = 0;
  playing = false;
  loop = true;
  speed = 1;
  follows = false; // a run still writes: its end is waited at, not wrapped
  private clock = 0;

  get count(): number {
    return this.times.length;
  }

  // Frames came or went; the place is kept. Times that do not ascend are replaced by even ones.
  setTimes(times: number[], fps: number): void {
    const ascends = times.every((time, i) => i === 0 || time > times[i - 1]);
    this.times = ascends ? times : times.map((_, i) => i / (fps > 0 ? fps : 24));
    this.index = Math.max(0, Math.min(this.index, times.length - 1));
    this.clock = this.times[this.index] ?? 0;
  }

  seek(index: number): void {
    this.index = Math.max(0, Math.min(Math.round(index), this.count - 1));
    this.clock = this.times[this.index] ?? 0;
  }

  // Steps go around the ends where playing does.
  step(delta: number): void {
    const next = this.index + delta;
    const wraps = this.loop && this.count > 1 && (next < 0 || next >= this.count);
    this.seek(wraps ? (next + this.count) % this.count : next);
  }

  play(): void {
    if (this.index === this.count - 1 && !this.loop && !this.follows) this.seek(0);
    this.playing = this.count > 1 || this.follows;
  }

  // Lets so many seconds of the viewer's time pass. The clock never runs past what is loaded; frames
  // that came too late for their time are left out.
  advance(seconds: number, isLoaded: (index: number) => boolean): void {
    if (!this.playing || this.count === 0) return;
    const target = this.clock + seconds * this.speed;
    const last = this.count - 1;
    if (target >= this.times[last] && this.index === last) {
      this.finish(target, isLoaded);
      return;
    }
    this.moveTo(Math.min(target, this.times[last]), isLoaded);
  }

  private moveTo(target: number, isLoaded: (index: number) => boolean): void {
    const wanted = this.indexAt(target);
    for (let i = wanted; i > this.index; i--) {
      if (!isLoaded(i)) continue;
      this.index = i;
      this.clock = i === wanted ? target : this.times[i];
      return;
    }
    // the next frame is not due yet, or not there yet
    this.clock = wanted === this.index ? target : Math.max(this.clock, this.times[this.index]);
  }

  // At the end: the last frame stays as long as one lasts, then the first comes again.
  private finish(target: number, isLoaded: (index: number) => boolean): void {
    const last = this.count - 1;
    if (this.follows) {
      this.clock = this.times[last];
    } else if (!this.loop) {
      this.clock = this.times[last];
      this.playing = false;
    } else {
      const lasts = last > 0 ? this.times[last] - this.times[last - 1] : 0;
      if (target < this.times[last] + lasts) this.clock = target;
      else if (isLoaded(0)) this.seek(0);
    }
  }

  // The last frame that is not later than a time.
  indexAt(time: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

// Frames worth having around a place, the most urgent first: a few behind, more ahead.
export function framesAround(index: number, count: number, ahead: number, wraps: boolean): number[] {
  const wanted: number[] = [];
  const behind = Math.floor(ahead / 4);
  const add = (i: number): void => {
    const place = wraps ? ((i % count) + count) % count : i;
    if (place >= 0 && place < count && !wanted.includes(place)) wanted.push(place);
  };
  add(index);
  for (let k = 1; k <= ahead; k++) {
    add(index + k);
    if (k <= behind) add(index - k);
  }
  return wanted;
}

// The key that lies nearest to a place; undefined: there is none.
export function nearestOf(keys: Iterable<number>, place: number): number | undefined {
  let best: number | undefined;
  for (const key of keys) {
    if (best === undefined || Math.abs(key - place) < Math.abs(best - place)) best = key;
  }
  return best;
}
