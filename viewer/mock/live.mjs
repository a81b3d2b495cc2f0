// SPDX-License-Identifier: Apache-2.0
// The live side of the mock (docs/protocol.md, "The socket of live").
import { framePacket, topologyPacket } from './packets.mjs';

const STEP = 1 / 30; // s
const AT_ONCE = 2; // packets under way to a page

const settingsAtStart = () => [
  { path: 'gravity', label: 'Gravity', unit: 'm/s²', kind: 'vector', value: '[0, -9.81, 0]' },
  { path: 'materials.jelly.young', label: "jelly: Young's modulus", unit: 'Pa', kind: 'number', value: '100000', low: 1e3, high: 1e9, logarithmic: true },
  { path: 'materials.jelly.damping', label: 'jelly: damping', unit: '-', kind: 'number', value: '0.1', low: 0, high: 1, logarithmic: false },
  { path: 'iterations', label: 'Iterations', unit: '', kind: 'integer', value: '4', low: 1, high: 50, logarithmic: false },
  { path: 'solver', label: 'Solver', unit: '', kind: 'choice', value: 'newton', choices: ['newton', 'lbfgs-h', 'vbd'] },
];

export class Live {
  constructor(world) {
    this.world = world;
    this.clients = new Set();
    this.settings = settingsAtStart();
    this.mode = 'running';
    this.time = 0;
    this.step = 0;
    this.sequence = 0;
    this.recording = '';
    this.nextPin = -1;
    this.timer = setInterval(() => this.mode === 'running' && this.advance(), 1000 * STEP);
    this.ticks = setInterval(() => this.mode === 'running' && this.tellState(), 100);
    this.make();
  }

  stop() {
    clearInterval(this.timer);
    clearInterval(this.ticks);
    for (const client of this.clients) client.socket.destroy();
  }

  join(socket) {
    const client = { socket, fields: [], given: new Set(), underWay: 0, sent: -1, topologies: new Set() };
    this.clients.add(client);
    socket.onText = (text) => this.hear(client, text);
    socket.onClose = () => {
      this.clients.delete(client);
      this.world.hands = this.world.hands.filter((hand) => hand.client !== client);
    };
    socket.sendText(JSON.stringify({ type: 'settings', items: this.settings }));
    this.tellState();
    this.offer(client);
  }

  advance() {
    this.time += STEP;
    this.step += 1;
    this.make();
  }

  make() {
    this.world.pull(this.time);
    this.frame = this.world.frame(this.step, this.time);
    this.sequence += 1;
    for (const client of this.clients) this.offer(client);
  }

  // the newest frame, if the page has room for it
  offer(client) {
    if (client.underWay >= AT_ONCE || client.sent === this.sequence) return;
    for (const { topology } of this.frame.parts) {
      if (!topology || client.topologies.has(topology.name)) continue;
      client.topologies.add(topology.name);
      client.socket.sendBytes(topologyPacket(topology));
    }
    client.sent = this.sequence;
    client.underWay += 1;
    client.socket.sendBytes(framePacket(this.frame, client.fields, this.sequence));
  }

  tellState() {
    const runs = this.mode === 'running';
    const pins = this.world.hands.filter((hand) => hand.isPin).map(({ id, body, vertex, target }) => ({ id, body, vertex, place: target }));
    const text = JSON.stringify({
      type: 'state', mode: this.mode, text: '', step: this.step, time: this.time, iterations: 4, residual: 3.1e-6, tolerance: 1e-5, stop: 'gradient',
      rate: { steps: runs ? 30 : 0, frames: runs ? 30 : 0, realtime: runs ? 1 : 0 }, milliseconds: 14.2, vertices: 6000, particles: 20000, contacts: 12,
      recording: this.recording, pages: this.clients.size, hands: this.world.hands.length - pins.length, pins,
    });
    for (const { socket } of this.clients) socket.sendText(text);
  }

  hear(client, text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      message = {};
    }
    const action = this[`on_${message.type}`];
    const fault = action ? action.call(this, message, client) : `there is no message '${message.type}'`;
    if (fault) client.socket.sendText(JSON.stringify({ type: 'error', text: fault, about: message.type }));
  }

  on_fields({ names }, client) {
    client.fields = names;
    client.sent = -1;
    this.offer(client);
  }

  on_ack(_, client) {
    client.underWay = Math.max(0, client.underWay - 1);
    this.offer(client);
  }

  grab(message) {
    const { body, vertex } = message;
    const point = this.world.pointOfVertex(body, vertex);
    if (point < 0) return null;
    const key = Object.keys(this.world.names).find((name) => this.world.names[name] === body);
    return { body, vertex, point, key, shift: [0, 0, 0] };
  }

  on_drag(message, client) {
    const { id, target } = message;
    const old = this.world.hands.find((hand) => hand.client === client && hand.id === id);
    if (old) {
      old.target = target;
      return '';
    }
    const hand = this.grab(message);
    if (!hand) return `there is no vertex ${message.vertex} in a body '${message.body}'`;
    this.world.hands.push({ ...hand, id, client, target });
    this.tellState();
    return '';
  }

  on_release({ id }, client) {
    this.world.hands = this.world.hands.filter((hand) => hand.client !== client || hand.id !== id);
    this.tellState();
  }

  on_pin(message) {
    const hand = this.grab(message);
    if (!hand) return `there is no vertex ${message.vertex} in a body '${message.body}'`;
    const target = this.world.placeOf(hand.key, hand.point, this.time);
    this.world.hands.push({ ...hand, id: this.nextPin--, isPin: true, target });
    this.tellState();
    return '';
  }

  on_unpin({ id }) {
    this.world.hands = this.world.hands.filter((hand) => !hand.isPin || (id !== undefined && hand.id !== id));
    this.tellState();
  }

  become(mode) {
    this.mode = mode;
    this.tellState();
  }

  on_pause() {
    this.become('paused');
  }

  on_play() {
    this.become('running');
  }

  on_step() {
    this.mode = 'paused';
    this.advance();
    this.tellState();
  }

  on_reset() {
    this.time = 0;
    this.step = 0;
    this.world.hands = [];
    this.make();
    this.tellState();
  }

  on_set({ path, value }) {
    const item = this.settings.find((setting) => setting.path === path);
    if (!item) return `there is no setting '${path}'`;
    if (item.kind === 'number' && !(Number(value) >= item.low && Number(value) <= item.high)) {
      return `${path}: ${value} lies outside of ${item.low} to ${item.high}`;
    }
    item.value = value;
    for (const { socket } of this.clients) socket.sendText(JSON.stringify({ type: 'settings', items: this.settings }));
    return '';
  }

  on_record({ on }) {
    this.recording = on ? 'out/mock-recording' : '';
    this.tellState();
  }
}
