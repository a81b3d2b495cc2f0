// SPDX-License-Identifier: Apache-2.0
// The little of WebSocket (RFC 6455) that a test needs, on a socket of an upgraded request.
import { createHash } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class Socket {
  onText = () => {};
  onClose = () => {};

  constructor(request, stream) {
    this.stream = stream;
    this.rest = Buffer.alloc(0);
    const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + GUID).digest('base64');
    stream.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    stream.setNoDelay(true);
    stream.on('data', (data) => this.take(data));
    stream.on('close', () => this.onClose());
    stream.on('error', () => stream.destroy());
  }

  take(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (;;) {
      const frame = readFrame(this.rest);
      if (!frame) return;
      this.rest = this.rest.subarray(frame.size);
      if (frame.opcode === 1) this.onText(frame.payload.toString('utf8'));
      else if (frame.opcode === 8) this.stream.end(frameOf(8, Buffer.alloc(0)));
      else if (frame.opcode === 9) this.stream.write(frameOf(10, frame.payload));
    }
  }

  sendText(text) {
    if (!this.stream.destroyed) this.stream.write(frameOf(1, Buffer.from(text)));
  }

  sendBytes(bytes) {
    if (!this.stream.destroyed) this.stream.write(frameOf(2, bytes));
  }

  destroy() {
    this.stream.destroy();
  }
}

function frameOf(opcode, payload) {
  const size = payload.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (size < 126) head[1] = size;
  else if (size < 65536) {
    head[1] = 126;
    head.writeUInt16BE(size, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(size), 2);
  }
  return Buffer.concat([head, payload]);
}

// pages send whole frames, masked, of at most 64 kB
function readFrame(bytes) {
  if (bytes.length < 6) return null;
  let size = bytes[1] & 0x7f;
  let start = 2;
  if (size === 126) {
    size = bytes.readUInt16BE(2);
    start = 4;
  } else if (size === 127) {
    size = Number(bytes.readBigUInt64BE(2));
    start = 10;
  }
  if (bytes.length < start + 4 + size) return null;
  const mask = bytes.subarray(start, start + 4);
  const payload = Buffer.from(bytes.subarray(start + 4, start + 4 + size));
  for (let i = 0; i < size; i++) payload[i] ^= mask[i % 4];
  return { opcode: bytes[0] & 0xf, payload, size: start + 4 + size };
}
