// SPDX-License-Identifier: Apache-2.0
// Small figures in the corner: how fast the page draws and, live, how the simulation does.
import type { LiveState } from '../protocol.ts';
import { element, shortNumber } from './dom.ts';

// Pictures per second over the last second.
export class Meter {
  private readonly times: number[] = [];

  count(now: number): void {
    this.times.push(now);
    while (this.times[0] < now - 1000) this.times.shift();
  }

  rate(now: number): number {
    while (this.times.length > 0 && this.times[0] < now - 1000) this.times.shift();
    return this.times.length;
  }
}

export class Readout {
  readonly element = element('dl', { class: 'readout', attributes: { 'aria-label': 'Figures' } });
  private readonly cells = new Map<string, HTMLElement>();

  set(name: string, text: string): void {
    let cell = this.cells.get(name);
    if (!cell) {
      cell = element('dd');
      this.cells.set(name, cell);
      this.element.append(element('div', {}, element('dt', {}, name), cell));
    }
    if (cell.textContent !== text) cell.textContent = text;
  }

  clear(): void {
    this.cells.clear();
    this.element.replaceChildren();
  }

  showState(state: LiveState): void {
    const residual = Number.isFinite(state.tolerance) ? `${shortNumber(state.residual, 2)} of ${shortNumber(state.tolerance, 2)}` : shortNumber(state.residual, 2);
    this.set('Simulation', `${shortNumber(state.steps)} steps/s`);
    this.set('Realtime', `${shortNumber(state.realtime, 2)}×`);
    this.set('Step', `${shortNumber(state.milliseconds)} ms`);
    this.set('Iterations', shortNumber(state.iterations));
    this.set('Residual', residual);
    this.set('Contacts', shortNumber(state.contacts));
  }
}
