// SPDX-License-Identifier: Apache-2.0
// What others must not get at: a report that somebody else wrote, and pages of other servers on this machine, which browsers
// take for the same site because cookies know no ports.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser, onReal, Program } from './common.mjs';

const browser = new Browser();
let program;

before(async () => {
  await browser.open();
  program = await new Program('view').start();
});
after(async () => {
  await browser.close();
  await program.finish();
});

// Tries everything and writes what came of it into the page.
const SPY = `<!doctype html><pre id="seen"></pre><script>
const seen = { address: location.href, referrer: document.referrer, opener: String(opener) };
function attempt(name, action) {
  try { seen[name] = String(action()); } catch (error) { seen[name] = 'refused: ' + error.name; }
}
attempt('cookie', () => document.cookie);
attempt('storage', () => localStorage.length);
const asked = fetch('/api/session').then((answer) => 'answered ' + answer.status, (error) => 'refused: ' + error.name);
asked.then((outcome) => {
  seen.session = outcome;
  document.querySelector('#seen').textContent = JSON.stringify(seen);
});
</script>`;

test('a report that somebody else wrote gets at neither cookie nor program', onReal, async () => {
  writeFileSync(join(program.folder, 'run', 'report.html'), SPY);
  const page = await browser.visitShown(program.address);
  const [report] = await Promise.all([browser.context.waitForEvent('page'), page.getByText('Open the report').click()]);
  await report.waitForFunction(() => document.querySelector('#seen')?.textContent);
  const seen = JSON.parse(await report.locator('#seen').textContent());
  assert.equal(seen.address, new URL('/report', program.address).href);
  assert.deepEqual([seen.referrer, seen.opener], ['', 'null']);
  assert.match(seen.cookie, /^refused|^$/);
  assert.match(seen.storage, /^refused/);
  assert.match(seen.session, /^refused/);
  await report.close();
  await page.close();
});

test('the page reads its own secret as little as anybody', async () => {
  const page = await browser.visitShown(program.address);
  assert.equal(await page.evaluate(() => document.cookie), '');
  assert.equal(await page.evaluate(() => location.href.includes('code')), false);
  const cookies = await browser.context.cookies(program.address);
  const own = cookies.find((cookie) => cookie.name === `pliant-${program.port}`);
  assert.equal(own.httpOnly, true);
  assert.equal(own.sameSite, 'Strict');
  await page.close();
});

test('a page of another server on this machine cannot ask the program, though it is sent the cookie', onReal, async () => {
  await (await browser.visitShown(program.address)).close();
  const heard = [];
  const other = createServer((request, response) => {
    heard.push(request.headers.cookie ?? '');
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>other');
  });
  after(() => other.close());
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const page = await browser.context.newPage();
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  // otherwise this test would show nothing
  assert.match(heard[0], new RegExp(`pliant-${program.port}=`));
  const outcome = await page.evaluate(async (base) => {
    const ask = (path, options) => fetch(base + path, { credentials: 'include', ...options }).then((answer) => `${answer.type} ${answer.status}`, () => 'refused');
    return [await ask('api/session'), await ask('api/session', { mode: 'no-cors' }), await ask('api/view', { method: 'POST', mode: 'no-cors', body: '{}' })];
  }, new URL('/', program.address).href);
  assert.deepEqual(outcome, ['refused', 'refused', 'refused']);
  await page.close();
});

test('several programs at once know the same browser', onReal, async () => {
  const second = await new Program('view').start();
  const first = await browser.visitShown(program.address);
  const other = await browser.visitShown(second.address);
  await first.reload();
  await first.waitForFunction(() => window.pliant?.counters.framesShown > 0);
  assert.deepEqual([first.faults, other.faults], [[], []]);
  await other.close();
  await first.close();
  await second.finish();
});
