// SPDX-License-Identifier: Apache-2.0
// Writes packets (docs/protocol.md, "Packets").

const HEAD = 32;
const round8 = (size) => 8 * Math.ceil(size / 8);

// Collects arrays and says where they will lie.
class Arrays {
  parts = [];
  size = 0;

  add(data, more = {}) {
    const types = new Map([[Float32Array, 'f32'], [Uint32Array, 'u32'], [Uint16Array, 'u16']]);
    const place = { offset: this.size, count: data.length, type: types.get(data.constructor), ...more };
    this.parts.push([this.size, data]);
    this.size = round8(this.size + data.byteLength);
    return place;
  }
}

function assemble(kind, sequence, time, text, arrays) {
  const bytes = Buffer.from(JSON.stringify(text));
  const textSize = round8(bytes.length);
  const packet = Buffer.alloc(HEAD + textSize + arrays.size, 0);
  packet.write('PLIF', 0, 'latin1');
  packet.writeUInt16LE(1, 4);
  packet.writeUInt16LE(kind, 6);
  packet.writeBigUInt64LE(BigInt(sequence), 8);
  packet.writeDoubleLE(time, 16);
  packet.writeUInt32LE(textSize, 24);
  packet.writeUInt32LE(packet.length, 28);
  packet.fill(' ', HEAD, HEAD + textSize);
  bytes.copy(packet, HEAD);
  for (const [offset, data] of arrays.parts) {
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).copy(packet, HEAD + textSize + offset);
  }
  return packet;
}

// 16 bits a number, between the bounds of each component
function quantise(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  points.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  const stored = Uint16Array.from(points, (value, i) => (65535 * (value - low[i % 3])) / (high[i % 3] - low[i % 3] || 1) + 0.5);
  return { stored, low, high };
}

function boundsOf(parts) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const part of parts.filter((item) => item.role === 'body')) {
    part.points.forEach((value, i) => {
      if (!Number.isFinite(value)) return;
      low[i % 3] = Math.min(low[i % 3], value);
      high[i % 3] = Math.max(high[i % 3], value);
    });
  }
  return low[0] <= high[0] ? [low, high] : null;
}

export function framePacket(frame, fields, sequence) {
  const arrays = new Arrays();
  const parts = frame.parts.map((part) => {
    const { stored, low, high } = part.kind === 'points' ? quantise(part.points) : {};
    const info = ({ name, unit, components, whole }) => ({ name, unit, components, whole });
    return {
      name: part.name, kind: part.kind, role: part.role, sheet: part.sheet ?? false, topology: part.topology?.name ?? '', radius: part.radius,
      points: stored ? arrays.add(stored, { low, high }) : arrays.add(part.points),
      fields: part.fields.filter((field) => fields.includes(field.name)).map((field) => ({ ...info(field), values: arrays.add(field.values) })),
      available: part.fields.map(info),
    };
  });
  const text = { frame: frame.number, step: frame.step, bounds: boundsOf(frame.parts), parts };
  return assemble(1, sequence, frame.time, text, arrays);
}

export function topologyPacket(topology) {
  const arrays = new Arrays();
  const text = {
    topology: topology.name, sheet: topology.sheet,
    triangles: arrays.add(topology.triangles), vertices: arrays.add(topology.vertices),
  };
  return assemble(2, 0, 0, text, arrays);
}
