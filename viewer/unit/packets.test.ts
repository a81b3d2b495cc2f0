// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePacket, floatsOf, type Frame, PacketError, type Topology } from '../src/packets.ts';

// a packet by hand, so that reader and mock cannot share a mistake
function packetOf(kind: number, text: object, arrays: ArrayBufferView[], sequence = 7, time = 0.5): ArrayBuffer {
  let json = JSON.stringify(text);
  while (json.length % 8) json += ' ';
  const sizes = arrays.map((array) => 8 * Math.ceil(array.byteLength / 8));
  const buffer = new ArrayBuffer(32 + json.length + sizes.reduce((sum, size) => sum + size, 0));
  const head = new DataView(buffer);
  'PLIF'.split('').forEach((letter, i) => head.setUint8(i, letter.charCodeAt(0)));
  head.setUint16(4, 1, true);
  head.setUint16(6, kind, true);
  head.setBigUint64(8, BigInt(sequence), true);
  head.setFloat64(16, time, true);
  head.setUint32(24, json.length, true);
  head.setUint32(28, buffer.byteLength, true);
  new Uint8Array(buffer, 32).set(new TextEncoder().encode(json));
  let place = 32 + json.length;
  arrays.forEach((array, i) => {
    new Uint8Array(buffer, place).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    place += sizes[i];
  });
  return buffer;
}

const points = new Float32Array([0, 1, 2, 3, 4, 5]);
const meshText = {
  step: 120, bounds: [[0, 1, 2], [3, 4, 5]],
  parts: [{ name: 'cube', kind: 'mesh', role: 'body', topology: '9f', points: { offset: 0, count: 6, type: 'f32' }, fields: [], available: [{ name: 'J', unit: '-', components: 1, whole: false }] }],
};

test('a frame keeps number, time, bounds and points', () => {
  const frame = decodePacket(packetOf(1, meshText, [points])) as Frame;
  assert.equal(frame.sequence, 7);
  assert.equal(frame.time, 0.5);
  assert.equal(frame.step, 120);
  assert.deepEqual(frame.bounds, [[0, 1, 2], [3, 4, 5]]);
  assert.deepEqual([...frame.parts[0].points.data], [0, 1, 2, 3, 4, 5]);
  assert.equal(frame.parts[0].available[0].name, 'J');
});

test('points are a view into the packet, not a copy', () => {
  const buffer = packetOf(1, meshText, [points]);
  const frame = decodePacket(buffer) as Frame;
  assert.equal(frame.parts[0].points.data.buffer, buffer);
});

test('sixteen bits stand for numbers between low and high, a component each', () => {
  const stored = new Uint16Array([0, 0, 0, 65535, 65535, 65535, 32768, 0, 65535]);
  const place = { offset: 0, count: 9, type: 'u16', low: [0, -1, 10], high: [1, 1, 20] };
  const text = { parts: [{ name: 'snow', kind: 'points', topology: '', points: place }] };
  const frame = decodePacket(packetOf(1, text, [stored])) as Frame;
  const floats = floatsOf(frame.parts[0].points);
  assert.deepEqual([...floats.slice(0, 6)], [0, -1, 10, 1, 1, 20]);
  // half of 65536 steps: one step is 1.5e-5
  assert.ok(Math.abs(floats[6] - 0.5) < 1e-5);
});

test('a topology has triangles and vertices', () => {
  const text = { topology: '9f', sheet: true, triangles: { offset: 0, count: 3, type: 'u32' }, vertices: { offset: 16, count: 3, type: 'u32' } };
  const topology = decodePacket(packetOf(2, text, [new Uint32Array([0, 1, 2]), new Uint32Array([5, 7, 9])])) as Topology;
  assert.equal(topology.kind, 'topology');
  assert.equal(topology.sheet, true);
  assert.deepEqual([...topology.triangles], [0, 1, 2]);
  assert.deepEqual([...topology.vertices], [5, 7, 9]);
});

test('bounds that are null or not finite are left out', () => {
  const frame = decodePacket(packetOf(1, { ...meshText, bounds: null }, [points])) as Frame;
  assert.equal(frame.bounds, null);
});

test('what is damaged is refused with words', () => {
  const good = packetOf(1, meshText, [points]);
  const refused = (buffer: ArrayBuffer, why: RegExp): void => {
    assert.throws(() => decodePacket(buffer), (error) => error instanceof PacketError && why.test(error.message));
  };
  refused(new ArrayBuffer(5), /shorter/);
  refused(good.slice(0, good.byteLength - 8), /cut short/);
  const other = good.slice(0);
  new DataView(other).setUint8(0, 88);
  refused(other, /no packet/);
  const beyond = { parts: [{ ...meshText.parts[0], points: { offset: 0, count: 7, type: 'f32' } }] };
  refused(packetOf(1, beyond, [points]), /outside/);
  const before = { parts: [{ ...meshText.parts[0], points: { offset: -8, count: 2, type: 'f32' } }] };
  refused(packetOf(1, before, [points]), /outside/);
  const wrong = { topology: 'x', triangles: { offset: 0, count: 3, type: 'u32' }, vertices: { offset: 16, count: 1, type: 'u32' } };
  refused(packetOf(2, wrong, [new Uint32Array([0, 1, 2]), new Uint32Array([5])]), /not there/);
});
