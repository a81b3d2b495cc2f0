// SPDX-License-Identifier: Apache-2.0
// A stand-in for `pliant view` and `pliant live`: speaks docs/protocol.md over a world by formulas.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Live } from './live.mjs';
import { framePacket, topologyPacket } from './packets.mjs';
import { Socket } from './socket.mjs';
import { World } from './world.mjs';

const PAGE = new URL('../dist/index.html', import.meta.url);
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self' ws: wss:; font-src data:; worker-src blob:";

// options: mode, port, frames, fps, title, up, going, delay (ms before a frame is given), and those of World
export async function startMock(options = {}) {
  const mock = new Mock(options);
  await mock.listen();
  return mock;
}

class Mock {
  constructor({ mode = 'view', port = 0, frames = 48, fps = 24, title = 'mock/world', delay = 0, going = false, up = 'y', ...world }) {
    Object.assign(this, { mode, port, fps, title, delay, going, up, frameCount: frames });
    this.instance = randomBytes(8).toString('hex');
    this.secret = randomBytes(16).toString('hex'); // of the cookie
    this.codes = new Set(); // of addresses that were not opened yet
    this.world = new World(world);
    this.live = mode === 'live' ? new Live(this.world) : null;
    this.keptView = null;
    this.requests = []; // paths that were asked for
    this.streams = new Set();
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.on('upgrade', (request, stream) => this.upgrade(request, stream));
    this.server.on('connection', (stream) => {
      this.streams.add(stream);
      stream.on('close', () => this.streams.delete(stream));
    });
  }

  listen() {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.port, '127.0.0.1', () => {
        this.port = this.server.address().port;
        resolve();
      });
    });
  }

  // A new one every time; it opens the page once.
  makeAddress() {
    const code = randomBytes(16).toString('hex');
    this.codes.add(code);
    return `http://127.0.0.1:${this.port}/open?code=${code}`;
  }

  async stop() {
    this.live?.stop();
    for (const stream of this.streams) stream.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get cookie() {
    return `pliant-${this.port}=${this.secret}`;
  }

  isAllowed(request) {
    return (request.headers.cookie ?? '').split('; ').includes(this.cookie);
  }

  open(request, response, url) {
    if (!this.codes.delete(url.searchParams.get('code')) && !this.isAllowed(request)) {
      response.writeHead(403).end();
      return;
    }
    url.searchParams.delete('code');
    response.writeHead(303, { Location: `/${url.search}`, 'Set-Cookie': `${this.cookie}; Path=/; HttpOnly; SameSite=Strict` }).end();
  }

  upgrade(request, stream) {
    const url = new URL(request.url, 'http://mock');
    if (!this.live || url.pathname !== '/api/socket' || !this.isAllowed(request)) {
      stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    this.live.join(new Socket(request, stream));
  }

  answer(request, response) {
    const url = new URL(request.url, 'http://mock');
    this.requests.push(url.pathname);
    if (url.pathname === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' });
      response.end(readFileSync(PAGE));
    } else if (url.pathname === '/open') {
      this.open(request, response, url);
    } else if (!this.isAllowed(request)) {
      response.writeHead(403).end();
    } else {
      this.answerAllowed(request, response, url);
    }
  }

  answerAllowed(request, response, url) {
    const [, , what, number, part] = url.pathname.split('/');
    if (url.pathname === '/api/session') this.json(response, this.session());
    else if (url.pathname === '/report') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>report');
    else if (this.mode === 'live') response.writeHead(404).end();
    else if (url.pathname === '/api/series') this.json(response, this.series());
    else if (what === 'frame' && Number(number) < this.frameCount) this.frame(response, Number(number), url.searchParams.get('fields') ?? '');
    else if (what === 'topology') this.topology(response, Number(number), Number(part));
    else if (url.pathname === '/api/view' && request.method === 'POST') this.keepView(request, response);
    else response.writeHead(404).end();
  }

  session() {
    const { mode, title, instance, up } = this;
    return {
      protocol: 1, mode, title, version: '0.1.0', instance, up, report: mode === 'view', folder: 'out/mock', max_message: 65536,
      ...(mode === 'live' ? { scene: title, drags: true, contact: 'barrier, chosen because there are 2 bodies; contact: none switches it off' } : {}),
    };
  }

  series() {
    const frames = Array.from({ length: this.frameCount }, (_, i) => [i, i / this.fps]);
    return { frames, fps: this.fps, going: this.going, outcome: this.going ? '' : 'done', unconverged: 0, instance: this.instance };
  }

  // Another run begins in the folder: so many frames of another world.
  renew(frames, world) {
    this.instance = randomBytes(8).toString('hex');
    this.world = new World(world);
    this.frameCount = frames;
  }

  frame(response, number, fields) {
    const packet = framePacket(this.world.frame(number, number / this.fps), fields.split(','), number);
    setTimeout(() => this.bytes(response, packet), this.delay);
  }

  topology(response, number, part) {
    const topology = this.world.frame(number, 0).parts[part]?.topology;
    if (topology) this.bytes(response, topologyPacket(topology));
    else response.writeHead(404).end();
  }

  keepView(request, response) {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      this.keptView = JSON.parse(Buffer.concat(pieces).toString('utf8'));
      response.writeHead(204).end();
    });
  }

  json(response, value) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  }

  bytes(response, packet) {
    if (!response.destroyed) response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(packet);
  }
}
