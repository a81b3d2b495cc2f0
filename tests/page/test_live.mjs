// SPDX-License-Identifier: Apache-2.0
// The page on a running simulation.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser, counters, eventually, grip, isReal, onMock, onReal, Program, runProgram, settle, state, until } from './common.mjs';

const browser = new Browser();
const program = new Program('live', { grains: 300 });
let page;

before(async () => {
  await Promise.all([browser.open(), program.start()]);
  page = await browser.visitShown(program.address, 'lite');
});

after(async () => {
  await browser.close();
  await program.finish();
});

const press = (label) => page.getByLabel(label, { exact: true }).click();
const modeIs = (mode) => until(page, (wanted) => window.pliant.state.mode === wanted, mode);

test('frames come, and the figures are shown', async () => {
  const { sequence } = await counters(page);
  await until(page, (old) => window.pliant.counters.sequence > old + 3, sequence);
  // rates are known when they were counted for a while
  for (const name of ['Simulation', 'Realtime', 'Iterations', 'Residual', 'Contacts', 'Page']) {
    await page.locator('.readout').getByText(name, { exact: true }).waitFor();
  }
});

test('pause stops the frames, a step makes one, play goes on', async () => {
  await press('Pause');
  await modeIs('paused');
  // the last frame of the motion is on its way, or here
  await until(page, () => window.pliant.counters.time === window.pliant.state.time);
  const { sequence } = await counters(page);
  await page.waitForTimeout(300);
  assert.equal((await counters(page)).sequence, sequence);
  const { time } = await state(page);
  await press('One step');
  await until(page, (old) => window.pliant.state.time > old && window.pliant.counters.time === window.pliant.state.time, time);
  await modeIs('paused');
  await press('Play');
  await modeIs('running');
});

test('a body follows the pointer that drags it', async () => {
  const hold = await grip(page);
  await page.mouse.move(hold.x, hold.y);
  await page.mouse.down();
  const goal = [hold.x + 110, hold.y - 40];
  await page.mouse.move(goal[0], goal[1], { steps: 5 });
  await page.locator('.marks .hand').waitFor();
  await until(page, ([name, p, x, y]) => {
    const q = window.pliant.positions(name);
    const at = window.pliant.onScreen([q[3 * p], q[3 * p + 1], q[3 * p + 2]]);
    return Math.hypot(at[0] - x, at[1] - y) < 45;
  }, [hold.body, hold.point, ...goal]);
  await page.mouse.up();
  // marks are drawn with the next picture
  await page.locator('.marks .hand').waitFor({ state: 'detached' });
  await until(page, ([name, p, x, y]) => {
    const q = window.pliant.positions(name);
    const at = window.pliant.onScreen([q[3 * p], q[3 * p + 1], q[3 * p + 2]]);
    return Math.hypot(at[0] - x, at[1] - y) > 45;
  }, [hold.body, hold.point, ...goal]);
});

test('a drag beside the bodies turns the camera instead', async () => {
  const place = () => page.evaluate(() => window.pliant.camera.position);
  const first = await place();
  await page.mouse.move(300, 350);
  await page.mouse.down();
  await page.mouse.move(340, 340, { steps: 3 });
  await page.mouse.up();
  await eventually(place, (now) => Math.hypot(...now.map((value, k) => value - first[k])) > 1e-4, 'another place of the camera');
});

test('pins are set by alt-click, listed, and removed', async () => {
  await press('Pause');
  await modeIs('paused');
  await page.keyboard.press('f');
  await settle(page);
  const hold = await grip(page);
  await page.mouse.move(hold.x, hold.y);
  await page.keyboard.down('Alt');
  await page.mouse.click(hold.x, hold.y);
  await page.keyboard.up('Alt');
  await until(page, () => window.pliant.state.pins.length === 1);
  assert.equal((await state(page)).pins[0].body, hold.body);
  assert.match(await page.locator('.pins').textContent(), /vertex \d+/);
  await page.locator('.marks .pin').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: /Remove the pin/ }).click();
  await until(page, () => window.pliant.state.pins.length === 0);
  await press('Play');
  await modeIs('running');
});

test('the pin tool pins without a key', async () => {
  await press('Pin');
  const hold = await grip(page);
  await page.mouse.click(hold.x, hold.y);
  await until(page, () => window.pliant.state.pins.length === 1);
  await press('Drag');
  await page.getByRole('button', { name: /Remove the pin/ }).click();
  await until(page, () => window.pliant.state.pins.length === 0);
});

test('settings change by slider, by number and by choice', async () => {
  const items = await page.evaluate(() => window.pliant.settings);
  assert.equal(await page.locator('.setting').count(), items.length);
  const number = items.find((item) => item.kind === 'number' && item.low < item.high);
  const line = page.locator(`[data-path="${number.path}"]`);
  const wanted = number.logarithmic ? Math.sqrt(number.low * number.high) : 0.5 * (number.low + number.high);
  await line.locator('input.number').fill(String(wanted));
  await page.keyboard.press('Enter');
  await until(page, ([path, value]) => Math.abs(Number(window.pliant.settings.find((item) => item.path === path).value) / value - 1) < 1e-3, [number.path, wanted]);
  await eventually(() => line.locator('input[type=range]').inputValue(), (middle) => Math.abs(Number(middle) - 500) < 3, 'the slider at its middle');
  await line.locator('input[type=range]').fill('750');
  await until(page, ([path, value]) => Number(window.pliant.settings.find((item) => item.path === path).value) > 1.2 * value, [number.path, wanted]);
});

test('a vector is three numbers', async () => {
  const items = await page.evaluate(() => window.pliant.settings);
  const vector = items.find((item) => item.kind === 'vector');
  await page.locator(`[data-path="${vector.path}"] input`).nth(1).fill('-3');
  await page.keyboard.press('Enter');
  await until(page, (path) => window.pliant.settings.find((item) => item.path === path).value.replaceAll(' ', '').split(',')[1] === '-3', vector.path);
});

test('what the program refuses is said in its words, as text', async () => {
  const items = await page.evaluate(() => window.pliant.settings);
  const number = items.find((item) => item.kind === 'number' && item.low < item.high);
  await page.locator(`[data-path="${number.path}"] input.number`).fill('-1e30');
  await page.keyboard.press('Enter');
  await page.locator('.toast.error').first().waitFor();
  if (!isReal('live')) assert.match(await page.locator('.toast.error').first().textContent(), /lies outside of/);
  await page.getByLabel('Dismiss').first().click();
});

test('a recording is begun and ended, and its folder is named', async () => {
  await page.getByText('Record', { exact: true }).click();
  await until(page, () => window.pliant.state.recording !== '');
  assert.equal(await page.locator('.folder').textContent(), (await state(page)).recording);
  await page.getByText('Record', { exact: true }).click();
  await until(page, () => window.pliant.state.recording === '');
});

test('reset begins again', async () => {
  const { time } = await state(page);
  await page.getByLabel('Start again').click();
  await until(page, (old) => window.pliant.state.time < old && window.pliant.counters.time < old, time);
});

test('colours can be had while it runs', async () => {
  await page.getByLabel('Colour by').selectOption({ label: 'Speed' });
  await until(page, () => window.pliant.look.field === 'velocity' && window.pliant.look.range[1] > 0 && window.pliant.look.range[1] !== 1);
});

test('a page that is busy gets fewer frames, not later ones', onMock('live'), async () => {
  const [client] = program.mock.live.clients;
  await page.evaluate(() => {
    const end = performance.now() + 700;
    while (performance.now() < end);
  });
  assert.ok(client.underWay <= 2);
  const newest = program.mock.live.sequence;
  await until(page, (sequence) => window.pliant.counters.sequence >= sequence, newest);
});

test('a simulation that ends is missed, and found again', async () => {
  const first = await page.evaluate(() => window.pliant.session.instance);
  await program.stop();
  await page.getByText('The program has ended or cannot be reached; trying again…').waitFor();
  await program.start();
  await browser.letIn(program.address);
  await until(page, (old) => window.pliant.session.instance !== old, first);
  await until(page, () => document.querySelector('.banner').hidden);
  const { framesShown } = await counters(page);
  await until(page, (count) => window.pliant.counters.framesShown > count + 2, framesShown);
});

test('one that is killed is missed as well, while it is dragged', onReal, async () => {
  const first = await page.evaluate(() => window.pliant.session.instance);
  const hold = await grip(page);
  await page.mouse.move(hold.x, hold.y);
  await page.mouse.down();
  await page.mouse.move(hold.x + 30, hold.y, { steps: 3 });
  await page.locator('.marks .hand').waitFor();
  await program.stop('SIGKILL');
  await page.getByText('The program has ended or cannot be reached; trying again…').waitFor();
  await page.locator('.marks .hand').waitFor({ state: 'detached' });
  await page.mouse.up();
  await program.start();
  await browser.letIn(program.address);
  await until(page, (old) => window.pliant.session.instance !== old && document.querySelector('.banner').hidden, first);
});

test('what was done on the page can be done again from its log', onReal, async () => {
  await program.stop();
  const logs = readdirSync(program.folder).map((name) => join(program.folder, name, 'live.jsonl')).sort();
  assert.equal(logs.length, 3);
  runProgram('live', '--replay', logs[0]);
  await program.start();
});

test('a camera that follows keeps what falls in sight, and what has fallen can be found again', onReal, async () => {
  const falling = new Program('live', { scene: 'fall' });
  await falling.start();
  const watching = await browser.visitShown(falling.address, 'lite');
  const heights = () => watching.evaluate(() => {
    const { top, bottom } = document.querySelector('canvas').getBoundingClientRect();
    const points = window.pliant.positions('block');
    const y = window.pliant.onScreen([points[0], points[1], points[2]])[1];
    return { y, top, bottom, fallen: -points[1] };
  });
  const isSeen = ({ y, top, bottom }) => y > top && y < bottom;
  await eventually(heights, (now) => now.fallen > 15 && !isSeen(now), 'a block that is out of sight');
  await watching.keyboard.press('f');
  await eventually(heights, isSeen, 'the block in sight again');
  await watching.keyboard.press('c');
  const { fallen } = await heights();
  await eventually(heights, (now) => now.fallen > fallen + 40 && isSeen(now), 'a block that is followed');
  await watching.close();
  await falling.finish();
});
