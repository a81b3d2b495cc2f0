// SPDX-License-Identifier: Apache-2.0
// The list of bodies and colliders, each with a button that hides it.
import { categoryColor, cssColor } from '../colors.ts';
import type { Look } from '../look.ts';
import type { Part } from '../packets.ts';
import { element, icon } from './dom.ts';

export class BodiesPanel {
  readonly element = element('ul', { class: 'bodies' });
  private key = '';

  constructor(private readonly look: Look) {}

  // Made anew only when the list is another one: every frame comes by here.
  update(parts: readonly Part[]): void {
    const lines = parts.map((part) => [part.name, part.role, sizeOf(part), this.look.hidden.has(part.name)]);
    const key = JSON.stringify(lines);
    if (key === this.key) return;
    this.key = key;
    const focused = document.activeElement?.getAttribute('data-body');
    let bodies = 0;
    this.element.replaceChildren(...parts.map((part) => this.line(part, part.role === 'body' ? bodies++ : -1)));
    const again = [...this.element.querySelectorAll('button')].find((button) => focused != null && button.dataset.body === focused);
    again?.focus();
  }

  private line(part: Part, body: number): HTMLElement {
    const hidden = this.look.hidden.has(part.name);
    const swatch = element('span', { class: 'swatch' });
    if (body >= 0) swatch.style.background = cssColor(categoryColor(body));
    const attributes = { type: 'button', 'aria-pressed': String(!hidden), 'aria-label': `Show ${part.name}`, 'data-body': part.name };
    const onClick = (): void => this.look.setHidden(part.name, !this.look.hidden.has(part.name));
    const text = element('span', { class: 'name', title: part.name }, part.name);
    const size = element('span', { class: 'size' }, sizeOf(part));
    return element('li', { class: hidden ? 'off' : '' }, element('button', { attributes, onClick }, swatch, text, size, icon(hidden ? 'eyeOff' : 'eye')));
  }
}

function sizeOf(part: Part): string {
  if (part.role !== 'body') return part.role;
  const count = part.points.data.length / 3;
  const text = count >= 10000 ? `${Math.round(count / 1000)}k` : String(count);
  return `${text} ${part.kind === 'points' ? 'particles' : 'points'}`;
}
