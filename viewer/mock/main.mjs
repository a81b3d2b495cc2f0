// SPDX-License-Identifier: Apache-2.0
// node mock/main.mjs [view|live] [--port N] [--detail X] [--grains N]: serves until it is interrupted.
import { parseArgs } from 'node:util';
import { startMock } from './server.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '8686' }, detail: { type: 'string', default: '1' }, grains: { type: 'string', default: '20000' } },
});
const mock = await startMock({
  mode: positionals[0] === 'live' ? 'live' : 'view',
  port: Number(values.port), detail: Number(values.detail), grains: Number(values.grains),
});
console.log(`open ${mock.makeAddress()}`);
