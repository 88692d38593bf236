// Draws the icon: `node scripts/icon.mjs` writes images/icon.svg, and images/icon.png with the Chromium of the tests.
//
// Two equal nodes of a tree become one: what the tool finds. VSC_EDITOR names the folder with playwright-core.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const SIZE = 128;
const images = path.join(import.meta.dirname, '../images');
const ground = '#17202e', line = '#7f93b0', leaf = '#9db2cf', shared = '#ffb454';

const edge = (x1, y1, x2, y2, color = line) => `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${color}" stroke-width="6" stroke-linecap="round"/>`;
const node = (x, y, r, color) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${color}"/>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">
  <rect width="${SIZE}" height="${SIZE}" rx="26" fill="${ground}"/>
  ${edge(64, 28, 34, 62)}
  ${edge(64, 28, 94, 62)}
  ${edge(34, 62, 64, 98, shared)}
  ${edge(94, 62, 64, 98, shared)}
  ${node(64, 28, 12, leaf)}
  ${node(34, 62, 12, leaf)}
  ${node(94, 62, 12, leaf)}
  ${node(64, 98, 15, shared)}
</svg>
`;

fs.mkdirSync(images, { recursive: true });
fs.writeFileSync(path.join(images, 'icon.svg'), svg);
const { chromium } = createRequire(path.join(process.env.VSC_EDITOR, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: process.env.VSC_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE }, deviceScaleFactor: 2 });
await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
await page.screenshot({ path: path.join(images, 'icon.png'), omitBackground: true });
await browser.close();
