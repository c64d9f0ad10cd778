// How fast matrices are multiplied, on one thread: our sgemm as WebAssembly in Chromium, plain and with relaxed SIMD, the
// same C++ natively (SSE 4.2, and 128-bit fused multiply-add), and OpenBLAS as it takes this processor for a Haswell
// (AVX2) and a SkylakeX (AVX-512). Rounds in turn; a figure is the best of all, as neighbours only ever slow one down.
//   node tests/bench/gemm.mjs [--rows square] [--rounds 3]
// Prints GFLOP/s for each product whose title holds the word, then what the rows' ratios are in the middle.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainBrowser } from '../e2e/lib/plain_page.mjs';
import { BUILD, ROOT } from '../e2e/lib/world.mjs';
import { build } from './cells.mjs';
import { columns, figure, interleave, load, median, say } from './figures.mjs';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
  },
});

const BLAS_PACKAGE = 'libopenblas0-pthread';
const BLAS = '/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0';
/** Repetitions within a round, of which the fastest counts. */
const REPEATS = '20';

/** What is missing is named, and the columns that need it stay empty. */
function hasBlas() {
  if (existsSync(BLAS)) return true;
  try {
    execFileSync(join(ROOT, 'packaging/setup.sh'), [BLAS_PACKAGE], { stdio: 'inherit' });
  } catch (error) {
    say(`(${error.message})`);
  }
  if (existsSync(BLAS)) return true;
  say(`MISSING: ${BLAS}, of Debian's ${BLAS_PACKAGE}: nothing is compared with OpenBLAS`);
  return false;
}

const run = (program, args, more) => execFileSync(program, args, { encoding: 'utf8', ...more });

/** {title: GFLOP/s} of our sgemm in a native build. */
function native(preset) {
  const text = run(join(BUILD, preset, 'wasm/gemm_bench'), [options.rows]);
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.match(/^(.*?)\s+([\d.]+)$/));
  return Object.fromEntries(rows.map(([, title, rate]) => [title, Number(rate)]));
}

function blas(core, titles) {
  const input = titles.map((title) => {
    const [, m, n, k, arrangement] = title.match(/(\d+) x (\d+) x (\d+) ([NT]{2})$/);
    return `${m} ${n} ${k} ${arrangement}\n`;
  });
  const env = { ...process.env, OPENBLAS_CORETYPE: core, OPENBLAS_NUM_THREADS: '1' };
  const program = join(BUILD, 'native-fma/wasm/openblas_bench');
  const text = run(program, [BLAS, REPEATS], { input: input.join(''), env });
  const rates = text.trimEnd().split('\n').map(Number);
  return Object.fromEntries(titles.map((title, i) => [title, rates[i]]));
}

async function inBrowser(browser, module) {
  const message = { module, word: options.rows, rounds: Number(REPEATS) };
  const reports = await browser.run('gemm_worker.mjs', message);
  const rows = reports.filter((report) => report.title !== undefined);
  return Object.fromEntries(rows.map(({ title, gigaflops }) => [title, gigaflops]));
}

build('bench-native');
build('bench-gemm');
const withBlas = hasBlas();
const titles = Object.keys(native('native-fma'));
if (titles.length === 0) throw new Error(`no product's title holds '${options.rows}'`);
const folders = [join(BUILD, 'wasm/wasm'), new URL('.', import.meta.url).pathname];
const browser = await PlainBrowser.launch('chromium', folders, { timeout: 0 });
const RELAXED = 'wasm relaxed';
const FMA = 'native FMA 128';
let results;
try {
  results = await interleave(Number(options.rounds), {
    'wasm plain': () => inBrowser(browser, 'gemm_bench.mjs'),
    [RELAXED]: () => inBrowser(browser, 'gemm_bench_relaxed.mjs'),
    'native SSE': () => native('native'),
    [FMA]: () => native('native-fma'),
    ...(withBlas && {
      'OpenBLAS Haswell': () => blas('Haswell', titles),
      'OpenBLAS SkylakeX': () => blas('SkylakeX', titles),
    }),
  });
} finally {
  await browser.close();
}

const names = Object.keys(results);
const best = (name, title) => Math.max(...results[name].map((rates) => rates[title]));
say(`\nGFLOP/s, the best of ${options.rounds} rounds (load average ${figure(load())})\n`);
const rows = titles.map((title) => [title, ...names.map((name) => figure(best(name, title)))]);
columns([['m x n x k, A and B as stored or transposed', ...names], ...rows]).forEach((line) =>
  say(line),
);

say('\nratios, the median of all rows');
for (const ours of names.slice(0, 2)) {
  for (const other of names.slice(2)) {
    const ratios = titles.map((title) => best(ours, title) / best(other, title));
    say(`  ${ours} / ${other}: ${figure(median(ratios))}`);
  }
}
