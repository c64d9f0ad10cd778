// Source bytes a second of CSV files in Chromium, by every way into training, in rounds of changing order: sent by the
// bare echo host through native messaging (the most that a browser takes from any host), imported by the native host
// until a run could begin, imported from a picked File, and imported here from bytes that the host sends, as it is with
// small files and with formats that only the browser reads. Build the parts `native`, `core` and `extension` first.
// Nothing is asserted.
//   node tests/bench/host_import.mjs [--rounds 5] [--megabytes 100]
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD } from '../e2e/lib/world.mjs';
import { writeCsv } from './csv_file.mjs';
import { interleave, load, median, say } from './figures.mjs';
import { inChromium } from './in_chromium.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '100' },
  },
});
const BYTES = Number(options.megabytes) * 1e6;
/** Below 64 MB, from which on the host imports by itself. */
const SENT_BYTES = Math.min(BYTES, 50e6);
const ECHO = 'io.shadegrad.echo';

/** Registers the echo host beside ours, for the same extension. */
function installEcho(world) {
  const manifest = JSON.parse(readFileSync(world.manifestPath(), 'utf8'));
  const path = join(BUILD, 'native/native_host/echo-host');
  const file = join(dirname(world.manifestPath()), `${ECHO}.json`);
  writeFileSync(file, JSON.stringify({ ...manifest, name: ECHO, path }));
}

/** Runs in a page: all bytes of a stream, decoded; resolves to megabytes a second. */
const receive = (name, size) =>
  new Promise((resolve, reject) => {
    const port = globalThis.chrome.runtime.connectNative(name);
    let bytes = 0;
    let frames = 0;
    let start = 0;
    port.onDisconnect.addListener(() =>
      reject(new Error(globalThis.chrome.runtime.lastError?.message ?? 'the host ended')),
    );
    port.onMessage.addListener((message) => {
      if (message.id === 1) {
        start = performance.now();
        port.postMessage({ id: 2, type: 'dataset.read', path: `echo/${size}`, credits: 32 });
      } else if (message.type === 'dataset.data') {
        bytes += Uint8Array.fromBase64(message.bytes).length;
        frames += 1;
        if (frames % 16 === 0) port.postMessage({ type: 'flow.credit', id: 2, frames: 16 });
      } else if (message.type === 'dataset.end') {
        port.disconnect();
        resolve(bytes / 1e6 / ((performance.now() - start) / 1000));
      }
    });
    port.postMessage({
      id: 1,
      type: 'hello',
      protocol: { min: 1, max: 1 },
      extension: '0.1.0',
    });
  });

/** Runs in a page: from now until the end of a reading is told. */
const listen = () => {
  const channel = new BroadcastChannel('shadegrad');
  const began = performance.now();
  globalThis.opened = new Promise((resolve) => {
    channel.onmessage = ({ data: { state } }) => {
      if (state?.phase !== 'ready') return;
      channel.close();
      resolve((performance.now() - began) / 1000);
    };
  });
};

/** Opens a file and lets go of it again; megabytes of it a second. */
async function opening({ observer, page }, path, open) {
  const now = new Date();
  utimesSync(path, now, now); // an import of before is not used again
  await page.evaluate(listen);
  open();
  await observer.until(({ phase }) => phase === 'ready', `the import of ${path}`, 600);
  const seconds = await page.evaluate(() => globalThis.opened);
  const { imports } = await observer.state();
  await observer.call({ type: 'dataset.close' });
  for (const { id } of imports) await observer.call({ type: 'import.remove', id });
  return statSync(path).size / 1e6 / seconds;
}

async function measure(world, session) {
  mkdirSync(world.granted, { recursive: true });
  const large = join(world.granted, 'large.csv');
  const small = join(world.granted, 'small.csv');
  const picked = join(world.home, 'picked.csv');
  writeCsv(large, BYTES);
  writeCsv(picked, BYTES);
  writeCsv(small, SENT_BYTES);
  const page = await session.openDashboard();
  const observer = await session.observe();
  await observer.until(({ phase }) => phase === 'empty', 'the worker');
  await observer.call({ type: 'host.connect' });
  await observer.until(({ host }) => host.state === 'connected', 'the native host');
  const tools = { observer, page };
  const onHost = (path) =>
    opening(tools, path, () => {
      const source = { kind: 'host', path: `${world.rootName}/${path.split('/').at(-1)}` };
      void observer.call({ type: 'dataset.open', source });
    });
  const input = await page.$('[data-testid="file-input"]');
  say(`${(BYTES / 1e6).toFixed(0)} MB of CSV, load ${load().toFixed(1)}`);
  const rates = await interleave(Number(options.rounds), {
    'bare echo host': () => page.evaluate(receive, ECHO, SENT_BYTES),
    'import by the host': () => onHost(large),
    'import from a File': () => opening(tools, picked, () => void input.uploadFile(picked)),
    'import of sent bytes': () => onHost(small),
  });
  const echo = median(rates['bare echo host']);
  for (const [name, list] of Object.entries(rates)) {
    const all = list.map((rate) => rate.toFixed(1)).join(' ');
    const share = (median(list) / echo).toFixed(2);
    say(`${name.padEnd(21)} ${median(list).toFixed(1)} MB/s  (${all}), ${share} of the echo host`);
  }
  say(`load ${load().toFixed(1)}`);
}

await inChromium(measure, (world) => {
  world.installHost();
  installEcho(world);
});
