// How fast a file becomes shards in Chromium's own storage, and how fast its rows come back, each beside a bare reading of
// the same bytes in the same run; how soon the first rows are there; and what the extension's processes take for it beyond
// their idle size. Build the parts `core` and `extension` first. Nothing is asserted.
//   node tests/bench/data.mjs [--size GB, 0.5] [--rounds 3]
import { closeSync, openSync, readFileSync, readdirSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../e2e/lib/world.mjs';
import { median, say } from './figures.mjs';
import { inChromium } from './in_chromium.mjs';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '0.5' },
    rounds: { type: 'string', default: '3' },
  },
});
const BYTES = Number(options.size) * 1e9;
const ROUNDS = Number(options.rounds);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const { buildSync } = createRequire(join(ROOT, 'extension/package.json'))('esbuild');

/** An hourly table of six numbers, as sensors give them. */
function writeTable(path) {
  const file = openSync(path, 'w');
  writeSync(file, 'time,a,b,c,d,e,f\n');
  let written = 0;
  for (let row = 0; written < BYTES;) {
    const lines = [];
    for (let i = 0; i < 20_000; i += 1, row += 1) {
      const time = new Date(row * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
      const values = [1, 2, 3, 4, 5, 6].map((k) => (50 * Math.sin(row / (k * 7)) + k).toFixed(4));
      lines.push(`${time},${values.join(',')}`);
    }
    written += writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
}

/** Bytes that the extension's processes have to themselves. */
function extensionMemory(browser) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  let sum = 0;
  for (const pid of pids) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!line.includes('--extension-process') || !line.includes('--type=renderer')) continue;
      if (!isBelow(Number(pid), browser)) continue;
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      for (const field of ['RssAnon', 'RssShmem'])
        sum += 1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum;
}

function isBelow(pid, ancestor) {
  for (let at = pid; at > 1;) {
    if (at === ancestor) return true;
    const stat = readFileSync(`/proc/${at}/stat`, 'utf8');
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  }
  return false;
}

/** Runs in the page: the File of its own chooser, slice by slice as the import reads it. */
const bareRead = async () => {
  const file = globalThis.benchFile.files[0];
  const start = performance.now();
  for (let at = 0; at < file.size; at += 2_097_152)
    await file.slice(at, at + 2_097_152).arrayBuffer();
  return file.size / 1e6 / ((performance.now() - start) / 1000);
};

/** Runs in the page: when the first rows and the end were told. */
const listen = () => {
  const channel = new BroadcastChannel('shadegrad');
  globalThis.times = { began: performance.now(), first: null, ready: null };
  channel.onmessage = ({ data }) => {
    const { state } = data;
    if (state === undefined) return;
    const now = performance.now() - globalThis.times.began;
    if ((state.reading?.rows ?? 0) > 0) globalThis.times.first ??= now;
    if (state.phase !== 'ready' || globalThis.times.ready !== null) return;
    globalThis.times.ready = now;
    channel.close();
  };
};

/** The extension's own reader of rows, for the worker to run. */
const READER = buildSync({
  stdin: {
    contents: `
      import { Datasets } from './src/storage/datasets.ts';
      import { ShardRows } from './src/storage/shard_rows.ts';
      globalThis.bench = { Datasets, ShardRows };`,
    resolveDir: join(ROOT, 'extension'),
    loader: 'ts',
  },
  bundle: true,
  write: false,
  format: 'iife',
  target: 'chrome120',
}).outputFiles[0].text;

/** Runs in the worker: all rows of six columns, in requests as the core makes them, into shared memory. */
const readRows = async () => {
  const { Datasets, ShardRows } = globalThis.bench;
  const root = () => navigator.storage.getDirectory();
  globalThis.benchSets ??= new Datasets(
    root,
    async () => ({}),
    () => Promise.reject(new Error()),
    () => undefined,
  );
  const [{ manifest, shards }] = await globalThis.benchSets.list();
  const rows = new ShardRows(manifest, shards);
  const columns = manifest.columns.filter(({ dtype }) => dtype === 'F32').map(({ index }) => index);
  const block = Math.floor(2_097_152 / columns.length);
  const memory = new Uint8Array(new SharedArrayBuffer(4 * block * columns.length));
  const { signal } = new AbortController();
  const start = performance.now();
  for (let first = 0; first < manifest.rows; first += block) {
    const request = { first, rows: Math.min(block, manifest.rows - first), columns };
    await rows.read(request, { pointer: 0, memory: () => memory }, { signal });
  }
  const seconds = (performance.now() - start) / 1000;
  return (4 * columns.length * manifest.rows) / 1e9 / seconds;
};

/** Runs in the worker: the bytes of all shards, and no more. */
const bareShards = async () => {
  const all = await (await navigator.storage.getDirectory()).getDirectoryHandle('datasets');
  const buffer = new Uint8Array(8_388_608);
  let bytes = 0;
  const start = performance.now();
  for await (const folder of all.values()) {
    for await (const file of folder.values()) {
      if (!file.name.endsWith('.safetensors')) continue;
      const access = await file.createSyncAccessHandle({ mode: 'read-only' });
      for (let at = 0, count = 1; count > 0; at += count) {
        count = access.read(buffer, { at });
        bytes += count;
      }
      access.close();
    }
  }
  return bytes / 1e9 / ((performance.now() - start) / 1000);
};

async function workerOf(browser) {
  const offscreen = await browser.waitForTarget((one) => one.url().includes('offscreen'));
  const page = await offscreen.asPage();
  const [worker] = page.workers();
  return worker ?? new Promise((resolve) => page.once('workercreated', resolve));
}

async function importOnce(session, observer, page, path) {
  const { pid } = session.browser.process();
  const idle = extensionMemory(pid);
  let peak = idle;
  const sampler = setInterval(() => (peak = Math.max(peak, extensionMemory(pid))), 100);
  await page.evaluate(listen);
  await (await page.$('[data-testid="file-input"]')).uploadFile(path);
  await observer.until(({ phase }) => phase === 'ready', 'the import', 3600);
  clearInterval(sampler);
  const { first, ready } = await page.evaluate(() => globalThis.times);
  return { first, rate: statSync(path).size / 1e6 / (ready / 1000), memory: peak - idle };
}

const list = (values, digits) => values.map((value) => value.toFixed(digits)).join(' ');

async function measure(world, session) {
  const path = join(world.home, 'table.csv');
  writeTable(path);
  const size = statSync(path).size;
  say(
    `a table of ${(size / 1e9).toFixed(2)} GB; load ${readFileSync('/proc/loadavg', 'utf8').slice(0, 14)}`,
  );
  const page = await session.openDashboard();
  const observer = await session.observe();
  await observer.until(({ phase }) => phase === 'empty', 'the worker');
  await pause(1000);
  await page.evaluate(() => {
    globalThis.benchFile = document.createElement('input');
    globalThis.benchFile.type = 'file';
    globalThis.benchFile.dataset.testid = 'bench-file';
    document.body.append(globalThis.benchFile);
  });
  await (await page.$('[data-testid="bench-file"]')).uploadFile(path);
  const worker = await workerOf(session.browser);
  await worker.evaluate(READER);
  const figures = {
    bare: [],
    imports: [],
    first: [],
    memory: [],
    checked: [],
    rows: [],
    shards: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    figures.bare.push(await page.evaluate(bareRead));
    const { first, rate, memory } = await importOnce(session, observer, page, path);
    figures.imports.push(rate);
    figures.first.push(first);
    figures.memory.push(memory / 1e6);
    await worker.evaluate(() => delete globalThis.benchSets);
    figures.checked.push(await worker.evaluate(readRows));
    figures.rows.push(await worker.evaluate(readRows));
    figures.shards.push(await worker.evaluate(bareShards));
    const { imports } = await observer.state();
    await observer.call({ type: 'dataset.close' });
    for (const { id } of imports) await observer.call({ type: 'import.remove', id });
  }
  const { bare, imports, first, memory, checked, rows, shards } = figures;
  const ratio = (a, b) => (median(a) / median(b)).toFixed(2);
  say(`bare reading of the file     ${median(bare).toFixed(0)} MB/s  (${list(bare, 0)})`);
  say(
    `import                       ${median(imports).toFixed(0)} MB/s  (${list(imports, 0)}), ${ratio(imports, bare)} of it`,
  );
  say(`first rows told after        ${median(first).toFixed(0)} ms  (${list(first, 0)})`);
  say(`memory above idle, at most   ${Math.max(...memory).toFixed(0)} MB  (${list(memory, 0)})`);
  say(`bare reading of the shards   ${median(shards).toFixed(2)} GB/s  (${list(shards, 2)})`);
  say(
    `rows of a first epoch        ${median(checked).toFixed(2)} GB/s  (${list(checked, 2)}), ${ratio(checked, shards)} of it`,
  );
  say(
    `rows of a later epoch        ${median(rows).toFixed(2)} GB/s  (${list(rows, 2)}), ${ratio(rows, shards)} of it`,
  );
}

await inChromium(measure);
