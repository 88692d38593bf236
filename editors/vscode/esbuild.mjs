// Bundles the extension. The language client is a bundle of its own: a window without kernels never loads it.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.ts', 'src/session.ts'],
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', './session.js'],
  minify: process.argv.includes('--production'),
  sourcemap: process.argv.includes('--production') ? false : 'linked',
  logLevel: 'warning',
});
