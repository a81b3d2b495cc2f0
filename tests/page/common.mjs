// SPDX-License-Identifier: Apache-2.0
// What tests of the page share: a browser, a program to talk to, and ways of waiting.
//
// The program is the mock (viewer/mock) unless PLIANT_PAGE_PROGRAM names the real one: it simulates and serves the scenes in
// scenes/ then, or what these commands say, in which {port} is put:
//   PLIANT_PAGE_VIEW="build/pliant view out/demo --port {port}"
//   PLIANT_PAGE_LIVE="build/pliant live demo --port {port}"
// Tests of what only the mock can do are skipped then.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { startMock } from '../../viewer/mock/server.mjs';

const require = createRequire(new URL('../../viewer/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const REAL = process.env.PLIANT_PAGE_PROGRAM;
const COMMANDS = { view: process.env.PLIANT_PAGE_VIEW, live: process.env.PLIANT_PAGE_LIVE };
const PATIENCE = 120000; // milliseconds; a machine with much else to do is not a fault
const FLAGS = ['--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const isReal = (mode) => COMMANDS[mode] !== undefined || REAL !== undefined;
// For tests of what only one of the two can do.
export const onMock = (mode) => ({ skip: isReal(mode) && 'only the mock can do this' });
export const onReal = { skip: REAL === undefined && 'only the program can do this' };
export const sceneFile = (name) => fileURLToPath(new URL(`scenes/${name}.yaml`, import.meta.url));

// ---- browser

export class Browser {
  // Flags choose a renderer; without them it is whatever Chromium has without a graphics card.
  constructor(flags = ['--disable-gpu']) {
    this.flags = flags;
    this.opened = new Set(); // addresses that have done their work
  }

  async open() {
    this.folder = mkdtempSync(join(tmpdir(), 'pliant-page-'));
    this.context = await chromium.launchPersistentContext(this.folder, {
      executablePath: process.env.PLIANT_CHROMIUM ?? '/usr/bin/chromium', headless: true, args: [...FLAGS, ...this.flags], viewport: { width: 800, height: 440 }, acceptDownloads: true,
    });
    this.context.setDefaultTimeout(PATIENCE);
  }

  async close() {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // A page on an address, with parameters. Faults that it reports are collected in page.faults.
  async visit(address, parameters = 'lite&paused', size) {
    const page = await this.context.newPage();
    page.faults = [];
    page.on('pageerror', (error) => page.faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') page.faults.push(message.text());
    });
    if (size) await page.setViewportSize(size);
    await page.goto(this.opened.has(address) ? new URL(`/?${parameters}`, address).href : `${address}&${parameters}`);
    this.opened.add(address);
    return page;
  }

  // Opens an address as another tab would.
  async letIn(address) {
    const answer = await this.context.request.get(address);
    if (answer.status() !== 200) throw new Error(`${address} answers ${answer.status()}`);
    this.opened.add(address);
  }

  async visitShown(address, parameters, size) {
    const page = await this.visit(address, parameters, size);
    await page.waitForFunction(() => window.pliant?.counters.framesShown > 0);
    return page;
  }
}

// ---- program

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Runs the program to its end. Fails unless it ends well.
export function runProgram(...words) {
  const { status, stderr } = spawnSync(REAL, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
}

// A program that can be stopped and started again on the same port. The real one looks at `run`, or has a folder of its own with a run of
// `scene`.
export class Program {
  constructor(mode, options = {}) {
    Object.assign(this, { mode, options, scene: options.scene ?? mode, folder: '', address: '' });
  }

  async start() {
    this.port ??= await freePort();
    if (isReal(this.mode)) {
      await this.startReal();
      return this;
    }
    this.mock = await startMock({ mode: this.mode, port: this.port, detail: 0.4, grains: 1500, frames: 24, ...this.options });
    this.address = this.mock.makeAddress();
    return this;
  }

  // Simulates into the folder that is looked at.
  simulate(...words) {
    runProgram('run', sceneFile(this.scene), '-o', join(this.folder, 'run'), '--quiet', ...words);
  }

  words() {
    const given = COMMANDS[this.mode];
    if (given) return given.replace('{port}', this.port).split(' ');
    if (!this.folder && !this.run) {
      this.folder = mkdtempSync(join(tmpdir(), 'pliant-run-'));
      if (this.mode === 'view') this.simulate();
    }
    const what = this.mode === 'view' ? [this.run ?? join(this.folder, 'run')] : [sceneFile(this.scene), '-o', join(this.folder, `live-${Date.now()}`)];
    return [REAL, this.mode, ...what, '--no-open', '--port', this.port, ...(this.options.words ?? [])];
  }

  startReal() {
    const [command, ...words] = this.words();
    this.process = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    this.process.stderr.on('data', (data) => (said += data));
    return new Promise((resolve, reject) => {
      this.process.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${said}`)));
      this.process.stdout.once('data', (data) => {
        this.address = String(data).trim();
        resolve();
      });
    });
  }

  // Ends it; a program that is asked to end has to end well.
  async stop(signal = 'SIGTERM') {
    if (!this.process) return this.mock.stop();
    this.process.removeAllListeners('exit');
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    const code = await ended;
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`the program ended with ${code}`);
  }

  // Ends it for good.
  async finish() {
    await this.stop().finally(() => this.folder && rmSync(this.folder, { recursive: true, force: true }));
  }
}

// ---- the page

export const look = (page) => page.evaluate(() => window.pliant.look);
export const counters = (page) => page.evaluate(() => window.pliant.counters);
export const state = (page) => page.evaluate(() => window.pliant.state);

// Waits until a function of the page is true.
export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { polling: 50 });

// Waits until `value()` holds: events, requests and pictures take what time they take.
export async function eventually(value, holds, what = 'what was waited for') {
  for (let last, end = Date.now() + PATIENCE; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    last = await value();
    if (holds(last)) return last;
    if (Date.now() > end) throw new Error(`${what} does not come; last seen: ${JSON.stringify(last)}`);
  }
}

// Waits until the page's look has these values.
export const lookIs = (page, wanted) => eventually(() => look(page), (is) => Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(is[key], value)), JSON.stringify(wanted));

// Waits until the share of the pixels that differ from a picture that was kept lies between two bounds.
export const untilDifference = (page, name, low, high, options) =>
  eventually(() => difference(page, name, options), (share) => share >= low && share <= high, `a share of ${low} to ${high} of different pixels`);

// A place of the page where a body can be taken hold of, even if it moves a little meanwhile.
export function grip(page) {
  return eventually(() => page.evaluate(() => {
    for (const name of window.pliant.parts()) {
      const points = window.pliant.positions(name);
      for (let i = 0; i < points.length; i += 3) {
        const [x, y] = window.pliant.onScreen([points[i], points[i + 1], points[i + 2]]);
        const box = document.querySelector('canvas').getBoundingClientRect();
        const isFree = x > box.left + 160 && x < box.right - 130 && y > 110 && y < box.bottom - 110;
        const around = isFree ? [[0, 0], [6, 0], [-6, 0], [0, 6], [0, -6]] : [];
        const [hit, ...others] = around.map(([dx, dy]) => window.pliant.pick(x + dx, y + dy));
        if (hit?.body === name && others.every((other) => other?.body === name)) return { x, y, ...hit };
      }
    }
    return null;
  }), (hold) => hold !== null, 'a body that can be taken hold of');
}

// Waits until nothing is drawn any more, and what was drawn last was drawn in full.
export async function settle(page) {
  await until(page, () => !window.pliant.counters.isDraft && window.pliant.counters.ratio === 1);
  for (let before = -1, now = -2; before !== now; ) {
    before = (await counters(page)).pictures;
    await page.waitForTimeout(300);
    now = (await counters(page)).pictures;
  }
}

// Keeps the picture in the page, or the one at an address, under a name.
export function keep(page, name, source = '') {
  return page.evaluate(keepInPage, { name, source });
}

// Share of the pixels that differ between the picture and one that was kept: of which a component differs by more
// than `step`.
export function difference(page, name, { step = 24 } = {}) {
  return page.evaluate(compareInPage, { name, step });
}

async function keepInPage({ name, source }) {
  window.keptPixels ??= async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height).data;
  };
  window.kept ??= {};
  window.kept[name] = await window.keptPixels(source || window.pliant.picture());
}

async function compareInPage({ name, step }) {
  const a = window.kept[name];
  const b = await window.keptPixels(window.pliant.picture());
  if (a.length !== b.length) return 1;
  let count = 0;
  for (let i = 0; i < a.length; i += 4) {
    const most = Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2]));
    if (most > step) count += 1;
  }
  return count / (a.length / 4);
}
