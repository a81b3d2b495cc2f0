// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATEGORIES, categoryColor, mapColor, mapPixels, rangeOf, type Rgb } from '../src/colors.ts';

// CIE lightness of an sRGB colour: another measure than the one the maps are made in
function lightness(color: Rgb): number {
  const [r, g, b] = color.map((byte) => {
    const value = byte / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const Y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return Y > 0.008856 ? 116 * Math.cbrt(Y) - 16 : 903.3 * Y;
}

test('the sequential map grows lighter everywhere', () => {
  let before = -1;
  for (let i = 0; i <= 64; i++) {
    const now = lightness(mapColor('sequential', i / 64));
    assert.ok(now > before, `at ${i}: ${now} after ${before}`);
    before = now;
  }
});

test('both arms of the diverging map are as dark, and its middle is the lightest', () => {
  for (const t of [0.1, 0.25, 0.4]) {
    const [left, right] = [lightness(mapColor('diverging', t)), lightness(mapColor('diverging', 1 - t))];
    assert.ok(Math.abs(left - right) < 8, `at ${t}: ${left} and ${right}`);
    assert.ok(left < lightness(mapColor('diverging', 0.5)));
  }
});

test('values beyond the ends have the colours of the ends', () => {
  assert.deepEqual(mapColor('sequential', -3), mapColor('sequential', 0));
  assert.deepEqual(mapColor('sequential', 3), mapColor('sequential', 1));
});

test('categories repeat, also below zero, and neighbours differ', () => {
  assert.deepEqual(categoryColor(CATEGORIES), categoryColor(0));
  assert.deepEqual(categoryColor(-1), categoryColor(CATEGORIES - 1));
  assert.notDeepEqual(categoryColor(0), categoryColor(1));
  assert.equal(mapPixels('categories').length, 4 * CATEGORIES);
  assert.equal(mapPixels('sequential').length, 4 * 256);
});

test('a range is never empty and puts zero into the middle of a diverging map', () => {
  assert.deepEqual(rangeOf({ low: -1, high: 4 }, 'diverging'), [-4, 4]);
  assert.deepEqual(rangeOf({ low: 1, high: 4 }, 'diverging'), [1, 4]);
  assert.deepEqual(rangeOf({ low: 2, high: 2 }, 'sequential'), [1, 3]);
  assert.deepEqual(rangeOf({ low: 0, high: 0 }, 'sequential'), [-0.5, 0.5]);
  assert.deepEqual(rangeOf({ low: Infinity, high: -Infinity }, 'sequential'), [0, 1]);
});
