// Times one training step of LSTM(8) on [32,5,1] (and, with --workloads, of larger ones) on our devices and in other
// libraries, interleaved in one run. The harness that drives them is not part of this repository: --harness names its
// folder (npm ci && node build.mjs done there). Prints medians and ratios; nothing is asserted.
//   node tests/bench/steps.mjs --harness DIR [--workloads W1,W2] [--rounds 3] [--peers tfjs-cpu,tfjs-wasm,tfjs-webgl]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD, ROOT } from '../e2e/lib/world.mjs';
import { median, say } from './figures.mjs';

const { values: options } = parseArgs({
  options: {
    harness: { type: 'string' },
    workloads: { type: 'string', default: 'W1' },
    rounds: { type: 'string', default: '3' },
    budget: { type: 'string', default: '4000' },
    peers: { type: 'string', default: 'tfjs-cpu,tfjs-wasm,tfjs-webgl' },
  },
});
if (options.harness === undefined)
  throw new Error('--harness DIR is needed: see the head of this file');

const served = join(BUILD, 'bench/adapter');
execFileSync(join(ROOT, 'packaging/build.sh'), ['bench'], { stdio: 'inherit' });

const out = join(BUILD, 'bench/steps.json');
const adapter = join(served, 'shadegrad_adapter.mjs');
execFileSync(
  process.execPath,
  [
    'bench.mjs',
    ...['--workloads', options.workloads, '--peers', options.peers],
    ...['--rounds', options.rounds, '--budget', options.budget, '--out', out, '--root', served],
    ...['--adapter', `ours:cpu=${adapter}`, '--adapter', `ours:webgl=${adapter}`],
  ],
  { cwd: resolve(options.harness), stdio: 'inherit' },
);

const { cells } = JSON.parse(readFileSync(out, 'utf8'));
const valid = cells.filter((cell) => cell.ok);
for (const workload of new Set(valid.map((cell) => cell.workload))) {
  const mine = valid.filter((cell) => cell.workload === workload);
  const of = (peer, field) => median(mine.filter((cell) => cell.peer === peer).map(field));
  const step = (peer) => of(peer, (cell) => median(cell.stepMs));
  const ours = step('ours:cpu');
  say(`\n${workload}: median ms a step (in a burst), and how many times our cpu device's`);
  for (const peer of new Set(mine.map((cell) => cell.peer))) {
    const times = `${step(peer).toFixed(3)} (${of(peer, (cell) => cell.burstMs ?? NaN).toFixed(3)})`;
    const losses = mine.find((cell) => cell.peer === peer).losses;
    say(
      `  ${peer.padEnd(12)} ${times.padEnd(20)} x${(step(peer) / ours).toFixed(2).padEnd(8)} ` +
        `loss after 10 steps ${losses[9]?.toFixed(6)}`,
    );
  }
}
