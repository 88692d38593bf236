// What must hold of the page, a case each.
import assert from 'node:assert/strict';

const TARGETS = { cuda: '__global__', opencl: '__kernel', hip: '__global__', c: '#include', spirv: '@compute', wgsl: '@compute', metal: 'kernel void' };

const KERNEL = `from tvm.script import tirx as T

@T.prim_func
def copy(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for i in range(256):
        for j in range(4):
            B[i * 4 + j] = A[i * 4 + j]
`;

/** A kernel with an expression of so many brackets. */
function deep(n) {
  return `from tvm.script import tirx as T\n\n@T.prim_func\ndef deep(A: T.Buffer((8,), "int32")):\n    A[0] = ${'('.repeat(n)}A[1]${')'.repeat(n)}\n`;
}

/** So many functions. */
function many(n) {
  const body = KERNEL.split('\n').slice(2).join('\n');
  return `from tvm.script import tirx as T\n\n${Array.from({ length: n }, (_, i) => body.replace('copy', `copy_${i}`)).join('\n')}`;
}

const text = it => it.page.evaluate(() => document.querySelector('#source .cm-content').innerText);
const overflows = it => it.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
const back = it => it.page.evaluate(() => getComputedStyle(document.body).backgroundColor);

export const cases = {
  hints: {
    async run(it) {
      await it.start();
      await it.source.locator('.inlay').first().waitFor();
      const first = await it.page.evaluate(() => Number(document.documentElement.dataset.firstHint));
      console.error(`first hint after ${first} ms`);
      // The build under test is not optimised, and the machine may be busy: this is no measurement.
      assert.ok(first < 30_000, `first hint after ${first} ms`);
      await it.text(KERNEL);
      assert.equal(await it.source.locator('.inlay').first().innerText(), 'cse_v1 ×2');
      await it.reading(async () => {
        await it.source.click();
        await it.page.keyboard.press('Control+End');
        await it.page.keyboard.type('# more');
      });
      assert.equal(await it.source.locator('.inlay').first().innerText(), 'cse_v1 ×2');
      await it.shot('light.png');
    },
  },

  hover: {
    async run(it) {
      await it.start();
      await it.text(KERNEL);
      await it.source.getByText('A', { exact: true }).last().hover();
      await it.page.locator('.cm-tooltip .hover').waitFor();
      assert.match(await it.page.locator('.cm-tooltip .hover').innerText(), /A/);
    },
  },

  action: {
    async run(it) {
      await it.start();
      await it.text(KERNEL);
      await it.panel.getByText('is computed 2 times').click();
      await it.reading(() => it.panel.getByRole('button', { name: /Extract all common subexpressions/ }).first().click());
      assert.match(await text(it), /cse_v1: T\.let\[T\.int32\] = i \* 4 \+ j\n\s*B\[cse_v1\] = A\[cse_v1\]/);
      assert.equal(await it.source.locator('.inlay').count(), 0);
      await it.reading(async () => {
        await it.source.click();
        await it.page.keyboard.press('Control+z');
      });
      assert.match(await text(it), /B\[i \* 4 \+ j/);
    },
  },

  keyboard: {
    async run(it) {
      await it.start();
      await it.text(KERNEL);
      await it.source.getByText('A', { exact: true }).last().click();
      await it.page.keyboard.press('ArrowRight');
      await it.page.keyboard.press('ArrowRight');
      await it.page.keyboard.press('Control+.');
      await it.page.locator('[role=menuitem]:focus').waitFor();
      await it.reading(() => it.page.keyboard.press('Enter'));
      assert.match(await text(it), /cse_v1/);
      await it.page.focus('#tab-findings');
      await it.page.keyboard.press('ArrowRight');
      assert.equal(await it.page.getAttribute('#tab-explain', 'aria-selected'), 'true');
    },
  },

  device_code: {
    async run(it) {
      await it.start();
      await it.tab('device');
      for (const [target, sign] of Object.entries(TARGETS)) {
        await it.panel.locator('select').selectOption(target);
        await it.page.waitForFunction(sign => document.querySelector('#panel .cm-content')?.textContent.includes(sign), sign);
      }
      await it.panel.locator('select').selectOption('cuda');
      await it.panel.getByText('if', { exact: true }).first().click();
      await it.source.locator('.linked').first().waitFor();
      await it.source.getByText('target', { exact: true }).nth(1).click();
      await it.panel.locator('.linked').first().waitFor();
      await it.page.mouse.move(900, 700);
      await it.shot('device.png');
    },
  },

  passes: {
    async run(it) {
      await it.start();
      await it.tab('passes');
      await it.panel.locator('.cm-deletedChunk').first().waitFor();
      assert.match(await it.panel.innerText(), /cse_v1/);
      await it.panel.locator('select').nth(1).selectOption('tvm');
      await it.page.waitForFunction(() => document.querySelector('#panel .cm-content')?.textContent.includes('cse_v'));
      await it.shot('passes.png');
    },
  },

  explain_and_facts: {
    async run(it) {
      await it.start();
      await it.text(KERNEL);
      await it.tab('explain');
      await it.source.getByText('j', { exact: true }).nth(1).click();
      await it.panel.getByText('computed at 2 places').waitFor();
      await it.panel.locator('.groups .inlay').first().waitFor();
      await it.tab('facts');
      await it.panel.locator('.facts li').first().waitFor();
      assert.match(await it.panel.innerText(), /live/);
    },
  },

  languages: {
    async run(it) {
      await it.start();
      const samples = await it.page.locator('#sample option').allInnerTexts();
      for (const [n, sample] of samples.entries()) {
        if (sample === 'your own' || n === 1) {
          continue;
        }
        await it.reading(() => it.page.selectOption('#sample', String(n - 1)));
        const state = await it.page.innerText('#state');
        const language = ['MLIR', 'PIR'].find(it => sample.includes(it)) ?? (sample.includes('Triton') ? 'MLIR' : 'TVMScript');
        assert.ok(state.startsWith(language === 'PIR' ? 'PIR' : language), `${sample}: ${state}`);
        assert.ok(!/ 0 functions/.test(state), `${sample}: ${state}`);
      }
    },
  },

  link: {
    async run(it) {
      await it.start();
      const own = `# é𝔁 is wide\n${KERNEL}`;
      await it.text(own);
      await it.tab('device');
      await it.page.click('#share');
      await it.page.locator('#note').waitFor();
      const address = new URL(it.page.url());
      assert.match(address.hash, /^#k=[\w-]+$/);
      const other = await it.context.newPage();
      await other.goto(it.base + address.hash);
      await other.waitForFunction(() => document.documentElement.dataset.read);
      assert.match(await other.innerText('#source .cm-content'), /é𝔁 is wide/);
      assert.equal(await other.getAttribute('#tab-device', 'aria-selected'), 'true');
      await other.close();
      await it.page.goto('about:blank');
      await it.page.goto(`${it.base}#k=broken`);
      await it.page.getByText('The link cannot be read').waitFor();
    },
  },

  offline: {
    async run(it) {
      await it.start();
      await it.page.evaluate(async () => { await navigator.serviceWorker.ready; });
      await it.page.waitForFunction(() => navigator.serviceWorker.controller);
      await it.context.setOffline(true);
      await it.page.reload();
      await it.read(0);
      await it.source.locator('.inlay').first().waitFor();
    },
  },

  nothing_leaves: {
    // The browser says what it refused.
    allows: ['Content Security Policy'],
    async run(it) {
      await it.start();
      const left = await it.page.evaluate(() => fetch('https://example.com/').then(() => true, () => false));
      assert.equal(left, false);
      await it.page.fill('#source .cm-content', `${KERNEL}\n# <img src=x onerror="document.title = 'taken'">`);
      await it.page.waitForTimeout(500);
      assert.equal(await it.page.title(), 'tir-analyzer');
    },
  },

  hostile_names: {
    async run(it) {
      await it.start();
      await it.text('func.func @"<img src=x onerror=alert(1)>"(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  %c = arith.addi %a, %a : i32\n  %d = arith.muli %b, %c : i32\n  return %d : i32\n}\n', 'a.mlir');
      for (const id of ['explain', 'passes', 'device', 'findings']) {
        await it.tab(id);
        await it.page.waitForTimeout(300);
        assert.equal(await it.page.locator('#panel img').count(), 0);
      }
    },
  },

  deep_input: {
    async run(it) {
      await it.start();
      for (const n of [200, 10_000]) {
        await it.page.setInputFiles('#file', { name: 'deep.py', mimeType: 'text/plain', buffer: Buffer.from(deep(n)) });
        await it.page.waitForTimeout(2000);
      }
      // Whatever became of it, the page goes on with the next text.
      await it.text(KERNEL);
      assert.equal(await it.source.locator('.inlay').first().innerText(), 'cse_v1 ×2');
      console.error(`deep input: ${await it.page.innerText('#note')}`);
    },
  },

  large_file: {
    async run(it) {
      await it.start();
      const large = many(5500);
      assert.ok(large.length > 900_000, `${large.length}`);
      const start = performance.now();
      await it.page.setInputFiles('#file', { name: 'large.py', mimeType: 'text/plain', buffer: Buffer.from(large) });
      await it.source.getByText('copy_0').first().waitFor();
      // The page answers keys while the worker reads.
      await it.source.click();
      await it.page.keyboard.type('# typed while it reads\n');
      assert.match(await text(it), /typed while it reads/);
      console.error(`typed after ${Math.round(performance.now() - start)} ms`);
      await it.source.locator('.inlay').first().waitFor();
      console.error(`hints of ${large.length} bytes after ${Math.round(performance.now() - start)} ms`);
    },
  },

  dark: {
    options: { colorScheme: 'dark' },
    async run(it) {
      await it.start();
      assert.equal(await back(it), 'rgb(20, 22, 27)');
      await it.tab('explain');
      await it.shot('dark.png');
      await it.page.click('#theme');
      assert.equal(await back(it), 'rgb(255, 255, 255)');
      await it.page.reload();
      assert.equal(await back(it), 'rgb(255, 255, 255)');
    },
  },

  narrow: {
    options: { viewport: { width: 360, height: 740 } },
    async run(it) {
      await it.start();
      for (const id of ['explain', 'facts', 'passes', 'device', 'findings']) {
        await it.tab(id);
        assert.equal(await overflows(it), false, id);
      }
      assert.ok((await it.page.locator('#panel').boundingBox()).height > 150);
      await it.shot('narrow.png');
    },
  },
};
