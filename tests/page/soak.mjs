// SPDX-License-Identifier: Apache-2.0
// Memory of page and program while frames are streamed: it has to stay flat.
//
//   PLIANT_PAGE_PROGRAM=build/pliant sh tests/page/run.sh tests/page/soak.mjs
//
// PLIANT_SOAK_FRAMES (10000) is how many frames the page shows; a tenth of them, and 300 at least, is for warming up. A hand drags a body all the
// while, and colours are those of a field.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser, counters, eventually, grip, onReal, Program } from './common.mjs';

const FRAMES = Number(process.env.PLIANT_SOAK_FRAMES ?? 10000);
const WARM = Math.max(0.1 * FRAMES, 300);
const LOOKS = [WARM, FRAMES >= 1000 ? 0.5 * FRAMES : 0.5 * (WARM + FRAMES), FRAMES]; // frames after which it is measured
// a frame is about 4 kB here: were each kept, 300 of them would be 1.2 MB. What is left are the browser's own caches of compiled code, which
// grow for the first 1500 frames (page), and pages that the allocator has not given back (program).
const MOST_HEAP = 768 << 10;
const MOST_PROGRAM = 2 << 20;
const KILO = 1024;

const browser = new Browser();
const program = new Program('live');
let page;
let devtools;

before(async () => {
  if (onReal.skip) return;
  await Promise.all([browser.open(), program.start()]);
  page = await browser.visitShown(program.address, 'lite');
  devtools = await browser.context.newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
});

after(async () => {
  if (!page) return;
  await browser.close();
  await program.finish();
});

// Bytes that the page holds after everything else was thrown away: objects, the document, and arrays.
async function heapOfPage() {
  for (let i = 0; i < 3; i++) await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await devtools.send('Runtime.getHeapUsage');
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}

function residentOf(id) {
  return KILO * Number(readFileSync(`/proc/${id}/status`, 'utf8').match(/VmRSS:\s*(\d+)/)[1]);
}

async function sample() {
  const { framesShown, geometries, textures } = await counters(page);
  return { frames: framesShown, heap: await heapOfPage(), program: residentOf(program.process.pid), geometries, textures };
}

async function drag() {
  const { x, y } = await grip(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 20, y + 10, { steps: 3 });
  await page.locator('.marks .hand').waitFor();
  return [x, y];
}

test(`memory stays flat over ${FRAMES} streamed frames`, onReal, async () => {
  await page.evaluate(() => window.pliant.selectField('velocity'));
  const [x, y] = await drag();
  const samples = [];
  let turn = 0;
  for (const count of LOOKS) {
    while ((await counters(page)).framesShown < count) {
      turn += 0.6;
      await page.mouse.move(x + 25 * Math.cos(turn), y + 25 * Math.sin(turn));
      // a handle of the page for each look at it would grow as well: numbers do not
      const { framesShown } = await counters(page);
      await eventually(() => counters(page), (now) => now.framesShown > framesShown + 10, 'frames');
    }
    samples.push(await sample());
    const { frames, heap, program: resident } = samples.at(-1);
    console.log(`after ${frames} frames: page ${(heap / KILO).toFixed(0)} kB, program ${(resident / KILO).toFixed(0)} kB`);
  }
  await page.mouse.up();
  const [first, last] = [samples[0], samples.at(-1)];
  assert.ok(last.heap - first.heap < MOST_HEAP, `the page grew by ${last.heap - first.heap} bytes`);
  assert.ok(last.program - first.program < MOST_PROGRAM, `the program grew by ${last.program - first.program} bytes`);
  assert.deepEqual([last.geometries, last.textures], [first.geometries, first.textures]);
  assert.deepEqual(page.faults, []);
});
