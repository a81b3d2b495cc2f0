// SPDX-License-Identifier: Apache-2.0
// The section plane: along which axis, where, and which side goes.
import type { Box3 } from 'three';
import type { Look } from '../look.ts';
import type { Vec3 } from '../protocol.ts';
import { checkbox, element, numberField, row, select, shortNumber, slider } from './dom.ts';

const AXES = [['0', 'x'], ['1', 'y'], ['2', 'z']] as const;
const STEPS = 1000;

export class SectionPanel {
  readonly rows: HTMLElement[];
  private readonly on = checkbox('Cut the bodies open', (on) => this.toggle(on));
  private readonly axis = select(AXES, () => this.put(this.middle()));
  private readonly place = slider(0, STEPS, 1, (value) => this.put(this.fromStep(value)));
  private readonly number = numberField('Position of the section (m)', (value) => this.put(value));
  private readonly flip = checkbox('Other side', () => this.put(this.coordinate()));
  private readonly details = element('div', { class: 'rows' });

  constructor(
    private readonly look: Look,
    private readonly bounds: Box3,
  ) {
    this.place.setAttribute('aria-label', 'Position of the section');
    this.details.append(row('Axis', this.axis), row('Position', this.place, this.number), this.flip.row);
    this.rows = [this.on.row, this.details];
    this.axis.value = '0';
    this.show();
  }

  toggle(on: boolean): void {
    if (on) this.put(this.middle());
    else this.look.update(() => (this.look.section = null));
  }

  private get k(): number {
    return Number(this.axis.value);
  }

  private ends(): [number, number] {
    if (this.bounds.isEmpty()) return [-1, 1];
    return [this.bounds.min.getComponent(this.k), this.bounds.max.getComponent(this.k)];
  }

  private middle(): number {
    const [low, high] = this.ends();
    return 0.5 * (low + high);
  }

  private fromStep(step: number): number {
    const [low, high] = this.ends();
    return low + (step / STEPS) * (high - low);
  }

  private coordinate(): number {
    const { section } = this.look;
    if (!section) return this.middle();
    const sign = section.normal.reduce((sum, value) => sum + value, 0);
    return section.offset / (sign || 1);
  }

  private put(coordinate: number): void {
    const sign = this.flip.input.checked ? -1 : 1;
    const normal: Vec3 = [0, 0, 0];
    normal[this.k] = sign;
    this.look.update(() => (this.look.section = { normal, offset: sign * coordinate }));
  }

  // Follows the look; a section of a file may lie askew, then only its switch is true.
  show(): void {
    const { section } = this.look;
    this.on.input.checked = section !== null;
    this.details.hidden = section === null;
    if (!section) return;
    const axis = section.normal.findIndex((value) => Math.abs(value) > 0.999);
    if (axis < 0) return;
    this.axis.value = String(axis);
    this.flip.input.checked = section.normal[axis] < 0;
    const [low, high] = this.ends();
    const coordinate = this.coordinate();
    this.place.valueAsNumber = Math.round((STEPS * (coordinate - low)) / (high - low || 1));
    if (document.activeElement !== this.number) this.number.value = shortNumber(coordinate);
  }
}
