// One training step of W1 to W7 on our devices and in other libraries, with the same weights and batches: interleaved
// rounds in one run, each cell in a browser of its own. Prints a table for each workload and one to publish.
//   node tests/bench/bench.mjs [--quick | --full] --harness DIR [--workloads W1,W6-*] [--devices cpu,cpu-1t,webgl]
//     [--peers tfjs-wasm,jax-*] [--rounds N] [--minutes M] [--out FILE.json]
// quick: of each workload the peer that has been the fastest, and tfjs-wasm, within ten minutes, and webgl once. full:
// every peer that can, as long as it takes. Without a harness our devices alone are timed, with weights of our own.
// The exit status is 1 where losses differ, and no time is ever judged.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD } from '../e2e/lib/world.mjs';
import { OwnCells, build } from './cells.mjs';
import { figure, least, load, median, say } from './figures.mjs';
import { Harness, WANTED } from './harness.mjs';
import { OURS, compare, summary, table } from './table.mjs';
import { WORKLOADS } from './workloads.mjs';

const { values: options } = parseArgs({
  options: {
    ...{ quick: { type: 'boolean' }, full: { type: 'boolean' }, harness: { type: 'string' } },
    workloads: { type: 'string' },
    devices: { type: 'string', default: 'cpu,cpu-1t,webgl' },
    ...{ peers: { type: 'string' }, rounds: { type: 'string' }, minutes: { type: 'string' } },
    out: { type: 'string' },
  },
});
if (options.quick && options.full) throw new Error('choose one of --quick and --full');
const full = options.full === true;

const YARDSTICK = 'tfjs-wasm';
/** The fastest other library of a workload, as full runs have found. */
const FASTEST = { W7: 'jax-webgpu' };
const QUICK_PEERS = (workload) => [FASTEST[workload] ?? 'jax-wasm-1t', YARDSTICK];

const minutes = Number(options.minutes ?? (full ? Infinity : 9));
const rounds = Number(options.rounds ?? 3);
const limits = full
  ? { quick: false, budgetMs: 4000, limitMs: 150_000 }
  : { quick: true, budgetMs: 1200, limitMs: 30_000 };

/** Names that one of the patterns fits, in the order of the patterns; a pattern without a name is an error. */
function chosen(patterns, names) {
  return patterns.split(',').flatMap((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const fits = names.filter((name) => new RegExp(`^${parts.join('.*')}$`).test(name));
    if (fits.length === 0) throw new Error(`no '${pattern}' among ${names.join(', ')}`);
    return fits;
  });
}

/**
 * [{peer, workload, round}] in the order in which they are run: libraries take turns in being the first. A quick run
 * gets to its webgl cells, which take long without a GPU, after the first round, and once.
 */
function cellsToRun(workloads, librariesOf) {
  const isLate = (peer) => !full && peer === `${OURS}webgl`;
  const list = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const workload of workloads) {
      const peers = librariesOf(workload).filter((peer) => !isLate(peer));
      const turned = peers.map((_, i) => peers[(i + round) % peers.length]);
      list.push(...turned.map((peer) => ({ peer, workload, round })));
    }
    if (round > 0) continue;
    for (const workload of workloads) {
      const late = librariesOf(workload).filter(isLate);
      list.push(...late.map((peer) => ({ peer, workload, round })));
    }
  }
  return list;
}

/** Runs cells until all are done or the time is over, and keeps what was run. */
async function measure(workloads, librariesOf, run) {
  const start = performance.now();
  const spent = () => (performance.now() - start) / 60_000;
  const cells = [];
  const hopeless = new Set();
  const list = cellsToRun(workloads, librariesOf);
  for (const [i, { peer, workload, round }] of list.entries()) {
    if (hopeless.has(`${peer} ${workload}`)) continue;
    if (spent() > minutes) {
      say(`${minutes} minutes are over; ${list.length - i} of ${list.length} cells were not run`);
      break;
    }
    const made = await run(peer, workload, round);
    cells.push(...made.map((cell) => ({ ...cell, round })));
    const valid = made.find((cell) => cell.stepMs?.length > 0);
    if (valid === undefined) hopeless.add(`${peer} ${workload}`);
    const failure = made[0]?.error?.split('\n')[0] ?? 'cannot';
    const time = valid === undefined ? failure : `${figure(median(valid.stepMs))} ms`;
    const when = `${spent().toFixed(1).padStart(5)} min  round ${round + 1}`;
    say(`${when}  ${workload.padEnd(9)} ${peer.padEnd(18)} ${time}`);
  }
  return cells;
}

const ours = options.devices.split(',').map((device) => OURS + device);

async function withHarness(harness) {
  const names = await harness.names();
  const known = Object.keys(WORKLOADS).filter((id) => names.workloads.includes(id));
  const workloads = chosen(options.workloads ?? known.join(','), names.workloads);
  const asked = options.peers && chosen(options.peers, names.peers);
  const peersOf = (workload) => asked ?? (full ? names.peers : QUICK_PEERS(workload));
  const librariesOf = (workload) => [...peersOf(workload), ...ours];
  return measure(workloads, librariesOf, (peer, workload) => harness.run(peer, workload, limits));
}

async function alone() {
  say(`${WANTED}\nWithout it: our devices alone, with weights of our own.\n`);
  const workloads = chosen(options.workloads ?? '*', Object.keys(WORKLOADS));
  const steps = full ? { minSteps: 20, maxSteps: 60 } : { minSteps: 5, maxSteps: 20 };
  const own = await OwnCells.open();
  try {
    const run = async (peer, workload, round) => [
      await own.run(
        WORKLOADS[workload],
        peer.slice(OURS.length),
        { budgetMs: limits.budgetMs, ...steps },
        round,
      ),
    ];
    return await measure(workloads, () => ours, run);
  } finally {
    await own.close();
  }
}

build();
const cells = options.harness ? await withHarness(new Harness(options.harness)) : await alone();
const workloads = [...new Set(cells.map((cell) => cell.workload))];
const comparisons = workloads.map((id) => compare(cells.filter((cell) => cell.workload === id)));
for (const comparison of comparisons) {
  const loads = cells
    .filter((cell) => cell.workload === comparison.workload)
    .map((cell) => cell.load);
  say(
    `\n${comparison.workload}  (load average ${figure(least(loads))} to ${figure(Math.max(...loads))}, ${cpus().length} cores)`,
  );
  table(comparison).forEach((line) => say(line));
}
say("\nRatios: the median over the rounds of a peer's median step over ours.\n");
summary(comparisons, YARDSTICK).forEach((line) => say(line));

const stamp = new Date().toISOString();
const out = options.out ?? join(BUILD, 'bench', `results-${stamp.replace(/[:.]/g, '-')}.json`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(
  out,
  JSON.stringify({ stamp, cpu: cpus()[0].model, cores: cpus().length, load: load(), cells }),
);
say(`\nwrote ${out}`);
if (!comparisons.every(({ agrees }) => agrees)) process.exitCode = 1;
