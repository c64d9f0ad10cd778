// Megabytes a second from a host program into the training worker, through the extension's own relay in Chromium: the
// native host reading a file beside the bare echo host, interleaved in one browser. The script speaks on the worker's own
// port to the relay, with ids of its own, so that nothing is parsed. Build the part `native` first. Nothing is asserted.
//   node tests/bench/relay_throughput.mjs [--rounds 5] [--megabytes 32]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD, HOST_PROGRAM } from '../e2e/lib/world.mjs';
import { interleave, median, say } from './figures.mjs';
import { inChromium } from './in_chromium.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '32' },
  },
});
const BYTES = Number(options.megabytes) * 2 ** 20;
const ECHO_PROGRAM = join(BUILD, 'native/native_host/echo-host');

/** Runs in the worker: keeps the port to the relay that is handed to it, once the worker itself has taken it. */
const keepPort = () => {
  globalThis.portKept = new Promise((resolve) => {
    globalThis.addEventListener('message', ({ data, ports }) => {
      if (data?.type !== 'relay.port') return;
      globalThis.relayPort = ports[0];
      setTimeout(resolve, 100);
    });
  });
};

/** Runs in the worker: one stream from its request to its end; resolves to megabytes a second. */
const receive = (path) =>
  new Promise((resolve, reject) => {
    const port = globalThis.relayPort;
    globalThis.nextId = (globalThis.nextId ?? 1_000_000) + 2;
    const [hello, read] = [globalThis.nextId, globalThis.nextId + 1];
    const send = (message) => port.postMessage({ type: 'relay.send', message });
    let bytes = 0;
    let frames = 0;
    let start = 0;
    const listen = ({ data: { type, message, end } }) => {
      if (type === 'relay.closed') reject(new Error(`the host ended: ${end} ${message}`));
      if (type !== 'relay.message' || ![hello, read].includes(message.id)) return;
      if (message.ok === false) reject(new Error(`${message.code}: ${message.message}`));
      if (message.id === hello) {
        start = performance.now();
        send({ id: read, type: 'dataset.read', path, credits: 32 });
      } else if (message.type === 'dataset.data') {
        bytes += message.bytes.byteLength;
        frames += 1;
        if (frames % 16 === 0) send({ type: 'flow.credit', id: read, frames: 16 });
      } else if (message.type === 'dataset.end') {
        port.removeEventListener('message', listen);
        resolve(bytes / 2 ** 20 / ((performance.now() - start) / 1000));
      }
    };
    port.addEventListener('message', listen);
    port.postMessage({ type: 'relay.open' });
    send({ id: hello, type: 'hello', protocol: { min: 1, max: 1 }, extension: '0.1.0' });
  });

/** The document may be known before its worker is. */
async function workerOf(page) {
  const [worker] = page.workers();
  return worker ?? new Promise((resolve) => page.once('workercreated', resolve));
}

async function measure(world, session) {
  world.write('data.bin', Buffer.alloc(BYTES, 'shadegrad'));
  const observer = await session.observe();
  const { page } = observer;
  const ask = (type) =>
    page.evaluate((one) => globalThis.chrome.runtime.sendMessage(one), { type });
  await ask('training.open');
  const offscreen = await session.browser.waitForTarget((one) => one.url().includes('offscreen'));
  const worker = await workerOf(await offscreen.asPage());
  // The worker has greeted its host: from now on it only looks whether the relay is alive.
  await observer.call({ type: 'host.connect' });
  await observer.until((state) => state.host.state === 'connected', 'the native host');
  await worker.evaluate(keepPort);
  await ask('relay.link');
  await worker.evaluate(() => globalThis.portKept);
  const manifest = JSON.parse(readFileSync(world.manifestPath(), 'utf8'));
  const from = (program, path) => () => {
    writeFileSync(world.manifestPath(), JSON.stringify({ ...manifest, path: program }));
    return worker.evaluate(receive, path);
  };
  const results = await interleave(Number(options.rounds), {
    'native host': from(HOST_PROGRAM, `${world.rootName}/data.bin`),
    'echo host': from(ECHO_PROGRAM, `echo/${BYTES}`),
  });
  for (const [name, rates] of Object.entries(results)) {
    const all = rates.map((rate) => rate.toFixed(1)).join(' ');
    say(`${name.padEnd(12)} ${median(rates).toFixed(1)} MB/s  (${all})`);
  }
  const ratio = median(results['native host']) / median(results['echo host']);
  say(`ratio ${ratio.toFixed(2)}`);
}

await inChromium(measure, (world) => {
  world.installHost();
});
