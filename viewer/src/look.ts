// SPDX-License-Identifier: Apache-2.0
// What a person chose to see: colours, range, section, hidden bodies, edges. Panels change it, the
// scene draws it, files keep it.
import { type MapName, rangeOf } from './colors.ts';
import type { FieldInfo } from './packets.ts';
import type { Vec3 } from './protocol.ts';
import { Signal } from './signal.ts';
import { type Extent, MAGNITUDE } from './values.ts';

export const BY_BODY = ''; // the name of no field: each body has a colour of its own

export type ColliderLook = 'show' | 'hide' | 'glass';

export interface Section {
  normal: Vec3; // points to the side that is cut away
  offset: number; // m, along the normal
}

// What changed: `field` needs other values from the program, `values` others of those that are there, `look` only
// another picture.
export type Change = 'field' | 'values' | 'look';

export class Look {
  readonly changed = new Signal<Change>();
  field = BY_BODY;
  component = MAGNITUDE;
  map: MapName = 'sequential';
  locked: [number, number] | null = null; // null: the range follows what was seen
  edges = false;
  dark = false;
  colliders: ColliderLook = 'glass';
  readonly hidden = new Set<string>();
  section: Section | null = null;
  ground = true;
  shadows = true;
  follows = false; // the camera goes with the bodies
  private seen: Extent = { low: Infinity, high: -Infinity };

  // Colours by another field. The map is what suits it, until another is chosen.
  selectField(info: FieldInfo | null, component = MAGNITUDE): void {
    this.field = info ? info.name : BY_BODY;
    this.component = info && component < info.components ? component : MAGNITUDE;
    this.map = info?.whole ? 'categories' : 'sequential';
    this.locked = null;
    this.forget();
    this.changed.emit('field');
  }

  selectComponent(component: number): void {
    this.component = component;
    this.locked = null;
    this.forget();
    this.changed.emit('values');
  }

  update(change: () => void): void {
    change();
    this.changed.emit('look');
  }

  setHidden(name: string, hide: boolean): void {
    if (hide) this.hidden.add(name);
    else this.hidden.delete(name);
    this.changed.emit('look');
  }

  forget(): void {
    this.seen = { low: Infinity, high: -Infinity };
  }

  // Widens the automatic range by the values of a frame.
  see(extent: Extent): void {
    if (extent.low < this.seen.low) this.seen.low = extent.low;
    if (extent.high > this.seen.high) this.seen.high = extent.high;
  }

  get range(): [number, number] {
    return this.locked ?? rangeOf(this.seen, this.map);
  }
}
