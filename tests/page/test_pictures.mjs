// SPDX-License-Identifier: Apache-2.0
// Pictures of the mock's world against those in pictures/. PLIANT_WRITE_PICTURES=1 writes them anew: look
// at them before you commit them.
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser, isReal, keep, Program, settle, until, untilDifference } from './common.mjs';

const SIZE = { width: 480, height: 300 };
// drivers round differently along outlines: a share of pixels, and how far each may be off
const MOST = 0.02;
const STEP = 32;

const browser = new Browser();
const program = new Program('view', { detail: 0.8, grains: 6000, frames: 48 });
let page;

before(async () => {
  if (isReal('view')) return;
  await Promise.all([browser.open(), program.start()]);
  page = await browser.visitShown(program.address, 'lite&paused', SIZE);
});

after(async () => {
  if (!page) return;
  await browser.close();
  await program.finish();
});

const skip = isReal('view') ? 'only the mock looks the same everywhere' : false;

async function compare(name) {
  await settle(page);
  const file = new URL(`pictures/${name}.png`, import.meta.url);
  if (process.env.PLIANT_WRITE_PICTURES) {
    const { encodePng } = await import('./png.mjs');
    await keep(page, name);
    const pixels = await page.evaluate((key) => [...window.kept[key]], name);
    writeFileSync(file, encodePng(pixels, SIZE.width, SIZE.height));
  }
  await keep(page, name, `data:image/png;base64,${readFileSync(file).toString('base64')}`);
  await untilDifference(page, name, 0, MOST, { step: STEP });
}

// A look as a person would load it.
const setView = (change) => page.evaluate((changes) => {
  const view = {
    pliant_view: 1, camera: { position: [1.9, 1.55, 3.6], target: [-0.05, 0.42, 0.15], up: [0, 1, 0], fov: 30 },
    color: { field: '', component: -1, range: null, map: 'sequential' }, edges: false, dark: false, colliders: 'glass', hidden: [], section: null,
  };
  window.pliant.loadView(JSON.stringify({ ...view, ...changes }));
}, change);

test('bodies in their colours', { skip }, async () => {
  await page.locator('canvas').focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight');
  await until(page, () => window.pliant.counters.sequence === 30);
  await setView({});
  await compare('bodies');
});

test('what is drawn while it moves looks like what is drawn at rest', { skip }, async () => {
  await keep(page, 'draft', await page.evaluate(() => window.pliant.picture(true)));
  // simpler light, a plain background and single lines: less than between drivers
  await untilDifference(page, 'draft', 0, MOST, { step: STEP });
  // and the grains are in it
  await setView({ hidden: ['grains'] });
  await untilDifference(page, 'draft', MOST, 1, { step: STEP });
});

test('stress in the dark, with its legend', { skip }, async () => {
  await setView({ dark: true, color: { field: 'von_mises', component: -1, range: [0, 90000], map: 'sequential' } });
  await until(page, () => window.pliant.look.range[1] === 90000);
  await compare('stress');
});

test('a section with its cap', { skip }, async () => {
  await setView({ section: { normal: [0, 0, 1], offset: 0.12 }, edges: true, hidden: ['grains'], color: { field: 'J', component: -1, range: [0.8, 1.2], map: 'diverging' } });
  await compare('section');
});
