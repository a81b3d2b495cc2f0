// SPDX-License-Identifier: Apache-2.0
// Packets (docs/protocol.md, "Packets"): a head of 32 bytes, a text, arrays. Arrays are not copied:
// they are views into the packet's own memory, ready to be given to the graphics card.
import { isObject, type Json, numberOf, numbersOf, objectsOf, textOf, truthOf, type Vec3, vectorOf } from './protocol.ts';

const HEAD = 32;
const MAGIC = 0x46494c50; // "PLIF", little-endian

// Numbers of a packet; those of 16 bits stand for low + (high - low) * stored / 65535.
export interface Numbers {
  data: Float32Array | Uint32Array | Uint16Array;
  low: number[]; // [components], empty unless 16 bits
  high: number[];
}

export interface FieldInfo {
  name: string;
  unit: string;
  components: number;
  whole: boolean;
}

export interface Field extends FieldInfo {
  values: Numbers;
}

export interface Part {
  name: string;
  kind: 'mesh' | 'points';
  role: string;
  sheet: boolean;
  topology: string;
  radius: number; // m, of points
  points: Numbers;
  fields: Field[];
  available: FieldInfo[];
}

export interface Frame {
  kind: 'frame';
  sequence: number;
  time: number;
  step: number;
  bounds: [Vec3, Vec3] | null;
  parts: Part[];
  bytes: number;
}

export interface Topology {
  kind: 'topology';
  name: string;
  sheet: boolean;
  triangles: Uint32Array;
  vertices: Uint32Array;
  bytes: number;
}

export class PacketError extends Error {}

interface Body {
  buffer: ArrayBuffer;
  start: number; // of the arrays
}

export function decodePacket(buffer: ArrayBuffer): Frame | Topology {
  if (buffer.byteLength < HEAD) throw new PacketError('a packet is shorter than its head');
  const head = new DataView(buffer);
  if (head.getUint32(0, true) !== MAGIC || head.getUint16(4, true) !== 1) {
    throw new PacketError('this is no packet, or one of another version');
  }
  const textBytes = head.getUint32(24, true);
  if (head.getUint32(28, true) !== buffer.byteLength || HEAD + textBytes > buffer.byteLength) {
    throw new PacketError('a packet was cut short');
  }
  const text = parseText(buffer, textBytes);
  const body = { buffer, start: HEAD + textBytes };
  return head.getUint16(6, true) === 2 ? readTopology(text, body) : readFrame(text, body, head);
}

function parseText(buffer: ArrayBuffer, textBytes: number): Json {
  let text: unknown;
  try {
    text = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEAD, textBytes)));
  } catch {
    throw new PacketError('the text of a packet is not JSON');
  }
  if (!isObject(text)) throw new PacketError('the text of a packet is not an object');
  return text;
}

function readFrame(text: Json, body: Body, head: DataView): Frame {
  const bounds = Array.isArray(text.bounds) ? text.bounds : [];
  const low = vectorOf(bounds[0]);
  const high = vectorOf(bounds[1]);
  return {
    kind: 'frame',
    sequence: Number(head.getBigUint64(8, true)),
    time: head.getFloat64(16, true),
    step: numberOf(text, 'step'),
    bounds: low && high ? [low, high] : null,
    parts: objectsOf(text, 'parts').map((part) => readPart(part, body)),
    bytes: body.buffer.byteLength,
  };
}

function readTopology(text: Json, body: Body): Topology {
  const triangles = readArray(text.triangles, body).data;
  const vertices = readArray(text.vertices, body).data;
  if (!(triangles instanceof Uint32Array) || !(vertices instanceof Uint32Array)) {
    throw new PacketError('a topology is made of whole numbers of 32 bits');
  }
  checkTriangles(triangles, vertices.length);
  const sheet = truthOf(text, 'sheet');
  const name = textOf(text, 'topology');
  return { kind: 'topology', name, sheet, triangles, vertices, bytes: body.buffer.byteLength };
}

function checkTriangles(triangles: Uint32Array, pointCount: number): void {
  for (let i = 0; i < triangles.length; i++) {
    if (triangles[i] >= pointCount) throw new PacketError('a triangle has a point that is not there');
  }
}

function readPart(text: Json, body: Body): Part {
  const points = readArray(text.points, body);
  if (points.data instanceof Uint32Array) throw new PacketError('points are not whole numbers');
  return {
    name: textOf(text, 'name'),
    kind: text.kind === 'points' ? 'points' : 'mesh',
    role: textOf(text, 'role', 'body'),
    sheet: truthOf(text, 'sheet'),
    topology: textOf(text, 'topology'),
    radius: numberOf(text, 'radius', 0.01),
    points,
    fields: objectsOf(text, 'fields').map((field) => ({ ...readInfo(field), values: readArray(field.values, body) })),
    available: objectsOf(text, 'available').map(readInfo),
  };
}

function readInfo(text: Json): FieldInfo {
  return {
    name: textOf(text, 'name'),
    unit: textOf(text, 'unit'),
    components: Math.max(1, numberOf(text, 'components', 1)),
    whole: truthOf(text, 'whole'),
  };
}

function readArray(value: unknown, body: Body): Numbers {
  if (!isObject(value)) throw new PacketError('an array is missing');
  const offset = body.start + numberOf(value, 'offset', -1);
  const count = numberOf(value, 'count', -1);
  const type = textOf(value, 'type');
  const size = type === 'u16' ? 2 : 4;
  const fits = Number.isInteger(offset) && Number.isInteger(count) && offset >= body.start && count >= 0 &&
    offset % size === 0 && offset + count * size <= body.buffer.byteLength;
  if (!fits) throw new PacketError('an array lies outside of its packet');
  const low = numbersOf(value.low);
  const high = numbersOf(value.high);
  if (type === 'u16' && (low.length === 0 || low.length !== high.length)) {
    throw new PacketError('an array of 16 bits does not say what it stands for');
  }
  if (type === 'f32') return { data: new Float32Array(body.buffer, offset, count), low: [], high: [] };
  if (type === 'u32') return { data: new Uint32Array(body.buffer, offset, count), low: [], high: [] };
  if (type === 'u16') return { data: new Uint16Array(body.buffer, offset, count), low, high };
  throw new PacketError(`an array is of the unknown type ${type}`);
}

// The numbers as floats; a copy only where they are stored otherwise. `into` is used if it fits.
export function floatsOf(numbers: Numbers, into?: Float32Array): Float32Array {
  const { data, low, high } = numbers;
  if (data instanceof Float32Array) return data;
  const floats = into && into.length === data.length ? into : new Float32Array(data.length);
  const components = low.length || 1;
  for (let k = 0; k < components; k++) {
    const base = low.length ? low[k] : 0;
    const scale = low.length ? (high[k] - low[k]) / 65535 : 1;
    for (let i = k; i < data.length; i += components) floats[i] = base + scale * data[i];
  }
  return floats;
}
