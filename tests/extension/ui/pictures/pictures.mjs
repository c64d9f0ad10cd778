// Opens popup and dashboard in Chromium under the extension's own policy, with a stand-in for the training worker,
// and takes a picture of every phase in both colour schemes: `node pictures.mjs OUT_FOLDER`. Fails when a page
// breaks the policy or throws.
import { createServer } from 'node:http';
import { mkdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const extension = fileURLToPath(new URL('../../../../extension/', import.meta.url));
const require = createRequire(join(extension, 'package.json'));
const { build } = require('esbuild');
const puppeteer = (await import(require.resolve('puppeteer-core'))).default;
const { POLICY } = await import(join(extension, 'manifest.mjs'));

const out = process.argv[2] ?? 'pictures';
mkdirSync(out, { recursive: true });

const bundled = await build({
  entryPoints: {
    popup: join(extension, 'src/popup/popup.ts'),
    dashboard: join(extension, 'src/dashboard/dashboard.ts'),
    fake: join(here, 'fake_worker.ts'),
  },
  nodePaths: [join(extension, 'node_modules')],
  bundle: true,
  format: 'esm',
  write: false,
  outdir: '/',
});
const scripts = new Map(
  bundled.outputFiles.map(({ path, contents }) => [path.split('/').pop(), contents]),
);
const types = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  png: 'image/png',
};

function read(name) {
  if (name === 'fake.html') return '<!doctype html><script type="module" src="fake.js"></script>';
  if (name === 'uplot.css')
    return readFileSync(join(extension, 'node_modules/uplot/dist/uPlot.min.css'));
  const file = join(extension, 'public', name);
  return scripts.get(name) ?? (existsSync(file) ? readFileSync(file) : null);
}

const server = createServer((request, response) => {
  const name = new URL(request.url, 'http://x').pathname.slice(1);
  const content = read(name);
  const type = types[name.split('.').pop()] ?? 'text/plain';
  response.writeHead(content === null ? 404 : 200, {
    'content-type': type,
    'content-security-policy': POLICY,
  });
  response.end(content ?? '');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  pipe: true,
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
const problems = [];

async function open(page, name) {
  page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404'))
      problems.push(`${name}: ${message.text()}`);
  });
  await page.evaluateOnNewDocument(() => {
    globalThis.chrome = {
      runtime: { sendMessage: async () => ({ ok: true }) },
      tabs: {},
    };
  });
  await page.goto(`${origin}/${name}`);
}

const worker = await browser.newPage();
await worker.goto(`${origin}/fake.html`);
const show = async (phase, change) => {
  await worker.evaluate((...args) => globalThis.show(...args), phase, change ?? {});
  await pause(350);
};

const missing = {
  state: 'missing',
  version: null,
  message:
    'Install the Shadegrad host to read files from a folder of yours and to keep checkpoints on disk.',
  frames: 0,
  bytes: 0,
  roots: [],
  dialog: null,
};
const failure = {
  code: 'csv.empty',
  message:
    'empty.csv holds no rows: line 1 is its only line. Choose a file with a header and at least two rows.',
};
const lastRun = {
  source: { kind: 'host', name: 'seattle-weather.csv', size: 48219, path: 'x' },
  checkpoint: { store: 'host', id: 'a.safetensors' },
  step: 180,
  epoch: 5,
  epochs: 20,
  loss: 0.1431,
  device: 'webgl',
  time: 1778751660000,
};
const notice = {
  level: 'error',
  code: 'checkpoint.disk-full',
  message:
    'seattle-weather-180.safetensors was not saved: the disk of /home/ada/Shadegrad is full (4 kB left of 61 kB needed). Training goes on; free some space and press Save now.',
  time: 1,
};
const worse = { naive: 0.09, seasonalNaive: 0.161, season: 365 };

const card = {
  device: 'webgl',
  webgl: { renderer: 'ANGLE (NVIDIA GeForce RTX 3060)', software: false },
  choice: {
    ...{ device: 'webgl', how: 'raced', detail: 'ANGLE (NVIDIA GeForce RTX 3060)' },
    cpu: { ms: 13.02, steps: 40, preparingMs: 1.2 },
    webgl: { ms: 3.1, steps: 64, preparingMs: 212 },
  },
};
const noCard = { webgl: null, webglReason: 'this browser has WebGL 2 switched off' };

const scenes = [
  ['empty', 'empty', {}],
  ['empty-nohost', 'empty', { host: missing, lastRun }],
  ['failed-read', 'failed', { failure, description: null, config: null, progress: null }],
  ['reading', 'reading', {}],
  ['ready', 'ready', {}],
  ['ready-nocard', 'ready', noCard],
  ['preparing', 'preparing', {}],
  ['racing', 'preparing', { preparing: { what: 'race', done: 0.4, total: 1 } }],
  ['programs', 'training', { preparing: { what: 'programs', done: 7, total: 24 }, ...card }],
  ['training', 'training', {}],
  ['training-card', 'training', card],
  ['paused-notice', 'paused', { notices: [notice] }],
  ['finished', 'finished', {}],
  ['finished-worse', 'finished', { baselines: worse }],
];
const only = process.argv[3];

for (const scheme of ['light', 'dark']) {
  for (const [name, width, height] of [
    ['popup', 400, 600],
    ['dashboard', 1280, 900],
  ]) {
    for (const [label, phase, change] of scenes) {
      if (only !== undefined && !`${name}-${label}-${scheme}`.includes(only)) continue;
      await show('empty');
      const page = await browser.newPage();
      await page.setViewport({
        width,
        height,
        deviceScaleFactor: name === 'popup' ? 2 : 1,
      });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await show(phase, change);
      await open(page, `${name}.html`);
      await page.bringToFront();
      await pause(700);
      if (label === 'empty' && name === 'popup') {
        await page.click('#host-open');
        await pause(200);
        await page.click('[data-testid=host-entry]');
        await pause(200);
      }
      await page.screenshot({
        path: join(out, `${name}-${label}-${scheme}.png`),
        fullPage: name === 'dashboard',
      });
      if (label === 'ready' && name === 'popup') {
        await page.click('#advanced');
        await page.$eval('main', (main) => {
          main.scrollTop = main.scrollHeight;
        });
        await page.screenshot({
          path: join(out, `${name}-${label}-advanced-${scheme}.png`),
        });
      }
      await page.close();
    }
  }
}
await browser.close();
server.close();
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
