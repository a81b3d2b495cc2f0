// SPDX-License-Identifier: Apache-2.0
// The page on a finished run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser, counters, eventually, isReal, keep, look, lookIs, Program, settle, until, untilDifference } from './common.mjs';

const browser = new Browser();
const program = new Program('view');
let page;

before(async () => {
  await Promise.all([browser.open(), program.start()]);
  page = await browser.visitShown(program.address);
});

after(async () => {
  await browser.close();
  await program.finish();
});

const sequenceIs = (number) => until(page, (wanted) => window.pliant.counters.sequence === wanted, number);

test('a run loads: title, bodies, first frame, nothing wrong', async () => {
  assert.ok((await page.title()).endsWith('· pliant'));
  const parts = await page.evaluate(() => window.pliant.parts());
  assert.ok(parts.length > 0);
  assert.equal(await page.locator('.bodies li').count(), parts.length);
  await sequenceIs(0);
  await page.locator('.banner').waitFor({ state: 'hidden' });
});

test('keys step through the frames', async () => {
  await page.keyboard.press('ArrowRight');
  await sequenceIs(1);
  await page.keyboard.press('ArrowRight');
  await sequenceIs(2);
  await page.keyboard.press('ArrowLeft');
  await sequenceIs(1);
  await page.keyboard.press('End');
  await until(page, () => window.pliant.counters.sequence > 2);
  await page.keyboard.press('Home');
  await sequenceIs(0);
});

test('frames differ from each other', async () => {
  const body = await page.evaluate(() => window.pliant.parts()[0]);
  const first = await page.evaluate((name) => [...window.pliant.positions(name)], body);
  await page.keyboard.press('End');
  await until(page, () => window.pliant.counters.sequence > 2);
  const last = await page.evaluate((name) => [...window.pliant.positions(name)], body);
  assert.ok(first.some((value, i) => Math.abs(value - last[i]) > 1e-4));
});

test('scrubbing goes where the pointer is', async () => {
  const box = await page.getByLabel('Frame', { exact: true }).boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  const last = Number(await page.getByLabel('Frame', { exact: true }).getAttribute('max'));
  await until(page, (middle) => Math.abs(window.pliant.counters.sequence - middle) <= 1 + 0.05 * middle, last / 2);
});

test('space plays and pauses', async () => {
  await page.locator('canvas').focus();
  const { framesShown } = await counters(page);
  await page.keyboard.press('Space');
  await until(page, (count) => window.pliant.counters.framesShown > count + 2, framesShown);
  await page.keyboard.press('Space');
  await until(page, () => !window.pliant.playing);
});

test('nothing is drawn while nothing moves', async () => {
  await settle(page);
  const { pictures } = await counters(page);
  await page.waitForTimeout(500);
  assert.equal((await counters(page)).pictures, pictures);
});

test('what moves is drawn as well as there is time for, and again in full at rest', async () => {
  await page.locator('canvas').focus();
  await page.keyboard.press('Space');
  // these tests run without a graphics card
  await until(page, () => window.pliant.counters.isDraft);
  await page.locator('.readout').getByText(/fps/).waitFor();
  await page.keyboard.press('Space');
  await until(page, () => !window.pliant.counters.isDraft && window.pliant.counters.ratio === 1);
  await until(page, () => document.querySelector('canvas').width === Math.floor(document.querySelector('canvas').getBoundingClientRect().width));
});

test('a field colours the bodies, with its legend', async () => {
  await keep(page, 'plain');
  await page.getByLabel('Colour by').selectOption({ label: 'Speed' });
  await until(page, () => window.pliant.look.field === 'velocity' && window.pliant.look.range[1] > 0);
  await page.locator('.legend h2').getByText('Speed (m/s)').waitFor();
  await untilDifference(page, 'plain', 0.01, 1);
});

test('a range that is typed holds, until it is unlocked', async () => {
  await page.getByLabel('Upper end of the range').fill('0.125');
  await page.keyboard.press('Enter');
  await until(page, () => window.pliant.look.locked && window.pliant.look.range[1] === 0.125);
  await page.getByLabel('Lock the range').click();
  await until(page, () => !window.pliant.look.locked && window.pliant.look.range[1] !== 0.125);
});

test('a range that makes no sense is not taken', async () => {
  const { range } = await look(page);
  await page.getByLabel('Upper end of the range').fill('-5');
  await page.keyboard.press('Enter');
  await page.getByLabel('Upper end of the range').fill('abc');
  await page.keyboard.press('Enter');
  assert.deepEqual((await look(page)).range, range);
  await page.getByLabel('Colour by').selectOption({ label: 'Body' });
});

test('a section opens the bodies', async () => {
  await keep(page, 'whole');
  await page.getByLabel('Cut the bodies open').check();
  await page.getByLabel('Axis').selectOption('x');
  await eventually(() => look(page), (is) => is.section?.normal.join() === '1,0,0', 'the section');
  await untilDifference(page, 'whole', 0.005, 1);
  await page.getByLabel('Other side').check();
  await eventually(() => look(page), (is) => is.section?.normal.join() === '-1,0,0', 'the section');
  await page.getByLabel('Cut the bodies open').uncheck();
  await lookIs(page, { section: null });
  await untilDifference(page, 'whole', 0, 0.002);
});

test('a body can be hidden and shown', async () => {
  await keep(page, 'shown');
  const name = await page.evaluate(() => window.pliant.parts()[0]);
  await page.getByLabel(`Show ${name}`).click();
  await lookIs(page, { hidden: [name] });
  await untilDifference(page, 'shown', 0.005, 1);
  await page.getByLabel(`Show ${name}`).click();
  await untilDifference(page, 'shown', 0, 0.002);
});

test('dark and light can be switched', async () => {
  await page.locator('canvas').focus();
  const { dark } = await look(page);
  await page.keyboard.press('d');
  await lookIs(page, { dark: !dark });
  await page.locator(`html[data-theme=${dark ? 'light' : 'dark'}]`).waitFor();
  await page.keyboard.press('d');
  await lookIs(page, { dark });
});

test('a picture is saved as PNG of the canvas', async () => {
  const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
  const bytes = readFileSync(await saved.path());
  assert.match(saved.suggestedFilename(), /\.png$/);
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
  const size = await page.evaluate(() => [document.querySelector('canvas').width, document.querySelector('canvas').height]);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], size);
});

test('a view is saved, kept by the program, and brings everything back', async () => {
  await page.getByText('View', { exact: true }).click();
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByText('Save view').click()]);
  const text = readFileSync(await saved.path(), 'utf8');
  assert.equal(JSON.parse(text).pliant_view, 1);
  await page.getByText('Kept as view.json').waitFor();
  if (!isReal('view')) assert.deepEqual(program.mock.keptView, JSON.parse(text));
  const was = await page.evaluate(() => window.pliant.camera.position);
  await page.locator('canvas').focus();
  await page.keyboard.press('1');
  await page.keyboard.press('x');
  await page.evaluate((view) => window.pliant.loadView(view), text);
  await lookIs(page, { section: null });
  const is = await page.evaluate(() => window.pliant.camera.position);
  is.forEach((value, k) => assert.ok(Math.abs(value - was[k]) < 1e-6 * (1 + Math.abs(was[k]))));
});

test('a file that is no view is refused in words', async () => {
  await page.evaluate(() => window.pliant.loadView('<b>no</b>'));
  await page.getByText('This file is not a view: it is not JSON.').waitFor();
});

test('dragging turns the camera, the wheel zooms', async () => {
  const place = () => page.evaluate(() => window.pliant.camera.position);
  const first = await place();
  await page.mouse.move(250, 90);
  await page.mouse.down();
  await page.mouse.move(330, 110, { steps: 3 });
  await page.mouse.up();
  const turned = await eventually(place, (now) => Math.hypot(...now.map((value, k) => value - first[k])) > 1e-3, 'another place of the camera');
  await page.mouse.wheel(0, -240);
  await until(page, (old) => window.pliant.camera.position.some((value, k) => value !== old[k]), turned);
  await settle(page);
});

test('everything that can be focused has a name', async () => {
  const nameless = await page.evaluate(() => {
    const controls = [...document.querySelectorAll('button, input, select, a, canvas, summary, [tabindex]')];
    const nameOf = (item) => item.getAttribute('aria-label') || item.labels?.[0]?.textContent || item.textContent;
    return controls.filter((item) => !nameOf(item)?.trim()).map((item) => item.outerHTML);
  });
  assert.deepEqual(nameless, []);
});

test('the keys are listed, and the list closes', async () => {
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  assert.match(await page.getByRole('dialog').textContent(), /play or pause/);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

test('the graphics may be lost and come back, and the canvas may vanish', async () => {
  await keep(page, 'whole');
  await page.evaluate(() => window.pliant.loseGraphics());
  await page.getByText('the picture comes back by itself').waitFor();
  await page.evaluate(() => window.pliant.restoreGraphics());
  await until(page, () => document.querySelector('.banner').hidden);
  await untilDifference(page, 'whole', 0, 0.002);
  await page.evaluate(() => (document.querySelector('.stage').style.display = 'none'));
  await until(page, () => document.querySelector('canvas').clientWidth === 0);
  await page.evaluate(() => (document.querySelector('.stage').style.display = ''));
  await untilDifference(page, 'whole', 0, 0.002);
});

async function swipe(phone, [x, y], [toX, toY]) {
  const devtools = await browser.context.newCDPSession(phone);
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  for (const t of [0.5, 1]) {
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: x + t * (toX - x), y: y + t * (toY - y) }] });
  }
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

test('on a phone the panel is folded away, the bar fits, and a finger turns the camera', async () => {
  const phone = await browser.visitShown(program.address, 'lite&paused', { width: 390, height: 700 });
  await phone.locator('aside').waitFor({ state: 'hidden' });
  const box = await phone.locator('.transport').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390);
  const before = await phone.evaluate(() => window.pliant.camera.position);
  await swipe(phone, [120, 200], [220, 230]);
  await until(phone, (old) => window.pliant.camera.position.some((value, k) => Math.abs(value - old[k]) > 1e-3), before);
  await phone.getByLabel('Side panel').click();
  await phone.locator('aside').waitFor();
  await phone.close();
});

test('on a phone that lies flat the panel is at the side, and the legend clear of the bar', async () => {
  const phone = await browser.visitShown(program.address, 'lite&paused', { width: 720, height: 450 });
  await phone.getByLabel('Side panel').click();
  await phone.getByLabel('Colour by').selectOption({ label: 'Speed' });
  await phone.locator('.legend h2').getByText('Speed (m/s)').waitFor();
  const [side, legend, bar] = await Promise.all(['aside', '.legend', '.transport'].map((name) => phone.locator(name).boundingBox()));
  assert.ok(side.height > 400);
  assert.ok(legend.y >= 0 && legend.y + legend.height <= bar.y);
  assert.ok(bar.x + bar.width <= side.x);
  await phone.close();
});

test('nothing was wrong on the way', () => {
  assert.deepEqual(page.faults, []);
});
