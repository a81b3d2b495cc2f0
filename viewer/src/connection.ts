// SPDX-License-Identifier: Apache-2.0
// Requests to the program that served the page. The browser adds the cookie of its session, which no script can read.
import { decodePacket, type Frame, PacketError, type Topology } from './packets.ts';
import { readSeries, readSession, type Series, type Session } from './protocol.ts';
import { stopwatch } from './stopwatch.ts';

export class HttpError extends Error {
  constructor(readonly status: number) {
    super(`the program answered ${status}`);
  }
}

export class Connection {
  private async get(path: string, signal?: AbortSignal): Promise<Response> {
    const answer = await fetch(path, { cache: 'no-store', ...(signal ? { signal } : {}) });
    if (!answer.ok) throw new HttpError(answer.status);
    return answer;
  }

  // an answer that does not come is an end that nobody announced
  async session(): Promise<Session> {
    return readSession(await (await this.get('/api/session', AbortSignal.timeout(10000))).json());
  }

  async series(): Promise<Series> {
    return readSeries(await (await this.get('/api/series', AbortSignal.timeout(10000))).json());
  }

  async frame(number: number, fields: string[], signal: AbortSignal): Promise<Frame> {
    const query = fields.map(encodeURIComponent).join(',');
    const packet = await this.packet(`/api/frame/${number}?fields=${query}`, signal);
    if (packet.kind !== 'frame') throw new PacketError('a frame was asked for, and something else came');
    return packet;
  }

  async topology(number: number, part: number, signal: AbortSignal): Promise<Topology> {
    const packet = await this.packet(`/api/topology/${number}/${part}`, signal);
    if (packet.kind !== 'topology') throw new PacketError('a topology was asked for, and something else came');
    return packet;
  }

  private async packet(path: string, signal: AbortSignal): Promise<Frame | Topology> {
    const bytes = await (await this.get(path, signal)).arrayBuffer();
    return stopwatch.time('decode', () => decodePacket(bytes));
  }

  async keepView(view: string): Promise<void> {
    const answer = await fetch('/api/view', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: view });
    if (!answer.ok) throw new HttpError(answer.status);
  }

  reportAddress(): string {
    return '/report';
  }

  socketAddress(): string {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    return `${scheme}://${location.host}/api/socket`;
  }
}

// Pauses between attempts: they double from half a second to eight.
export class Backoff {
  private seconds = 0.5;

  next(): number {
    const now = this.seconds;
    this.seconds = Math.min(8, 2 * now);
    return now;
  }

  reset(): void {
    this.seconds = 0.5;
  }
}
