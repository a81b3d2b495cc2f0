// SPDX-License-Identifier: Apache-2.0
// What the two ways of running the page have in common: frames come from somewhere and are shown.
import type { Connection } from './connection.ts';
import type { Frame } from './packets.ts';
import type { Session } from './protocol.ts';
import type { Stage } from './scene.ts';
import type { Topologies } from './topologies.ts';
import type { Notices } from './ui/notices.ts';
import type { Readout } from './ui/readout.ts';

export interface Workshop {
  connection: Connection;
  stage: Stage;
  topologies: Topologies;
  notices: Notices;
  readout: Readout;
  paused: boolean; // by the address: nothing plays by itself
  cacheBytes: number;
  show(frame: Frame): void;
  lost(cause: unknown): void; // the program cannot be reached
  reached(): void; // and now it can
  renewed(): void; // it serves something else than before
}

export interface Mode {
  readonly bar: HTMLElement;
  readonly panels: { title: string; rows: HTMLElement[] }[];
  readonly cacheBytes: number;
  begin(session: Session): void; // a program answered for the first time, or another one
  resume(): void; // the same program answers again
  rest(): void; // it does not answer
  setFields(names: string[]): void;
  tick(seconds: number): boolean;
  drawn(): void;
  key(event: KeyboardEvent): boolean; // true: it was for this mode
  drop(): void; // what is kept of frames is worth nothing
}
