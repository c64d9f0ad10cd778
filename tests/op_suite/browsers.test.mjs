// The op cases in real browsers: every op's values against the reference and its gradients against the reference's
// slopes, on WebAssembly and on WebGL2, in Chromium and Firefox. OP_CASES is how many cases an op runs: a number, or
// "all"; without it a share that keeps the whole within minutes.
import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { puppeteer } from '../e2e/lib/puppeteer.mjs';
import { BUILD } from '../e2e/lib/world.mjs';
import { startXvfb } from '../e2e/lib/xvfb.mjs';

const SHARE = { cpu: 8, webgl: 3 };
const LIMIT = process.env.OP_CASES === 'all' ? 3_000_000 : 240_000;
const TYPES = { '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/** The module, its wasm and the worker side by side, on a port of this machine alone. */
async function serve() {
  const folders = [join(BUILD, 'wasm/tests'), new URL('.', import.meta.url).pathname];
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url, 'http://localhost').pathname);
    const path = folders
      .map((folder) => join(folder, name))
      .find((one) => name !== '' && existsSync(one));
    if (path === undefined) {
      response.writeHead(name === '' ? 200 : 404, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>ops</title>');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[/\.\w+$/.exec(name)[0]] ?? 'text/plain' });
    createReadStream(path).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

function launch(name, env) {
  if (name === 'chromium') {
    return puppeteer.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      headless: true,
      pipe: true,
      protocolTimeout: LIMIT,
      args: [
        '--no-sandbox',
        '--no-first-run',
        '--use-angle=swiftshader',
        '--enable-unsafe-swiftshader',
      ],
    });
  }
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    protocolTimeout: LIMIT,
    env,
  });
}

/** In the page: the worker's reports, once it is done. */
function runWorker(device, most) {
  return new Promise((done, fail) => {
    const worker = new Worker('/worker.mjs', { type: 'module' });
    const reports = [];
    worker.onerror = (event) => fail(new Error(`the worker failed: ${event.message}`));
    worker.onmessage = ({ data }) => {
      if (data.error !== undefined) fail(new Error(data.error));
      else if (data.done) done(reports);
      else reports.push(data);
    };
    worker.postMessage({ device, most });
  });
}

const casesOf = (device) => {
  const given = process.env.OP_CASES ?? String(SHARE[device]);
  return given === 'all' ? 1e9 : Number(given);
};

for (const name of ['chromium', 'firefox']) {
  test(`the ops in ${name}`, { timeout: 2 * LIMIT }, async (t) => {
    const server = await serve();
    const display =
      name === 'firefox' && process.env.DISPLAY === undefined ? await startXvfb() : null;
    const browser = await launch(
      name,
      display ? { ...process.env, DISPLAY: display.name } : process.env,
    );
    try {
      for (const device of ['cpu', 'webgl']) {
        const page = await browser.newPage();
        await page.goto(`http://127.0.0.1:${server.address().port}/`);
        const reports = await page.evaluate(runWorker, device, casesOf(device));
        await page.close();
        assert.ok(reports.length > 0, 'the module has cases');
        for (const { op, count, of, wrong } of reports) {
          await t.test(`${op} on ${device} in ${name}: ${count} of ${of} cases`, () =>
            assert.deepEqual(wrong, []),
          );
        }
      }
    } finally {
      await browser.close();
      display?.stop();
      server.close();
    }
  });
}
