// SPDX-License-Identifier: Apache-2.0
// A run is looked at: the playhead says which frame, the source fetches it.
import type { Mode, Workshop } from './mode.ts';
import type { Session } from './protocol.ts';
import { ViewSource } from './source_view.ts';
import { Playhead } from './timeline.ts';
import { element, textButton } from './ui/dom.ts';
import { ViewTransport } from './ui/transport_view.ts';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class ViewMode implements Mode {
  readonly head = new Playhead();
  readonly bar: HTMLElement;
  readonly panels: Mode['panels'];
  private readonly source: ViewSource;
  private readonly transport: ViewTransport;
  private readonly outcome = element('p', { class: 'note' });
  private readonly contact = element('p', { class: 'note' });
  private readonly report = element('p');
  private timer = 0;
  private shown = -1;
  private autoplay: boolean;
  private instance = ''; // of the program and the run

  constructor(private readonly shop: Workshop) {
    this.source = new ViewSource(shop.connection, shop.topologies, shop.cacheBytes);
    this.source.loaded.on(() => this.shop.stage.ask());
    this.source.lost.on((error) => this.shop.lost(error));
    this.source.gone.on(() => this.pollIn(500));
    this.transport = new ViewTransport(this.head, {
      toggle: () => this.toggle(),
      loop: () => this.change(() => (this.head.loop = !this.head.loop)),
      speed: (value) => this.change(() => (this.head.speed = value)),
      seek: (index) => this.change(() => this.head.seek(index)),
      step: (delta) => this.step(delta),
    });
    this.bar = this.transport.element;
    this.panels = [{ title: 'Run', rows: [this.outcome, this.contact, this.report] }];
    this.autoplay = !shop.paused && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.poll();
    });
  }

  get cacheBytes(): number {
    return this.source.cacheBytes;
  }

  // Frames per second that should be shown; 0: it does not play.
  get dueRate(): number {
    const { times, count, playing, speed } = this.head;
    return playing && count > 1 ? ((count - 1) / (times[count - 1] - times[0])) * speed : 0;
  }

  get isLoaded(): boolean {
    const { numbers } = this.source.series;
    return numbers.length > 0 && numbers.every((_, index) => this.source.has(index));
  }

  begin(session: Session): void {
    this.contact.textContent = session.contact && `Contact: ${session.contact}`;
    this.drop();
    this.instance = session.instance;
    this.head.seek(0);
    this.shop.readout.clear();
    this.report.replaceChildren();
    if (session.report) this.report.append(textButton('Open the report', () => this.openReport(), 'Plots of energy, iterations and time'));
    this.resume();
  }

  // the report gets no hold of the page that opened it
  private openReport(): void {
    window.open(this.shop.connection.reportAddress(), '_blank', 'noopener');
  }

  resume(): void {
    void this.poll().then(() => this.source.resume());
  }

  rest(): void {
    clearTimeout(this.timer);
    this.source.stop();
  }

  drop(): void {
    this.source.drop();
    this.shown = -1;
  }

  setFields(names: string[]): void {
    this.source.setFields(names);
    this.shop.stage.ask();
  }

  private async poll(): Promise<void> {
    clearTimeout(this.timer);
    try {
      const isSame = await this.source.refresh(this.instance);
      this.shop.reached();
      if (!isSame) {
        this.beginAnew();
        return;
      }
    } catch (error) {
      this.shop.lost(error);
      return;
    }
    const { series } = this.source;
    this.head.follows = series.going;
    this.head.setTimes(series.times, series.fps);
    this.showOutcome();
    this.startPlaying();
    this.pollIn(series.going && !document.hidden ? 1000 : 10000);
    this.refresh();
  }

  private pollIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.poll(), milliseconds);
  }

  // what is known of the former run ends here; the session says what the new one is
  private beginAnew(): void {
    this.source.stop();
    this.shop.notices.toast('Another run has begun in this folder: its frames are shown from now on.');
    this.shop.renewed();
  }

  private startPlaying(): void {
    if (!this.autoplay || this.head.count < 2) return;
    this.autoplay = false;
    this.head.play();
  }

  private showOutcome(): void {
    const { series } = this.source;
    const count = series.numbers.length;
    const parts = [`${count} frame${count === 1 ? '' : 's'}`, series.going ? 'still running' : series.outcome];
    if (series.unconverged > 0) parts.push(`${series.unconverged} steps did not converge`);
    this.outcome.textContent = parts.filter(Boolean).join(', ');
  }

  private change(action: () => void): void {
    action();
    this.refresh();
  }

  private step(delta: number): void {
    this.change(() => {
      this.head.playing = false;
      this.head.step(delta);
    });
  }

  private toggle(): void {
    this.change(() => (this.head.playing ? (this.head.playing = false) : this.head.play()));
  }

  private refresh(): void {
    this.transport.update(this.source.series.numbers, this.shown, this.source.series.going);
    this.shop.stage.ask();
  }

  tick(seconds: number): boolean {
    const { head, source, shop } = this;
    const before = head.index;
    head.advance(seconds, (index) => source.has(index));
    source.want(head.index, head.loop && head.playing);
    const frame = source.best(head.index);
    if (frame && frame !== shop.stage.frame) {
      this.shown = source.series.numbers.indexOf(frame.sequence);
      shop.show(frame);
    }
    if (head.index !== before || frame?.sequence !== source.series.numbers[head.index] || !head.playing) {
      this.transport.update(source.series.numbers, this.shown, source.series.going);
    }
    return head.playing;
  }

  drawn(): void {
    // nothing waits for it
  }

  key(event: KeyboardEvent): boolean {
    const far = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case ' ': this.toggle(); return true;
      case 'ArrowLeft': this.step(-far); return true;
      case 'ArrowRight': this.step(far); return true;
      case 'Home': this.change(() => this.head.seek(0)); return true;
      case 'End': this.change(() => this.head.seek(this.head.count - 1)); return true;
      case 'l': this.change(() => (this.head.loop = !this.head.loop)); return true;
      case '[': this.changeSpeed(-1); return true;
      case ']': this.changeSpeed(1); return true;
      default: return false;
    }
  }

  private changeSpeed(by: number): void {
    const place = SPEEDS.indexOf(this.head.speed) + by;
    this.change(() => (this.head.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place))]));
  }
}
