// Builds the page. `ROOT` is the folder of the repository, whose samples are put in, `WASM` the analyzer, `OUT` the
// folder of the page, which is made anew.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const { ROOT, WASM, OUT } = process.env;
const samples = JSON.parse(fs.readFileSync('examples.json', 'utf8')).map(({ title, file }) => ({
  title,
  name: path.basename(file),
  text: fs.readFileSync(path.join(ROOT, file), 'utf8'),
}));

if (fs.existsSync(OUT) && fs.readdirSync(OUT).length > 0 && !fs.existsSync(path.join(OUT, 'version.txt'))) {
  throw new Error(`${OUT} is not an earlier page: it is left alone`);
}
fs.rmSync(OUT, { recursive: true, force: true });
await build({
  entryPoints: ['src/early.ts', 'src/main.ts', 'src/worker.ts', 'src/offline.ts'],
  outdir: OUT,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  define: { EXAMPLES: JSON.stringify(samples) },
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
fs.cpSync('static', OUT, { recursive: true });
fs.writeFileSync(path.join(OUT, 'analyzer.wasm.gz'), gzipSync(fs.readFileSync(WASM), { level: 9 }));

// The page keeps its files for use without a network; other contents are another version.
const hash = createHash('sha256');
for (const name of fs.readdirSync(OUT).sort()) {
  hash.update(fs.readFileSync(path.join(OUT, name)));
}
fs.writeFileSync(path.join(OUT, 'version.txt'), `${hash.digest('hex').slice(0, 16)}\n`);
