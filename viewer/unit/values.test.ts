// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitCreases } from '../src/creases.ts';
import { computeNormals, edgesOf, finiteTriangles } from '../src/normals.ts';
import type { Field } from '../src/packets.ts';
import { pickSurface } from '../src/pick.ts';
import { readView, type View, ViewError, writeView } from '../src/view_file.ts';
import { MAGNITUDE, NOT_FINITE, scalarsOf } from '../src/values.ts';

function fieldOf(data: number[], components: number): Field {
  return { name: 'v', unit: '', components, whole: false, values: { data: new Float32Array(data), low: [], high: [] } };
}

test('magnitude and components of a field, and what they reach', () => {
  const field = fieldOf([3, 4, 0, -6, 0, 8], 3);
  const into = new Float32Array(2);
  assert.deepEqual(scalarsOf(field, MAGNITUDE, into), { low: 5, high: 10 });
  assert.deepEqual([...into], [5, 10]);
  assert.deepEqual(scalarsOf(field, 0, into), { low: -6, high: 3 });
  assert.deepEqual([...into], [3, -6]);
});

test('the magnitude of a single number keeps its sign', () => {
  const into = new Float32Array(2);
  assert.deepEqual(scalarsOf(fieldOf([-2, 1], 1), MAGNITUDE, into), { low: -2, high: 1 });
});

test('what is not finite is marked and does not touch the range', () => {
  const into = new Float32Array(4);
  const extent = scalarsOf(fieldOf([1, NaN, Infinity], 1), MAGNITUDE, into);
  assert.deepEqual(extent, { low: 1, high: 1 });
  const marked = Math.fround(NOT_FINITE);
  assert.deepEqual([...into], [1, marked, marked, marked]);
});

const square = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
const twoTriangles = new Uint32Array([0, 1, 2, 0, 2, 3]);

test('normals of a square point out of it', () => {
  const normals = new Float32Array(12);
  assert.equal(computeNormals(square, twoTriangles, normals), true);
  assert.deepEqual([...normals], [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
});

test('a point that is not finite spoils its own triangles only', () => {
  const spoiled = square.slice();
  spoiled[3] = NaN;
  const normals = new Float32Array(12);
  assert.equal(computeNormals(spoiled, twoTriangles, normals), false);
  assert.deepEqual([...normals.slice(9)], [0, 0, 1]);
  assert.deepEqual([...finiteTriangles(spoiled, twoTriangles)], [0, 2, 3]);
});

test('every edge is there once', () => {
  const edges = edgesOf(twoTriangles, 4);
  assert.deepEqual([...edges], [0, 1, 0, 2, 0, 3, 1, 2, 2, 3]);
});

test('a ray hits the nearest triangle and takes its nearest corner', () => {
  const ray = { origin: [0.9, 0.2, 2] as [number, number, number], direction: [0, 0, -1] as [number, number, number] };
  const hit = pickSurface(square, twoTriangles, ray, () => true);
  assert.equal(hit?.point, 1);
  assert.equal(hit?.distance, 2);
  assert.equal(pickSurface(square, twoTriangles, ray, () => false), null);
  assert.equal(pickSurface(square, twoTriangles, { ...ray, origin: [3, 0, 2] }, () => true), null);
});

test('a view survives writing and reading', () => {
  const view: View = {
    camera: { position: [3, 2, 4], target: [0, 1, 0], up: [0, 1, 0], fov: 35 }, field: 'velocity', component: -1, range: [0, 2], map: 'diverging',
    edges: true, dark: false, colliders: 'show', hidden: ['lid'], section: { normal: [1, 0, 0], offset: 0.1 }, size: [960, 600],
  };
  assert.deepEqual(readView(writeView(view)), view);
  assert.equal(JSON.parse(writeView(view)).pliant_view, 1);
});

test('what is no view is refused', () => {
  for (const text of ['', '[]', '{}', '{"pliant_view": 1}', '{"pliant_view": 2, "camera": {}}']) {
    assert.throws(() => readView(text), ViewError);
  }
});

test('points at a crease stand twice, those of smooth shapes once', () => {
  // two triangles that meet at a right angle, and the same laid flat
  const bent = new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0]);
  const pair = new Uint32Array([0, 1, 2, 0, 3, 1]);
  const creased = splitCreases(bent, pair);
  assert.deepEqual([...creased.extra], [0, 1]);
  assert.deepEqual([...creased.triangles], [0, 1, 2, 4, 3, 5]);
  const flat = splitCreases(square, twoTriangles);
  assert.equal(flat.extra.length, 0);
  assert.deepEqual([...flat.triangles], [...twoTriangles]);
});
