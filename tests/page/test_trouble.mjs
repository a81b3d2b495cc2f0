// SPDX-License-Identifier: Apache-2.0
// What can go wrong around the page: the program ends, the browser is not let in, frames are damaged or slow, names
// hold markup, memory is short.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, counters, eventually, onMock, Program, until } from './common.mjs';

const browser = new Browser();

before(() => browser.open());
after(() => browser.close());

// A page on a program of its own.
async function withProgram(options, parameters, action) {
  const program = await new Program('view', options).start();
  try {
    const page = await browser.visitShown(program.address, parameters);
    await action(page, program);
    await page.close();
  } finally {
    await program.finish().catch(() => {});
  }
}

test('a program that ends is missed in words, and found again when it is back', async () => {
  await withProgram({}, 'lite&paused', async (page, program) => {
    const first = await page.evaluate(() => window.pliant.session.instance);
    await program.stop();
    // something that has to be fetched
    await page.evaluate(() => window.pliant.selectField('velocity'));
    await page.getByText('The program has ended or cannot be reached; trying again…').waitFor();
    await program.start();
    await page.getByText('The program was started anew: open the address that it printed then').waitFor();
    await browser.letIn(program.address);
    await until(page, (old) => window.pliant.session.instance !== old, first);
    await until(page, () => document.querySelector('.banner').hidden);
    // the page sets itself up anew, and may not hear the first key
    const { framesShown } = await counters(page);
    const shown = async () => {
      await page.keyboard.press('ArrowRight');
      return (await counters(page)).framesShown;
    };
    await eventually(shown, (count) => count > framesShown, 'another frame');
  });
});

test('a browser that was not let in is told how', async () => {
  const program = await new Program('view').start();
  const page = await browser.context.newPage();
  await page.goto(new URL('/', program.address).href);
  await page.getByText('The program does not know this browser: open the address that it printed.').waitFor();
  await browser.letIn(program.address);
  await page.waitForFunction(() => window.pliant?.counters.framesShown > 0);
  await page.close();
  await program.finish();
});

test('markup in names stays text', onMock('view'), async () => {
  const evil = '<img src=x onerror="window.caught=1"><b>bold</b>';
  await withProgram({ title: evil, names: { jelly: evil } }, 'lite&paused', async (page) => {
    assert.equal(await page.locator('h1').textContent(), evil);
    assert.equal(await page.locator('.bodies .name').first().textContent(), evil);
    await page.getByLabel(`Show ${evil}`).click();
    assert.equal(await page.evaluate(() => window.caught), undefined);
    assert.equal(await page.locator('img, b').count(), 0);
  });
});

test('what is not finite is left out or magenta, and the rest is drawn', onMock('view'), async () => {
  await withProgram({ spoiled: true }, 'lite&paused', async (page) => {
    await page.getByText('Some points of jelly are not finite and are left out.').waitFor();
    const camera = await page.evaluate(() => window.pliant.camera);
    assert.ok([...camera.position, ...camera.target].every(Number.isFinite));
    assert.ok(await page.evaluate(() => Number.isNaN(window.pliant.positions('jelly').at(-1))));
    await page.evaluate(() => window.pliant.selectField('von_mises'));
    await until(page, () => window.pliant.look.range[1] > 1000);
    assert.ok(await page.evaluate(() => window.pliant.look.range.every(Number.isFinite)));
    await eventually(() => magentaPixels(page), (count) => count > 20, 'magenta');
    assert.deepEqual(page.faults, []);
  });
});

function magentaPixels(page) {
  return page.evaluate(async () => {
    const image = new Image();
    image.src = window.pliant.picture();
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const data = pen.getImageData(0, 0, image.width, image.height).data;
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.min(data[i] - data[i + 1], data[i + 2] - data[i + 1]) > 60) count += 1;
    return count;
  });
}

test('scrubbing over slow frames shows what is there and forgets what was passed', onMock('view'), async () => {
  await withProgram({ delay: 150, frames: 200 }, 'lite&paused', async (page, program) => {
    await page.keyboard.press('End');
    for (let i = 0; i < 12; i++) await page.keyboard.press('Shift+ArrowLeft');
    await until(page, () => window.pliant.counters.sequence === 79);
    const asked = program.mock.requests.filter((path) => path.startsWith('/api/frame/')).length;
    // three at once, twelve stops: far from the two hundred there are
    assert.ok(asked < 80, `${asked} frames were asked for`);
    assert.deepEqual(page.faults, []);
  });
});

test('memory stays within its bound while a run plays through', onMock('view'), async () => {
  await withProgram({ frames: 60, fps: 60 }, 'lite&cache=1', async (page) => {
    await until(page, () => window.pliant.counters.framesShown > 30);
    const first = await counters(page);
    await until(page, (count) => window.pliant.counters.framesShown > count + 40, first.framesShown);
    const second = await counters(page);
    const topologies = 200e3;
    assert.ok(second.cacheBytes <= (1 << 20) + topologies, `${second.cacheBytes} bytes`);
    assert.equal(second.geometries, first.geometries);
    assert.equal(second.textures, first.textures);
  });
});

test('a run that still writes grows on the page', onMock('view'), async () => {
  await withProgram({ frames: 3, going: true }, 'lite&paused', async (page, program) => {
    await page.getByText('3 frames, still running').waitFor();
    program.mock.frameCount = 5;
    program.mock.going = false;
    await page.getByText('5 frames, done').waitFor();
    await page.keyboard.press('End');
    await until(page, () => window.pliant.counters.sequence === 4);
  });
});

test('a run that is begun anew in the folder is shown in the place of the former one', async () => {
  await withProgram({ frames: 12 }, 'lite&paused', async (page, program) => {
    await page.keyboard.press('End');
    await until(page, () => window.pliant.counters.sequence >= 11);
    // a camera that nobody has put goes on following what grows
    await page.keyboard.press('f');
    const before = await page.evaluate(() => ({ points: [...window.pliant.positions(window.pliant.parts()[0])], camera: window.pliant.camera }));
    if (program.mock) program.mock.renew(4, { detail: 0.6 });
    else program.simulate('--force', '--frames', '3', '--set', 'bodies.lower.geometry.grid.cells=[6, 3, 6]');
    // as when one comes back to the page; else it would ask within ten seconds
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByText('Another run has begun in this folder').waitFor();
    await page.getByText(/^4 frames, done/).waitFor();
    // its first frame, from where one looked
    await until(page, (count) => window.pliant.counters.sequence === 0 && window.pliant.positions(window.pliant.parts()[0]).length !== count, before.points.length);
    const camera = await page.evaluate(() => window.pliant.camera);
    assert.equal(camera.fov, before.camera.fov);
    for (const name of ['position', 'target', 'up']) {
      // every picture takes the camera through spherical coordinates and back, which rounds its last bits
      camera[name].forEach((value, axis) => assert.ok(Math.abs(value - before.camera[name][axis]) < 1e-9, `${name}: ${camera[name]}, not ${before.camera[name]}`));
    }
    await page.keyboard.press('End');
    await until(page, () => window.pliant.counters.sequence === 3);
    // a frame of the former run may have been asked for while it went
    assert.deepEqual(page.faults.filter((fault) => !fault.includes('404')), []);
  });
});
