// Runs suites in a real VS Code: its server, as code-server packs it, and its workbench in a headless Chromium.
//
//   node run.mjs [WINDOW…]
//
// A window is a VS Code with a folder, settings and a suite of its own. `VSC_EDITOR` names the folder with the
// packages code-server and playwright-core, `VSC_EXTENSION` the extension with its bundle, `VSC_SERVER` the program.
// What the suites cannot ask inside of the extension host (what is on the screen) they ask this program by files.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { checkGrammars } from './grammars.mjs';
import { windows } from './windows.mjs';

const here = import.meta.dirname;
const { VSC_EDITOR, VSC_EXTENSION, VSC_SERVER, VSC_CHROMIUM = 'chromium', VSC_SHOTS } = process.env;
const { chromium } = createRequire(path.join(VSC_EDITOR, 'package.json'))('playwright-core');
const WINDOW_MS = 240_000;
const SETTINGS = {
  'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', 'extensions.autoCheckUpdates': false,
  'update.mode': 'none', 'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'files.autoSave': 'off', 'editor.inlayHints.enabled': 'on', 'git.enabled': false, 'workbench.tips.enabled': false,
};
// Extensions that only start slowly: nothing here needs them, and the network is not asked.
const UNNEEDED = ['vscode.github', 'vscode.github-authentication', 'vscode.microsoft-authentication', 'ms-vscode.js-debug'];
const BROWSER = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Copies an extension to where VS Code finds it. */
function place(extension, folder) {
  const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(extension, 'package.json')));
  const goal = path.join(folder, `${publisher}.${name}-${version}`);
  const isNeeded = it => !it.includes('node_modules');
  fs.cpSync(extension, goal, { recursive: true, filter: it => isNeeded(path.relative(extension, it)) });
  return goal;
}

/** The address of the server once it listens. */
async function address(server) {
  let text = '';
  server.stdout.on('data', it => (text += it));
  for (let tries = 0; tries < 300; tries++) {
    const found = /Web UI available at http:\/\/localhost:(\d+)/.exec(text)?.[1];
    if (found) {
      return `http://127.0.0.1:${found}`;
    }
    await sleep(100);
  }
  throw new Error(`VS Code does not listen:\n${text}`);
}

/** Ends the server, and waits until it wrote its last file. */
async function ended(server) {
  const gone = new Promise(resolve => server.once('exit', resolve));
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

/** Answers a question of a suite. */
async function answer(page, { what, text, keys, file }) {
  switch (what) {
    case 'shows':
      // Spaces on the screen are of several kinds.
      return page.evaluate(it => document.body.innerText.replace(/[\u00a0\s]+/g, ' ').includes(it), text);
    case 'types':
      await page.keyboard.press(keys);
      return true;
    case 'shoots':
      if (VSC_SHOTS) {
        await sleep(1500);
        await page.screenshot({ path: path.join(VSC_SHOTS, file) });
      }
      return true;
    case 'clicks':
      await page.getByText(text, { exact: true }).first().click({ timeout: 10_000 });
      return true;
    default:
      throw new Error(`unknown question ${what}`);
  }
}

/** Opens a window and runs its suite in it; what fails counts in the last run only. */
async function runWindow(browser, name, isLast) {
  const start = Date.now();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `vscode-${name}-`));
  const results = path.join(dir, 'results');
  const extensions = path.join(dir, 'extensions');
  fs.mkdirSync(results);
  const extension = place(VSC_EXTENSION, extensions);
  place(path.join(here, 'runner'), extensions);
  const window = windows[name]({ dir, server: VSC_SERVER, extension, place: it => place(path.join(here, it), extensions) });
  for (const kind of ['User', 'Machine']) {
    const folder = path.join(dir, 'data/data', kind);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify({ ...SETTINGS, ...window.settings }));
  }
  const editor = path.join(VSC_EDITOR, 'node_modules/code-server/lib/vscode/out/server-main.js');
  const args = [
    editor, '--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms', '--telemetry-level', 'off',
    '--server-data-dir', path.join(dir, 'data'), '--extensions-dir', extensions, ...UNNEEDED.flatMap(it => ['--disable-extension', it]),
  ];
  // The people of this machine have programs and a shell of their own: a server of theirs is not the one under test.
  const env = {
    ...process.env, HOME: dir, PATH: '/usr/bin:/bin', VSCODE_CLI: '1', VIRTUAL_ENV: '', CONDA_PREFIX: '', ...window.env,
    VSC_RESULTS: results, VSC_SUITE: path.join(here, 'suites', `${window.suite ?? name}.js`), VSC_DIR: dir,
  };
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', fs.openSync(path.join(dir, 'err'), 'w')] });
  let page;
  let isDone = false;
  try {
    const base = await address(server);
    page = await browser.newPage({ viewport: window.viewport ?? { width: 1280, height: 720 }, colorScheme: window.light ? 'light' : 'dark' });
    if (process.env.VSC_VERBOSE) {
      page.on('console', it => console.log('page:', it.text().slice(0, 300)));
    }
    const query = window.workspace ? `workspace=${encodeURIComponent(window.workspace)}` : `folder=${encodeURIComponent(window.folder)}`;
    await page.goto(`${base}/?${query}`, { waitUntil: 'domcontentloaded' });
    const done = path.join(results, 'done');
    while (!fs.existsSync(done) && Date.now() - start < WINDOW_MS) {
      const ask = path.join(results, 'ask');
      if (fs.existsSync(ask)) {
        const question = JSON.parse(fs.readFileSync(ask));
        fs.unlinkSync(ask);
        const said = await answer(page, question).catch(error => String(error));
        fs.writeFileSync(path.join(results, `answer-${question.id}.tmp`), JSON.stringify(said));
        fs.renameSync(path.join(results, `answer-${question.id}.tmp`), path.join(results, `answer-${question.id}`));
      }
      await sleep(50);
    }
    const read = it => (fs.existsSync(path.join(results, it)) ? fs.readFileSync(path.join(results, it), 'utf8') : '');
    const hasEnded = fs.existsSync(done);
    const number = result => read('log').split('\n').filter(it => it.startsWith('test ') && it.endsWith(` ... ${result}`)).length;
    const counts = { passed: number('ok'), failed: number('FAILED') + (hasEnded ? 0 : 1) };
    if (counts.failed > 0 && !isLast) {
      // What did not count is told in other words than a test's.
      console.log(read('log').replaceAll(/^test /gm, 'first run: ') + `window ${name} is opened once more`);
      isDone = true;
      return counts;
    }
    process.stdout.write(read('log'));
    if (process.env.VSC_TIMES) {
      process.stdout.write(read('times'));
    }
    if (!hasEnded) {
      console.log(`test vscode::${name}::ends ... FAILED\nthe suite did not end`);
    }
    if (counts.failed > 0) {
      await page.screenshot({ path: path.join(dir, 'end.png') });
      console.log(`the screen and the logs: ${dir}`);
    } else {
      isDone = true;
    }
    return counts;
  } finally {
    await page?.close();
    await ended(server);
    if (isDone) {
      fs.rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    }
    console.log(`window ${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  }
}

const wanted = process.argv.slice(2);
const executablePath = VSC_CHROMIUM.includes('/') ? VSC_CHROMIUM : `/usr/bin/${VSC_CHROMIUM}`;
const browser = await chromium.launch({ executablePath, headless: true, args: BROWSER });
const total = wanted.length === 0 ? await checkGrammars(VSC_EXTENSION, VSC_EDITOR) : { passed: 0, failed: 0 };
try {
  for (const name of Object.keys(windows).filter(it => (wanted.length === 0 ? !windows[it].isPicture : wanted.includes(it)))) {
    // A real editor on a busy machine: a suite that fails is given a second window, and must pass there as a whole.
    let counts = await runWindow(browser, name, false).catch(error => {
      console.log(`window ${name}: ${error}`);
      return { passed: 0, failed: 1 };
    });
    if (counts.failed > 0) {
      counts = await runWindow(browser, name, true);
    }
    const { passed, failed } = counts;
    total.passed += passed;
    total.failed += failed;
  }
} finally {
  await browser.close();
}
console.log(`test result: ${total.failed > 0 ? 'FAILED' : 'ok'}. ${total.passed} passed; ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
