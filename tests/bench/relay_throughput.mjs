// Megabytes a second from a host program into the training worker, through the extension's own relay in Chromium: the
// native host reading a file beside the bare echo host, interleaved in one browser. The script takes the worker's end of
// the relay's port, so that nothing is parsed. Build the part `native` first. Nothing is asserted.
//   node tests/bench/relay_throughput.mjs [--rounds 5] [--megabytes 32]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ChromiumSession } from '../e2e/lib/chromium.mjs';
import { BUILD, HOST_PROGRAM, World } from '../e2e/lib/world.mjs';
import { interleave, median, say } from './figures.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '32' },
  },
});
const BYTES = Number(options.megabytes) * 2 ** 20;
const ECHO_PROGRAM = join(BUILD, 'native/native_host/echo-host');

/** Runs in the worker: keeps each port to the relay that is handed to it. */
const keepPorts = () => {
  globalThis.addEventListener('message', ({ data, ports }) => {
    if (data?.type === 'relay.port') globalThis.relayPort = ports[0];
  });
};

/** Runs in the worker: one stream from its request to its end; resolves to megabytes a second. */
const receive = (path) =>
  new Promise((resolve, reject) => {
    const port = globalThis.relayPort;
    const send = (message) => port.postMessage({ type: 'relay.send', message });
    let bytes = 0;
    let frames = 0;
    let start = 0;
    port.onmessage = ({ data: { type, message, end } }) => {
      if (type === 'relay.closed') reject(new Error(`the host ended: ${end} ${message}`));
      if (type !== 'relay.message') return;
      if (message.ok === false) reject(new Error(`${message.code}: ${message.message}`));
      if (message.id === 1) {
        start = performance.now();
        send({ id: 2, type: 'dataset.read', path, credits: 32 });
      } else if (message.type === 'dataset.data') {
        bytes += message.bytes.byteLength;
        frames += 1;
        if (frames % 16 === 0) send({ type: 'flow.credit', id: 2, frames: 16 });
      } else if (message.type === 'dataset.end') {
        port.postMessage({ type: 'relay.close' });
        resolve(bytes / 2 ** 20 / ((performance.now() - start) / 1000));
      }
    };
    port.postMessage({ type: 'relay.open' });
    send({ id: 1, type: 'hello', protocol: { min: 1, max: 1 }, extension: '0.1.0' });
  });

async function measure(world, session) {
  world.write('data.bin', Buffer.alloc(BYTES, 'shadegrad'));
  const page = (await session.observe()).page;
  const ask = (type) =>
    page.evaluate((one) => globalThis.chrome.runtime.sendMessage(one), { type });
  await ask('training.open');
  const offscreen = await session.browser.waitForTarget((one) => one.url().includes('offscreen'));
  const [worker] = (await offscreen.asPage()).workers();
  await worker.evaluate(keepPorts);
  await ask('relay.link');
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

const world = new World();
world.installHost();
const session = await ChromiumSession.launch(world);
try {
  await measure(world, session);
} finally {
  await session.close();
  world.close();
}
