// Drives the page of editors/web in a headless Chromium.
//
//   node run.mjs [CASE…]
//
// `WEB_PAGE` names the folder of the page, `WEB_DRIVER` the folder with the package playwright-core, `WEB_CHROMIUM` the
// browser. With `WEB_SHOTS` pictures are written there. A case gets a page of its own; every request of it is looked at:
// one that is not for the page's own files fails the case.
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { cases } from './cases.mjs';

const { WEB_PAGE, WEB_DRIVER, WEB_CHROMIUM = 'chromium', WEB_SHOTS } = process.env;
const { chromium } = createRequire(path.join(WEB_DRIVER, 'package.json'))('playwright-core');
const BROWSER = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.gz': 'application/gzip', '.txt': 'text/plain' };
const CASE_MS = 180_000;

const server = http.createServer((request, response) => {
  const name = path.basename(new URL(request.url, 'http://page').pathname) || 'index.html';
  const file = path.join(WEB_PAGE, name);
  if (!fs.existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream' });
  fs.createReadStream(file).pipe(response);
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath: WEB_CHROMIUM, args: BROWSER });

/** A page of its own, and what the cases do with it. */
async function open(options, wrong) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, colorScheme: 'light', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  context.on('request', it => {
    if (!it.url().startsWith(base) && !it.url().startsWith('data:')) {
      wrong.push(`a request left the page: ${it.url()}`);
    }
  });
  page.on('pageerror', error => wrong.push(`the page threw: ${error.stack}`));
  page.on('console', it => {
    if (it.type() === 'error') {
      wrong.push(`the console says: ${it.text()}`);
    }
  });
  const nReads = () => page.evaluate(() => Number(document.documentElement.dataset.read ?? 0));
  const read = async before => page.waitForFunction(n => Number(document.documentElement.dataset.read ?? 0) > n, before);
  return {
    page, context, base, read, nReads,
    /** Opens the page, and waits until the text was read. */
    async start(fragment = '') {
      await page.goto(base + fragment);
      await read(0);
    },
    /** Does something that changes the text, and waits until it was read. */
    async reading(act) {
      const before = await nReads();
      await act();
      await read(before);
    },
    /** Puts a text into the editor, as a file that is opened. */
    async text(text, name = 'kernel.py') {
      await this.reading(() => page.setInputFiles('#file', { name, mimeType: 'text/plain', buffer: Buffer.from(text) }));
    },
    source: page.locator('#source .cm-content'),
    panel: page.locator('#panel'),
    async tab(id) {
      await page.click(`#tab-${id}`);
    },
    async shot(name) {
      if (WEB_SHOTS) {
        await page.waitForTimeout(800);
        await page.screenshot({ path: path.join(WEB_SHOTS, name) });
      }
    },
  };
}

const total = { passed: 0, failed: 0 };
const wanted = process.argv.slice(2);
for (const [name, { options = {}, allows = [], run }] of Object.entries(cases)) {
  if (wanted.length > 0 && !wanted.includes(name)) {
    continue;
  }
  const wrong = [];
  const it = await open(options, wrong);
  const start = performance.now();
  let timer;
  try {
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('the case takes too long')), CASE_MS); });
    await Promise.race([run(it), late]);
    const left = wrong.filter(it => !allows.some(allowed => it.includes(allowed)));
    if (left.length > 0) {
      throw new Error(left.join('\n'));
    }
    total.passed++;
    console.log(`test web::${name} ... ok`);
  } catch (error) {
    total.failed++;
    console.log(error.stack);
    await it.shot(`failed-${name}.png`).catch(() => {});
    console.log(`test web::${name} ... FAILED`);
  }
  clearTimeout(timer);
  console.error(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  await it.context.close();
}
await browser.close();
server.close();
console.log(`test result: ${total.failed > 0 ? 'FAILED' : 'ok'}. ${total.passed} passed; ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
