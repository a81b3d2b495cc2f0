// SPDX-License-Identifier: Apache-2.0
// The time line of a run: play, step, scrub, speed, loop.
import type { Playhead } from '../timeline.ts';
import { element, iconButton, select, setIcon, shortNumber, slider } from './dom.ts';

const SPEEDS = ['0.01', '0.02', '0.05', '0.1', '0.25', '0.5', '1', '2', '4'].map((value) => [value, `${value}×`] as const);

export class ViewTransport {
  readonly element = element('div', { class: 'transport', attributes: { role: 'group', 'aria-label': 'Playback' } });
  private readonly play = iconButton('play', 'Play', 'space', () => this.actions.toggle());
  private readonly loop = iconButton('loop', 'Loop', 'l', () => this.actions.loop());
  private readonly speed = select(SPEEDS, (value) => this.actions.speed(Number(value)));
  private readonly line = slider(0, 0, 1, (value) => this.actions.seek(value));
  private readonly text = element('span', { class: 'time' });

  constructor(
    private readonly head: Playhead,
    private readonly actions: { toggle(): void; loop(): void; speed(value: number): void; seek(index: number): void; step(delta: number): void },
  ) {
    this.line.setAttribute('aria-label', 'Frame');
    this.line.classList.add('line');
    this.speed.setAttribute('aria-label', 'Speed');
    this.speed.title = 'Speed';
    this.speed.value = '1';
    const back = iconButton('previous', 'Frame before', '←', () => this.actions.step(-1));
    const on = iconButton('next', 'Next frame', '→', () => this.actions.step(1));
    this.element.append(back, this.play, on, this.line, this.text, this.speed, this.loop);
  }

  // `shown` is the index of the frame that is on the screen: a nearer one may be on its way.
  update(numbers: readonly number[], shown: number, going: boolean): void {
    const { head } = this;
    const last = Math.max(0, head.count - 1);
    if (Number(this.line.max) !== last) this.line.max = String(last);
    this.line.valueAsNumber = head.index;
    this.line.style.setProperty('--done', `${(100 * head.index) / Math.max(1, last)}%`);
    const time = head.times[head.index] ?? 0;
    const number = numbers[head.index];
    this.line.setAttribute('aria-valuetext', `frame ${number ?? 'none'}, ${shortNumber(time)} seconds`);
    this.text.textContent = number === undefined ? 'no frames yet' : `${time.toFixed(3)} s · frame ${number}${going ? ' · still running' : ''}`;
    this.text.classList.toggle('waiting', shown !== head.index && number !== undefined);
    setIcon(this.play, head.playing ? 'pause' : 'play');
    this.play.setAttribute('aria-label', head.playing ? 'Pause' : 'Play');
    this.loop.setAttribute('aria-pressed', String(head.loop));
    this.speed.value = String(head.speed);
  }
}
