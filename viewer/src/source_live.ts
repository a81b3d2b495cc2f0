// SPDX-License-Identifier: Apache-2.0
// The socket of a running simulation. Of packets only the newest waits; a packet is acknowledged when
// it has been drawn, so a slow or hidden page gets fewer of them and never piles them up.
import type { Connection } from './connection.ts';
import { decodePacket, type Frame } from './packets.ts';
import { type Command, isObject, type LiveState, readSettings, readState, type Setting, textOf } from './protocol.ts';
import { Signal } from './signal.ts';
import { stopwatch } from './stopwatch.ts';
import type { Topologies } from './topologies.ts';

export class LiveSource {
  readonly arrived = new Signal(); // a frame waits to be taken
  readonly state = new Signal<LiveState>();
  readonly settings = new Signal<Setting[]>();
  readonly failed = new Signal<string>(); // the program refused something
  readonly opened = new Signal();
  readonly closed = new Signal<string>(); // the last words of the program, or nothing
  private socket: WebSocket | null = null;
  private waiting: Frame | null = null;
  private unacknowledged: number[] = [];
  private fields: string[] = [];
  private lastWords = '';

  constructor(
    private readonly connection: Connection,
    private readonly topologies: Topologies,
  ) {}

  open(): void {
    this.close();
    this.lastWords = '';
    const socket = new WebSocket(this.connection.socketAddress());
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.greet();
    socket.onmessage = (event: MessageEvent<unknown>) => this.hear(event.data);
    socket.onclose = () => {
      if (this.socket === socket) this.end();
    };
    this.socket = socket;
  }

  close(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.waiting = null;
    this.unacknowledged = [];
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  setFields(names: string[]): void {
    this.fields = names;
    this.send({ type: 'fields', names });
  }

  // The newest frame, once. What was passed over is acknowledged with it.
  take(): Frame | null {
    const frame = this.waiting;
    this.waiting = null;
    return frame;
  }

  acknowledge(): void {
    for (const sequence of this.unacknowledged) this.send({ type: 'ack', sequence });
    this.unacknowledged = [];
  }

  private greet(): void {
    this.send({ type: 'fields', names: this.fields });
    this.opened.emit();
  }

  private end(): void {
    this.socket = null;
    this.closed.emit(this.lastWords);
  }

  private hear(data: unknown): void {
    try {
      if (data instanceof ArrayBuffer) this.hearPacket(data);
      else if (typeof data === 'string') this.hearText(data);
    } catch (error) {
      this.failed.emit(error instanceof Error ? error.message : String(error));
    }
  }

  private hearPacket(data: ArrayBuffer): void {
    const packet = stopwatch.time('decode', () => decodePacket(data));
    if (packet.kind === 'topology') {
      this.topologies.add(packet);
      return;
    }
    this.waiting = packet;
    this.unacknowledged.push(packet.sequence);
    this.arrived.emit();
  }

  private hearText(data: string): void {
    const message: unknown = JSON.parse(data);
    if (!isObject(message)) return;
    switch (message.type) {
      case 'state':
        this.state.emit(readState(message));
        break;
      case 'settings':
        this.settings.emit(readSettings(message));
        break;
      case 'error':
        this.failed.emit(textOf(message, 'text', 'The program refused that.'));
        break;
      case 'bye':
        this.lastWords = textOf(message, 'text');
        break;
    }
  }
}
