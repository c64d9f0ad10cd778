// What WebAssembly costs: the workloads' steps on the cpu device in Chromium, one thread, beside the same C++ built natively
// with 128-bit fused multiply-add (bench_native). Interleaved rounds, each in a process and a page of its own.
//   node tests/bench/native.mjs [--workloads W1,W2] [--rounds 3] [--budget MS] [--devices cpu-1t,cpu-plain]
// Prints, for each device, the median step, the smallest, how often the native time it takes, and GFLOP/s of the products.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD } from '../e2e/lib/world.mjs';
import { OwnCells, build } from './cells.mjs';
import { columns, figure, load, say } from './figures.mjs';
import { OURS, lossDifference, ratio, rowOf } from './table.mjs';
import { numbersOf } from './workload_numbers.mjs';
import { WORKLOADS, batch, flops, params } from './workloads.mjs';

const { values: options } = parseArgs({
  options: {
    workloads: { type: 'string', default: Object.keys(WORKLOADS).join(',') },
    devices: { type: 'string', default: 'cpu-1t' },
    ...{ rounds: { type: 'string', default: '3' }, budget: { type: 'string', default: '1500' } },
  },
});
const limits = { budgetMs: Number(options.budget), minSteps: 5, maxSteps: 400 };
const PROGRAM = join(BUILD, 'native-fma/wasm/bench_native');

/** The workload as bench_native reads it. */
function fileOf(w) {
  const ints = (...values) => Buffer.from(Int32Array.from(values).buffer);
  const floats = (values) => Buffer.from(Float32Array.from(values).buffer);
  const numbers = numbersOf(w);
  const { lr, beta1 = 0, beta2 = 0, eps = 0 } = w.optimizer;
  const weights = params(w).flatMap(({ data }) => [data]);
  const batches = Array.from({ length: w.batches }, (_, k) => batch(w, k));
  return Buffer.concat([
    ...[ints(numbers.length, ...numbers), floats([lr, beta1, beta2, eps])],
    ...[ints(weights.reduce((sum, data) => sum + data.length, 0)), ...weights.map(floats)],
    ints(w.batches, batches[0].x.length, batches[0].y.length),
    ...batches.flatMap(({ x, y }) => [floats(x), floats(y)]),
  ]);
}

function runNative(w, file, round) {
  const { budgetMs, minSteps, maxSteps } = limits;
  const args = [file, budgetMs, minSteps, maxSteps].map(String);
  const result = JSON.parse(execFileSync(PROGRAM, args, { encoding: 'utf8' }));
  return { workload: w.id, peer: 'native', round, ...result };
}

async function measure(own, w, folder) {
  const file = join(folder, `${w.id}.bin`);
  writeFileSync(file, fileOf(w));
  const runs = [
    async (round) => runNative(w, file, round),
    ...options.devices.split(',').map((device) => (round) => own.run(w, device, limits, round)),
  ];
  const cells = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (let i = 0; i < runs.length; i += 1) {
      cells.push(await runs[(i + round) % runs.length](round));
    }
  }
  return cells;
}

function rows(w, cells) {
  const peers = [...new Set(cells.map((cell) => cell.peer))];
  const all = peers.map((peer) =>
    rowOf(
      peer,
      cells.filter((cell) => cell.peer === peer),
    ),
  );
  const native = all.find((row) => row.peer === 'native');
  return all.map((row) => {
    if (row.failure !== undefined) return [w.id, row.peer, row.failure];
    const { largest, steps } = lossDifference(row, native);
    const rate = flops(w) / row.leastMs / 1e6;
    const times = row === native ? '1' : figure(ratio(row, native));
    const losses = row === native ? '-' : `${largest.toExponential(1)} in ${steps}`;
    return [w.id, row.peer, figure(row.ms), figure(row.leastMs), times, figure(rate), losses];
  });
}

build('bench');
build('bench-native');
const folder = mkdtempSync(join(BUILD, 'bench/native-'));
const own = await OwnCells.open();
try {
  const head = [
    'workload',
    'where',
    'ms/step',
    '(least)',
    'times native',
    'GFLOP/s',
    'loss difference',
  ];
  const lines = [head];
  for (const id of options.workloads.split(',')) {
    if (WORKLOADS[id] === undefined) throw new Error(`there is no workload '${id}'`);
    lines.push(...rows(WORKLOADS[id], await measure(own, WORKLOADS[id], folder)));
    say(`measured ${id} (load average ${figure(load())})`);
  }
  say();
  columns(lines.map((line) => line.map((text) => text.replace(OURS, 'Chromium, ')))).forEach(
    (line) => say(line),
  );
} finally {
  await own.close();
  rmSync(folder, { recursive: true });
}
