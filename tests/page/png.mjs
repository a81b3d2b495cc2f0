// SPDX-License-Identifier: Apache-2.0
// Writes small PNGs: three bytes a pixel, each row as differences to the one above or to the left.
import { crc32, deflateSync } from 'node:zlib';

function chunk(type, data) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

// the filter whose bytes are smallest
function filtered(row, above) {
  const rows = [1, 2].map((filter) => {
    const differences = row.map((value, i) => (value - (filter === 1 ? (row[i - 3] ?? 0) : above[i])) & 255);
    const size = differences.reduce((sum, value) => sum + Math.min(value, 256 - value), 0);
    return { size, bytes: [filter, ...differences] };
  });
  return rows[0].size < rows[1].size ? rows[0].bytes : rows[1].bytes;
}

// pixels: [height][width][4], RGBA; the last is left out
export function encodePng(pixels, width, height) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = [];
  let above = new Array(3 * width).fill(0);
  for (let y = 0; y < height; y++) {
    const row = pixels.slice(4 * width * y, 4 * width * (y + 1)).filter((_, i) => i % 4 !== 3);
    rows.push(Buffer.from(filtered(row, above)));
    above = row;
  }
  const data = deflateSync(Buffer.concat(rows), { level: 9 });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}
