// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSoftwareName, Quality } from '../src/quality.ts';
import { type Balls, BORDER, colorTable, Splatter } from '../src/splat.ts';

const LIGHT = { up: { x: 0, y: 1, z: 0 }, key: { x: 0, y: 0, z: 1 }, sky: 0.6, ground: 0.35, lamp: 0.6 };
const [NEAR, FAR] = [1, 100];
// an eye at the origin that looks along -z, 90 degrees wide and high
const LENS = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -(FAR + NEAR) / (FAR - NEAR), -1, 0, 0, (-2 * FAR * NEAR) / (FAR - NEAR), 0];
const RED = [200, 10, 10];
const BLUE = [10, 10, 200];

function ballsAt(points: ArrayLike<number>, more: Partial<Balls> = {}): Balls {
  const plain = { plane: null, radius: 1, radii: null, values: null, range: [0, 1] as const, categories: 0, table: colorTable(RED, [255, 0, 200]) };
  return { points, matrix: LENS, ...plain, ...more };
}

function drawn(...groups: Balls[]): Splatter {
  const splatter = new Splatter();
  splatter.begin(100, 100, LIGHT);
  for (const balls of groups) splatter.add(balls, 100, -LENS[14]);
  return splatter;
}

// colour (red, green, blue) and depth of a pixel of the picture; undefined: nothing is there
function pixel(splatter: Splatter, x: number, y: number): { color: number[]; depth: number } | undefined {
  const at = (y + BORDER) * splatter.width + x + BORDER;
  if (splatter.depth[at] === 1) return undefined;
  return { color: [...new Uint8Array(splatter.image.buffer, 4 * at, 3)], depth: splatter.depth[at] };
}

const depthOf = (distance: number): number => (FAR + NEAR) / (FAR - NEAR) - (2 * FAR * NEAR) / (FAR - NEAR) / distance;

test('a ball covers the pixels that a sphere would, and bulges towards the eye', () => {
  // at distance 10 a radius of 1 is 5 of 100 pixels
  const splatter = drawn(ballsAt([0, 0, -10]));
  assert.ok(pixel(splatter, 50, 50) && pixel(splatter, 46, 50) && pixel(splatter, 50, 53));
  assert.equal(pixel(splatter, 57, 50), undefined);
  assert.equal(pixel(splatter, 55, 55), undefined);
  const middle = pixel(splatter, 50, 50)?.depth ?? 1;
  // to first order of radius over distance
  assert.ok(Math.abs(middle - depthOf(9)) < 0.2 * Math.abs(depthOf(10) - depthOf(9)), `${middle}`);
  assert.ok((pixel(splatter, 46, 50)?.depth ?? 1) > middle);
});

test('the nearer ball is seen, in whatever order they come', () => {
  const far = ballsAt([0, 0, -12]);
  const near = ballsAt([0, 0, -8], { table: colorTable(BLUE, [255, 0, 200]) });
  for (const order of [[far, near], [near, far]]) {
    const color = pixel(drawn(...order), 50, 50)?.color ?? [];
    assert.ok(color[2] > 100 && color[0] < 60, String(color));
  }
});

test('light from the eye makes the middle brighter than the rim', () => {
  const splatter = drawn(ballsAt([0, 0, -4]));
  assert.ok((pixel(splatter, 50, 50)?.color[0] ?? 0) > 1.15 * (pixel(splatter, 61, 50)?.color[0] ?? 255));
});

test('what is behind, beside, cut away or not finite is left out, and nothing is written outside', () => {
  const strange = [NaN, 0, -10, 0, 0, 10, 0, 0, 0, 1e30, 1e30, -1, -3, 0, -10, Infinity, 0, -10, 1000, 0, -10, 0, -1000, -10];
  const splatter = drawn(ballsAt(strange, { plane: [1, 0, 0, 0] }));
  assert.ok(splatter.depth.every((depth) => depth === 1));
  assert.ok(splatter.box.right < splatter.box.left);
});

test('balls at the edges of the picture reach into its border and no further', () => {
  const corners = [-9.99, -9.99, -10, 9.99, 9.99, -10, -9.99, 9.99, -10, 9.99, -9.99, -10];
  const splatter = drawn(ballsAt(corners, { radius: 100 }));
  assert.ok(pixel(splatter, 0, 0) && pixel(splatter, 99, 99) && pixel(splatter, 0, 99) && pixel(splatter, 99, 0));
});

test('values become the colours of the map, and what is not finite is told apart', () => {
  const colors = Array.from({ length: 255 }, (_, k) => [k, 0, 254 - k]).flat();
  const points = [-5, 0, -10, 0, 0, -10, 5, 0, -10];
  const values = new Float32Array([0, 2, NaN]);
  const splatter = drawn(ballsAt(points, { values, range: [0, 2], table: colorTable(colors, [0, 255, 0]) }));
  const [low, high, none] = [25, 50, 75].map((x) => pixel(splatter, x, 50)?.color ?? []);
  assert.ok(low[2] > 150 && low[0] < 20, String(low));
  assert.ok(high[0] > 150 && high[2] < 20, String(high));
  assert.ok(none[1] > 150 && none[0] === 0, String(none));
});

test('positions of 16 bits and those of floats give the same picture', () => {
  const stored = new Uint16Array([0, 0, 0, 65535, 30000, 20000]);
  const [scale, low] = [[4, 4, -6].map((value) => value / 65535), [-2, -2, -8]];
  const floats = Float32Array.from(stored, (value, i) => low[i % 3] + scale[i % 3] * value);
  const matrix = LENS.slice();
  for (let k = 0; k < 4; k++) {
    matrix[12 + k] += LENS[k] * low[0] + LENS[4 + k] * low[1] + LENS[8 + k] * low[2];
    for (let axis = 0; axis < 3; axis++) matrix[4 * axis + k] *= scale[axis];
  }
  assert.deepEqual(drawn(ballsAt(stored, { matrix })).image, drawn(ballsAt(floats)).image);
});

test('pictures that come late make fewer pixels, pictures that come early make more', () => {
  const quality = new Quality(true);
  const ratios: number[] = [];
  for (let i = 0; i < 200; i++) if (quality.took(50)) ratios.push(quality.level.ratio);
  assert.ok(ratios.length > 2 && ratios.every((ratio, i) => i === 0 || ratio < ratios[i - 1]));
  const least = quality.level.ratio;
  assert.ok(least >= 0.3);
  for (let i = 0; i < 20000; i++) quality.took(8);
  assert.equal(quality.level.ratio, 1);
});

test('a level that is just right stays, and one late picture does not matter', () => {
  const quality = new Quality(false);
  for (let i = 0; i < 1000; i++) assert.ok(!quality.took(i % 25 === 0 ? 90 : 25));
  assert.ok(!quality.level.isDraft);
  assert.ok(!quality.took(5000));
});

test('what was too much is tried again ever more rarely', () => {
  const quality = new Quality(true);
  let changes = 0;
  // whole pictures take too long, all others are early
  for (let i = 0; i < 10000; i++) if (quality.took(quality.level.ratio === 1 ? 50 : 10)) changes++;
  assert.ok(changes < 60, `${changes} changes`);
});

test('renderers without a graphics card are known by their names', () => {
  assert.ok(isSoftwareName('ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)'));
  assert.ok(isSoftwareName('ANGLE (Mesa/X.org, llvmpipe (LLVM 15.0.6 256 bits), OpenGL ES 3.2)'));
  assert.ok(!isSoftwareName('ANGLE (NVIDIA, NVIDIA GeForce RTX 3060, OpenGL 4.6)'));
});
