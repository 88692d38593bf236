// Runs a suite inside the extension host and writes a line a case, as `cargo test` does.
const fs = require('node:fs');
const path = require('node:path');

const LIMIT_MS = 60_000;

function within(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), LIMIT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

exports.activate = () => {
  const { VSC_SUITE, VSC_RESULTS, VSC_ONLY } = process.env;
  const log = path.join(VSC_RESULTS, 'log');
  const run = async () => {
    const cases = require(VSC_SUITE);
    for (const [name, body] of Object.entries(cases)) {
      if (VSC_ONLY && !name.includes(VSC_ONLY)) {
        continue;
      }
      const start = Date.now();
      const result = await within(body()).then(() => 'ok', error => `FAILED\n${error.stack ?? error}`);
      fs.appendFileSync(log, `test vscode::${path.basename(VSC_SUITE, '.js')}::${name.replaceAll(' ', '_')} ... ${result}\n`);
      fs.appendFileSync(path.join(VSC_RESULTS, 'times'), `${Date.now() - start} ms ${name}\n`);
    }
  };
  // Not waited for: the extension host is not up before this returns.
  void run().catch(error => fs.appendFileSync(log, `test vscode::suite ... FAILED\n${error.stack}\n`))
    .finally(() => fs.writeFileSync(path.join(VSC_RESULTS, 'done'), ''));
};
