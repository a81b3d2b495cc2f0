// SPDX-License-Identifier: Apache-2.0
// The attribute that colours come from: one number a point, in memory that is used again.
import { BufferAttribute, type BufferGeometry, DynamicDrawUsage } from 'three';
import { BY_BODY, type Look } from './look.ts';
import type { Part } from './packets.ts';
import { BY_VALUE, NO_VALUE, PLAIN } from './shading.ts';
import { type Extent, scalarsOf } from './values.ts';

const NOTHING: Extent = { low: Infinity, high: -Infinity };

export class PartValues {
  readonly mode = { value: PLAIN }; // a uniform
  private attribute = new BufferAttribute(new Float32Array(0), 1);

  // One number a point; null: the colours are not those of values.
  get numbers(): Float32Array | null {
    return this.mode.value === BY_VALUE ? (this.attribute.array as Float32Array) : null;
  }

  // Returns what the values reach, for the automatic range. `extra` are points that stand a second time behind the others.
  update(geometry: BufferGeometry, part: Part, look: Look, extra: Uint32Array): Extent {
    const points = part.points.data.length / 3;
    const count = points + extra.length;
    if (this.attribute.count !== count || geometry.getAttribute('value') !== this.attribute) {
      this.attribute = new BufferAttribute(new Float32Array(count), 1).setUsage(DynamicDrawUsage);
      geometry.setAttribute('value', this.attribute);
    }
    const field = look.field === BY_BODY ? undefined : part.fields.find((item) => item.name === look.field);
    this.mode.value = look.field === BY_BODY ? PLAIN : field ? BY_VALUE : NO_VALUE;
    if (!field) return NOTHING;
    const values = this.attribute.array as Float32Array;
    const extent = scalarsOf(field, look.component, values.subarray(0, points));
    for (let i = 0; i < extra.length; i++) values[points + i] = values[extra[i]];
    this.attribute.needsUpdate = true;
    return extent;
  }
}
