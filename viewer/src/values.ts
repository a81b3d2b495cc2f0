// SPDX-License-Identifier: Apache-2.0
// One number for each point out of a field: a component or the magnitude.
import type { Field } from './packets.ts';

// Stands for what is not finite: shaders draw it, and what is interpolated towards it, in magenta.
export const NOT_FINITE = 3e38;
export const MAGNITUDE = -1;

export interface Extent {
  low: number; // low > high: there was no finite value
  high: number;
}

// Fills `into` [point count] and returns the smallest and largest finite value.
export function scalarsOf(field: Field, component: number, into: Float32Array): Extent {
  const { data } = field.values;
  const isPlain = data instanceof Float32Array && data.length >= into.length * field.components;
  if (isPlain && field.components === 1) into.set(data.subarray(0, into.length));
  else if (isPlain && field.components === 3 && component === MAGNITUDE) fillLengths(data, into);
  else return anyScalarsOf(field, component, into);
  return extentOf(into);
}

// the two that are common, in loops as short as they can be
function fillLengths(data: Float32Array, into: Float32Array): void {
  for (let i = 0, k = 0; i < into.length; i++, k += 3) {
    const x = data[k];
    const y = data[k + 1];
    const z = data[k + 2];
    into[i] = Math.sqrt(x * x + y * y + z * z);
  }
}

function extentOf(into: Float32Array): Extent {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < into.length; i++) {
    const value = into[i];
    if (value - value !== 0) {
      into[i] = NOT_FINITE;
      continue;
    }
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

function anyScalarsOf(field: Field, component: number, into: Float32Array): Extent {
  const { data, low, high } = field.values;
  const components = field.components;
  const count = Math.min(into.length, Math.floor(data.length / components));
  const first = component >= 0 && component < components ? component : 0;
  const last = component < 0 ? components - 1 : first;
  const bases = Array.from({ length: components }, (_, k) => low[k] ?? 0);
  const scales = Array.from({ length: components }, (_, k) => (low.length ? (high[k] - low[k]) / 65535 : 1));
  const single = first === last;

  const extent = { low: Infinity, high: -Infinity };
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let k = first; k <= last; k++) {
      const value = bases[k] + scales[k] * data[i * components + k];
      sum = single ? value : sum + value * value;
    }
    const value = single ? sum : Math.sqrt(sum);
    if (!Number.isFinite(value)) {
      into[i] = NOT_FINITE;
      continue;
    }
    into[i] = value;
    if (value < extent.low) extent.low = value;
    if (value > extent.high) extent.high = value;
  }
  into.fill(NOT_FINITE, count);
  return extent;
}
