// SPDX-License-Identifier: Apache-2.0
// Frames of a run's folder: fetched around the playhead, kept within a bound of bytes. What is not
// wanted any more is not waited for.
import { ByteCache } from './cache.ts';
import { type Connection, HttpError } from './connection.ts';
import type { Frame } from './packets.ts';
import type { Series } from './protocol.ts';
import { Signal } from './signal.ts';
import { framesAround, nearestOf } from './timeline.ts';
import type { Topologies } from './topologies.ts';

const AT_ONCE = 3; // requests; browsers allow six a server
const MOST_AHEAD = 60; // frames
const TRIES = 3; // of a frame that comes wrong

interface Loaded {
  frame: Frame;
  fields: string; // what was asked for with it
  bytes: number;
}

export class ViewSource {
  readonly loaded = new Signal<number>(); // index of a frame that has come
  readonly lost = new Signal<unknown>(); // the program does not answer, or refuses
  readonly gone = new Signal(); // a frame of the series is not there any more
  series: Series = { numbers: [], times: [], fps: 24, going: false, outcome: '', unconverged: 0, instance: '' };
  private readonly cache: ByteCache<number, Loaded>;
  private readonly running = new Map<number, AbortController>();
  private readonly failures = new Map<number, number>();
  private fields = '';
  private place = 0;
  private wraps = true;
  private stopped = false;

  constructor(
    private readonly connection: Connection,
    private readonly topologies: Topologies,
    cacheBytes: number,
  ) {
    this.cache = new ByteCache(cacheBytes);
  }

  get cacheBytes(): number {
    return this.cache.bytes + this.topologies.bytes;
  }

  // Asks for the series; what is of another instance is not taken. Returns whether it was.
  async refresh(instance: string): Promise<boolean> {
    const series = await this.connection.series();
    if (series.instance && series.instance !== instance) return false;
    this.series = series;
    return true;
  }

  // Another program answers: nothing that was kept is worth anything.
  drop(): void {
    this.cancelAll();
    this.cache.clear();
    this.failures.clear();
    this.topologies.clear();
  }

  stop(): void {
    this.stopped = true;
    this.cancelAll();
  }

  resume(): void {
    this.stopped = false;
    this.failures.clear();
    this.fill();
  }

  setFields(names: string[]): void {
    const key = names.join(',');
    if (key === this.fields) return;
    this.fields = key;
    this.failures.clear();
    this.cancelAll();
    this.fill();
  }

  // A frame with all that was asked for.
  has(index: number): boolean {
    return this.cache.peek(index)?.fields === this.fields || (this.failures.get(index) ?? 0) >= TRIES;
  }

  // The frame, or the nearest one that is there.
  best(index: number): Frame | null {
    const exact = this.cache.get(index);
    if (exact) return exact.frame;
    const near = nearestOf(this.cache.keys(), index);
    return near === undefined ? null : (this.cache.get(near)?.frame ?? null);
  }

  want(index: number, wraps: boolean): void {
    this.place = index;
    this.wraps = wraps;
    this.fill();
  }

  private fill(): void {
    if (this.stopped || this.series.numbers.length === 0) return;
    const wanted = framesAround(this.place, this.series.numbers.length, this.framesAhead(), this.wraps);
    for (const [index, controller] of this.running) {
      if (wanted.includes(index)) continue;
      controller.abort();
      this.running.delete(index);
    }
    for (const index of wanted) {
      if (this.running.size >= AT_ONCE) return;
      if (!this.has(index) && !this.running.has(index)) void this.load(index);
    }
  }

  // what is fetched ahead stays well within the cache, or it would push out itself
  private framesAhead(): number {
    const mean = this.cache.size > 0 ? this.cache.bytes / this.cache.size : 1 << 20;
    return Math.max(2, Math.min(MOST_AHEAD, Math.floor((0.6 * this.cache.limit) / mean)));
  }

  private async load(index: number): Promise<void> {
    const controller = new AbortController();
    const fields = this.fields;
    this.running.set(index, controller);
    try {
      const frame = await this.fetchWhole(this.series.numbers[index], fields, controller.signal);
      if (controller.signal.aborted) return;
      this.cache.put(index, { frame, fields, bytes: frame.bytes });
      this.failures.delete(index);
      this.loaded.emit(index);
    } catch (error) {
      if (!controller.signal.aborted) this.fail(index, error);
    } finally {
      if (this.running.get(index) === controller) {
        this.running.delete(index);
        this.fill();
      }
    }
  }

  private async fetchWhole(number: number, fields: string, signal: AbortSignal): Promise<Frame> {
    const frame = await this.connection.frame(number, fields ? fields.split(',') : [], signal);
    for (const part of this.topologies.missing(frame)) {
      this.topologies.add(await this.connection.topology(number, part, signal));
    }
    return frame;
  }

  // a frame may be gone or damaged; everything else is the connection's fault
  private fail(index: number, error: unknown): void {
    const isFrames = error instanceof HttpError ? error.status !== 403 && error.status < 500 : !(error instanceof TypeError);
    this.failures.set(index, (this.failures.get(index) ?? 0) + (isFrames ? TRIES : 1));
    if (!isFrames) this.lost.emit(error);
    else this.loaded.emit(index);
    if (error instanceof HttpError && error.status === 404) this.gone.emit();
  }

  private cancelAll(): void {
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
  }
}
