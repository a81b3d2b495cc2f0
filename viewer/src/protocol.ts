// SPDX-License-Identifier: Apache-2.0
// The texts of docs/protocol.md as types, and their readers. What comes over the wire is unknown until
// a reader has looked at it: what is missing or of a wrong type becomes a harmless default.

export type Json = Record<string, unknown>;
export type Vec3 = [number, number, number];

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(from: Json, key: string, fallback = ''): string {
  const value = from[key];
  return typeof value === 'string' ? value : fallback;
}

export function numberOf(from: Json, key: string, fallback = 0): number {
  const value = from[key];
  return typeof value === 'number' ? value : fallback;
}

export function truthOf(from: Json, key: string): boolean {
  return from[key] === true;
}

export function objectsOf(from: Json, key: string): Json[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function numbersOf(value: unknown): number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? value : [];
}

export function vectorOf(value: unknown): Vec3 | null {
  const numbers = numbersOf(value);
  return numbers.length === 3 && numbers.every(Number.isFinite) ? [numbers[0], numbers[1], numbers[2]] : null;
}

export interface Session {
  mode: 'view' | 'live';
  title: string;
  version: string;
  instance: string;
  up: 'x' | 'y' | 'z';
  contact: string; // which there is, and who said so; empty: not known
  report: boolean;
  folder: string;
  drags: boolean;
}

export function readSession(value: unknown): Session {
  if (!isObject(value) || numberOf(value, 'protocol') !== 1) {
    throw new Error('the program speaks another protocol than this page');
  }
  const up = textOf(value, 'up');
  return {
    mode: value.mode === 'live' ? 'live' : 'view',
    title: textOf(value, 'title') || textOf(value, 'scene'),
    version: textOf(value, 'version'),
    instance: textOf(value, 'instance'),
    up: up === 'x' || up === 'z' ? up : 'y',
    contact: textOf(value, 'contact'),
    report: truthOf(value, 'report'),
    folder: textOf(value, 'folder'),
    drags: truthOf(value, 'drags'),
  };
}

export interface Series {
  numbers: number[]; // of the frames, ascending
  times: number[]; // of the same frames (s)
  fps: number;
  going: boolean;
  outcome: string;
  unconverged: number;
  instance: string; // the session's, unless another run has begun; empty: not told
}

export function readSeries(value: unknown): Series {
  const series: Series = { numbers: [], times: [], fps: 24, going: false, outcome: '', unconverged: 0, instance: '' };
  if (!isObject(value)) return series;
  for (const frame of Array.isArray(value.frames) ? value.frames : []) {
    const [number, time] = numbersOf(frame);
    if (number === undefined || time === undefined) continue;
    series.numbers.push(number);
    series.times.push(time);
  }
  series.fps = numberOf(value, 'fps', 24);
  series.going = truthOf(value, 'going');
  series.outcome = textOf(value, 'outcome');
  series.unconverged = numberOf(value, 'unconverged');
  series.instance = textOf(value, 'instance');
  return series;
}

export type SettingKind = 'number' | 'integer' | 'vector' | 'choice';

export interface Setting {
  path: string;
  label: string;
  unit: string;
  kind: SettingKind;
  value: string;
  low: number; // NaN: there is no bound
  high: number;
  logarithmic: boolean;
  choices: string[];
}

export function readSettings(message: Json): Setting[] {
  return objectsOf(message, 'items').map((item) => ({
    path: textOf(item, 'path'),
    label: textOf(item, 'label', textOf(item, 'path')),
    unit: textOf(item, 'unit'),
    kind: kindOf(textOf(item, 'kind')),
    value: typeof item.value === 'string' ? item.value : JSON.stringify(item.value ?? ''),
    low: numberOf(item, 'low', NaN),
    high: numberOf(item, 'high', NaN),
    logarithmic: truthOf(item, 'logarithmic'),
    choices: Array.isArray(item.choices) ? item.choices.filter((choice) => typeof choice === 'string') : [],
  }));
}

function kindOf(text: string): SettingKind {
  return text === 'integer' || text === 'vector' || text === 'choice' ? text : 'number';
}

export interface Pin {
  id: number;
  body: string;
  vertex: number;
  place: Vec3;
}

export interface LiveState {
  mode: string; // preparing, running, paused, failed
  text: string;
  step: number;
  time: number;
  iterations: number;
  residual: number;
  tolerance: number;
  stop: string;
  steps: number; // per second
  frames: number; // packets per second
  realtime: number;
  milliseconds: number;
  vertices: number;
  particles: number;
  contacts: number;
  recording: string;
  pages: number;
  pins: Pin[];
}

export function readState(message: Json): LiveState {
  const rate = isObject(message.rate) ? message.rate : {};
  return {
    mode: textOf(message, 'mode', 'running'),
    text: textOf(message, 'text'),
    step: numberOf(message, 'step'),
    time: numberOf(message, 'time'),
    iterations: numberOf(message, 'iterations', NaN),
    residual: numberOf(message, 'residual', NaN),
    tolerance: numberOf(message, 'tolerance', NaN),
    stop: textOf(message, 'stop'),
    steps: numberOf(rate, 'steps', NaN),
    frames: numberOf(rate, 'frames', NaN),
    realtime: numberOf(rate, 'realtime', NaN),
    milliseconds: numberOf(message, 'milliseconds', NaN),
    vertices: numberOf(message, 'vertices'),
    particles: numberOf(message, 'particles'),
    contacts: numberOf(message, 'contacts', NaN),
    recording: textOf(message, 'recording'),
    pages: numberOf(message, 'pages', 1),
    pins: objectsOf(message, 'pins').flatMap(readPin),
  };
}

function readPin(item: Json): Pin[] {
  const place = vectorOf(item.place);
  if (!place) return [];
  return [{ id: numberOf(item, 'id'), body: textOf(item, 'body'), vertex: numberOf(item, 'vertex'), place }];
}

export type Command =
  | { type: 'fields'; names: string[] }
  | { type: 'ack'; sequence: number }
  | { type: 'drag'; id: number; body: string; vertex: number; target: Vec3; strength?: number }
  | { type: 'release'; id: number }
  | { type: 'pin'; body: string; vertex: number }
  | { type: 'unpin'; id?: number }
  | { type: 'pause' | 'play' | 'step' | 'reset' }
  | { type: 'set'; path: string; value: string }
  | { type: 'record'; on: boolean };
