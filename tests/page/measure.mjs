// SPDX-License-Identifier: Apache-2.0
// How fast the page plays large runs, by software rendering. Not a test: it prints figures.
//
//   PLIANT_PAGE_PROGRAM=build/pliant sh tests/page/run.sh tests/page/measure.mjs
//
// PLIANT_MEASURE_FOLDER keeps the runs (about 1 GB) to be used again; PLIANT_MEASURE_SECONDS (8) is how long each is played.
// The frames are in the page when the clock starts, and are played four times as fast as they were made for: the next one is
// always due.
//   page    pictures per second, as the page itself says
//   ours    milliseconds of the page's own work a picture: taking the frame in, and handing it to the renderer
//   browser, renderer   processor time a picture of the page's process and of the one that draws (ms)
//   ratio   pixels drawn for a pixel of the screen, along each side
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, Program, runProgram, sceneFile, until } from './common.mjs';

const SECONDS = Number(process.env.PLIANT_MEASURE_SECONDS ?? 8);
const KEPT = process.env.PLIANT_MEASURE_FOLDER;
const SIZE = { width: 960, height: 600 };
const RENDERERS = {
  SwiftShader: ['--use-angle=swiftshader'],
  llvmpipe: ['--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist'],
};
const RUNS = {
  creature: { what: '50,929 vertices', words: ['rubber/creature', '--frames', '24'] },
  particles: { what: '300,728 particles', words: [sceneFile('particles')] },
};

process.env.PLIANT_PAGE_PROGRAM ?? fail('PLIANT_PAGE_PROGRAM has to name the program');

function fail(words) {
  console.error(`measure: ${words}`);
  process.exit(1);
}

// ---- processor time of processes

function processes() {
  const found = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split(/[\0 ]/);
      // ticks of a hundredth of a second
      found.set(Number(name), { parent: Number(fields[1]), milliseconds: 10 * (Number(fields[11]) + Number(fields[12])), words });
    } catch {
      // it has ended meanwhile
    }
  }
  return found;
}

// Milliseconds of the browser's processes so far, by their kind.
function processorTimes(folder) {
  const all = processes();
  const isOurs = (id) => all.has(id) && (all.get(id).words.some((word) => word.includes(folder)) || isOurs(all.get(id).parent));
  const times = { renderer: 0, 'gpu-process': 0 };
  for (const [id, { words, milliseconds }] of all) {
    const kind = words.find((word) => word.startsWith('--type='))?.slice(7);
    if (kind in times && isOurs(id)) times[kind] += milliseconds;
  }
  return times;
}

// ---- one run in one renderer

async function prepared(folder, name) {
  const run = join(folder, name);
  if (!existsSync(join(run, 'report.html'))) runProgram('run', ...RUNS[name].words, '-o', run, '--quiet', '--force');
  return run;
}

async function measure(browser, run) {
  const program = new Program('view');
  program.run = run;
  await program.start();
  const page = await browser.visitShown(program.address, 'lite', SIZE);
  const renderer = await page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl2');
    return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL);
  });
  await page.locator('canvas').focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press(']');
  // once around, so that all frames are here and everything is warm
  await page.waitForFunction(() => window.pliant.isLoaded, undefined, { timeout: 120000 });
  await until(page, (count) => window.pliant.counters.framesShown > count + 10, (await page.evaluate(() => window.pliant.counters)).framesShown);
  const figures = await sample(browser, page);
  await page.close();
  await program.stop();
  return { renderer, ...figures };
}

async function sample(browser, page) {
  const look = () => page.evaluate(() => ({ ...window.pliant.counters, ...window.pliant.work, now: performance.now() }));
  const rates = [];
  const [first, processorFirst] = [await look(), processorTimes(browser.folder)];
  for (let i = 0; i < SECONDS; i++) {
    await page.waitForTimeout(1000);
    rates.push((await page.locator('.readout').textContent()).match(/Page(\d+)/)?.[1] ?? '0');
  }
  const [last, processorLast] = [await look(), processorTimes(browser.folder)];
  const pictures = last.pictures - first.pictures;
  const per = (value) => (value / pictures).toFixed(1);
  return {
    stated: rates.join(' '), fps: (1000 * pictures) / (last.now - first.now), ratio: last.ratio,
    frames: (1000 * (last.framesShown - first.framesShown)) / (last.now - first.now),
    decode: per(last.decode - first.decode), show: per(last.show - first.show), draw: per(last.draw - first.draw),
    browser: per(processorLast.renderer - processorFirst.renderer), renderer_: per(processorLast['gpu-process'] - processorFirst['gpu-process']),
  };
}

async function main() {
  const folder = KEPT ?? mkdtempSync(join(tmpdir(), 'pliant-measure-'));
  for (const [renderer, flags] of Object.entries(RENDERERS)) {
    for (const name of Object.keys(RUNS)) {
      const run = await prepared(folder, name);
      const browser = new Browser(flags);
      await browser.open();
      const m = await measure(browser, run);
      await browser.close();
      console.log(`${renderer} (${m.renderer}), ${name}, ${RUNS[name].what}, ${SIZE.width} x ${SIZE.height}`);
      console.log(`  page ${m.fps.toFixed(1)} fps (it says ${m.stated}), ratio ${m.ratio}; frames shown ${m.frames.toFixed(1)} a second`);
      console.log(`  ours, ms a picture: take in ${m.show}, hand over ${m.draw}, decode ${m.decode}; processor: browser ${m.browser}, renderer ${m.renderer_}`);
    }
  }
  if (!KEPT) rmSync(folder, { recursive: true, force: true });
}

await main();
