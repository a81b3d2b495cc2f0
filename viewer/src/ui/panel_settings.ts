// SPDX-License-Identifier: Apache-2.0
// Settings of a running simulation: sliders for numbers with bounds, fields for the rest.
import type { Setting } from '../protocol.ts';
import { element, numberField, select, shortNumber, slider } from './dom.ts';

const STEPS = 1000;
const PAUSE = 80; // ms between messages of a slider that moves

type Change = (path: string, value: string) => void;

interface Line {
  element: HTMLElement;
  show(value: string): void;
}

export class SettingsPanel {
  readonly element = element('div', { class: 'settings' });
  private lines = new Map<string, Line>();
  private key = '';

  constructor(private readonly change: Change) {}

  update(items: Setting[]): void {
    const key = JSON.stringify(items.map(({ value: _, ...rest }) => rest));
    if (key !== this.key) this.rebuild(items);
    this.key = key;
    for (const item of items) this.lines.get(item.path)?.show(item.value);
  }

  private rebuild(items: Setting[]): void {
    this.lines = new Map(items.map((item) => [item.path, lineOf(item, this.change)]));
    const rows = [...this.lines.values()].map((line) => line.element);
    this.element.replaceChildren(...(rows.length ? rows : [element('p', { class: 'empty' }, 'This scene has nothing to change while it runs.')]));
  }
}

function lineOf(item: Setting, change: Change): Line {
  if (item.kind === 'choice') return choiceLine(item, change);
  if (item.kind === 'vector') return vectorLine(item, change);
  return numberLine(item, change);
}

function frame(item: Setting, ...controls: HTMLElement[]): HTMLElement {
  const unit = item.unit && item.unit !== '-' ? element('span', { class: 'unit' }, item.unit) : null;
  const name = element('div', { class: 'setting-name' }, element('span', {}, item.label), unit);
  const attributes = { role: 'group', 'aria-label': item.label, 'data-path': item.path };
  return element('div', { class: 'setting', attributes }, name, element('div', { class: 'setting-controls' }, ...controls));
}

function choiceLine(item: Setting, change: Change): Line {
  const control = select(item.choices.map((choice) => [choice, choice] as const), (value) => change(item.path, value));
  control.setAttribute('aria-label', item.label);
  return { element: frame(item, control), show: (value) => (control.value = value) };
}

function vectorLine(item: Setting, change: Change): Line {
  const axes = ['x', 'y', 'z'];
  const send = (): void => change(item.path, `[${fields.map((field) => Number(field.value) || 0).join(', ')}]`);
  const fields = axes.map((axis) => numberField(`${item.label}, ${axis}`, send));
  const show = (value: string): void => {
    const numbers = value.replace(/[[\]]/g, '').split(',').map(Number);
    fields.forEach((field, k) => {
      if (document.activeElement !== field) field.value = shortNumber(numbers[k] ?? NaN, 4);
    });
  };
  return { element: frame(item, ...fields), show };
}

function numberLine(item: Setting, change: Change): Line {
  const isWhole = item.kind === 'integer';
  const later = throttled((value: number) => change(item.path, isWhole ? String(Math.round(value)) : String(value)));
  const field = numberField(item.label, (value) => change(item.path, isWhole ? String(Math.round(value)) : String(value)));
  const hasEnds = item.low < item.high;
  const control = slider(0, STEPS, 1, (step) => {
    const value = Number(valueOfStep(item, step / STEPS).toPrecision(4));
    field.value = shortNumber(isWhole ? Math.round(value) : value, 4);
    later(value);
  });
  control.setAttribute('aria-label', item.label);
  const show = (text: string): void => {
    const value = Number(text);
    if (document.activeElement !== field) field.value = Number.isFinite(value) ? shortNumber(value, 4) : text;
    if (hasEnds && document.activeElement !== control) control.valueAsNumber = Math.round(STEPS * stepOfValue(item, value));
  };
  return { element: frame(item, ...(hasEnds ? [control] : []), field), show };
}

export function valueOfStep(item: Pick<Setting, 'low' | 'high' | 'logarithmic'>, t: number): number {
  if (item.logarithmic && item.low > 0) return item.low * (item.high / item.low) ** t;
  return item.low + t * (item.high - item.low);
}

export function stepOfValue(item: Pick<Setting, 'low' | 'high' | 'logarithmic'>, value: number): number {
  const t = item.logarithmic && item.low > 0 ? Math.log(value / item.low) / Math.log(item.high / item.low) : (value - item.low) / (item.high - item.low);
  return Math.min(1, Math.max(0, Number.isFinite(t) ? t : 0));
}

// The first call goes at once, the last one always; those between only after pauses.
function throttled(call: (value: number) => void): (value: number) => void {
  let timer = 0;
  let next: number | null = null;
  const fire = (): void => {
    timer = 0;
    if (next === null) return;
    call(next);
    next = null;
    timer = window.setTimeout(fire, PAUSE);
  };
  return (value) => {
    next = value;
    if (!timer) fire();
  };
}
