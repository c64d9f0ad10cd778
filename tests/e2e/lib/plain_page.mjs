// A plain page in a real browser, without the extension: for modules that are tests or measurements themselves. It is
// served from this machine, with the modules and workers of the given folders beside it.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';
import { puppeteer } from './puppeteer.mjs';
import { startXvfb } from './xvfb.mjs';

const TYPES = {
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};
/** With these the page is isolated and has shared memory, as the extension's own pages in Chromium. */
const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

async function serve(folders) {
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url, 'http://localhost').pathname);
    const paths = folders.map((folder) => join(folder, name));
    const path = name === '' ? undefined : paths.find((one) => existsSync(one));
    if (path === undefined) {
      response.writeHead(name === '' ? 200 : 404, { ...ISOLATION, 'content-type': 'text/html' });
      response.end('<!doctype html><title>plain</title>');
      return;
    }
    const type = TYPES[extname(name)] ?? 'text/plain';
    response.writeHead(200, { ...ISOLATION, 'content-type': type });
    createReadStream(path).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

function launch(name, env, protocolTimeout) {
  if (name === 'firefox') {
    const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
    return puppeteer.launch({
      browser: name,
      executablePath,
      headless: true,
      protocolTimeout,
      env,
    });
  }
  const flags = ['--no-sandbox', '--no-first-run', '--use-angle=swiftshader'];
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    pipe: true,
    protocolTimeout,
    args: [
      ...flags,
      '--enable-unsafe-swiftshader',
      ...(process.env.CHROMIUM_FLAGS?.split(' ') ?? []),
    ],
  });
}

/** In the page: starts the worker, and gives every message to `told` until one says { done: true }. */
function runWorker(file, message) {
  return new Promise((done, fail) => {
    const worker = new Worker(`/${file}`, { type: 'module' });
    const reports = [];
    worker.onerror = (event) => fail(new Error(`the worker failed: ${event.message}`));
    worker.onmessage = ({ data }) => {
      if (data.error !== undefined) return fail(new Error(data.error));
      globalThis.told?.(data);
      reports.push(data);
      return data.done ? done(reports) : undefined;
    };
    worker.postMessage(message);
  });
}

/** A browser with a plain page for each worker. Without a display Firefox has no WebGL, so an Xvfb is started then. */
export class PlainBrowser {
  static async launch(name, folders, { timeout = 240_000 } = {}) {
    const plain = new PlainBrowser();
    plain.server = await serve(folders);
    const needsDisplay = name === 'firefox' && process.env.DISPLAY === undefined;
    plain.display = needsDisplay ? await startXvfb() : null;
    const env = plain.display ? { ...process.env, DISPLAY: plain.display.name } : process.env;
    plain.browser = await launch(name, env, timeout);
    return plain;
  }

  /** The messages of a worker module, started with one message; `told` hears them as they come (Chromium only). */
  async run(file, message, told) {
    const page = await this.browser.newPage();
    if (told !== undefined) await page.exposeFunction('told', told);
    await page.goto(`http://127.0.0.1:${this.server.address().port}/`);
    const reports = await page.evaluate(runWorker, file, message);
    await page.close();
    return reports;
  }

  async close() {
    await this.browser.close();
    this.display?.stop();
    this.server.close();
  }
}
