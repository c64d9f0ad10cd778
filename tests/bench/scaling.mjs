// How a training step's time grows with the batch, the width, the length of the sequence and the number of threads, on the
// cpu device in Chromium. Every point is measured in each of the rounds; a row shows the median step, the smallest, and
// GFLOP/s of the products at the smallest: where it falls, something else than arithmetic takes the time.
//   node tests/bench/scaling.mjs [--curves lstm-batch,gpt-width] [--device cpu-1t] [--rounds 3] [--budget MS]
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { OwnCells, build } from './cells.mjs';
import { columns, figure, load, say } from './figures.mjs';
import { OURS, ratio, rowOf } from './table.mjs';
import { WORKLOADS, flops } from './workloads.mjs';

const doubling = (from, count) => Array.from({ length: count }, (_, i) => from * 2 ** i);
const curve = (base, values, change) => ({ base, values, change });

const transformer = (d) => ({ d, ffn: 4 * d });
const CURVES = {
  'lstm-batch': curve('W2', doubling(8, 6), (batch) => ({ batch })),
  'lstm-width': curve('W2', doubling(16, 6), (width) => ({ units: [width] })),
  'lstm-sequence': curve('W2', doubling(16, 5), (seq) => ({ seq })),
  'gpt-batch': curve('W5', doubling(1, 5), (batch) => ({ batch })),
  'gpt-width': curve('W5', doubling(32, 4), transformer),
  'gpt-sequence': curve('W5', doubling(32, 4), (seq) => ({ seq })),
  'mlp-batch': curve('W6-8x256', doubling(8, 6), (batch) => ({ batch })),
  'mlp-width': curve('W6-8x256', doubling(32, 6), (width) => ({ width })),
};

const { values: options } = parseArgs({
  options: {
    curves: { type: 'string', default: [...Object.keys(CURVES), 'threads'].join(',') },
    device: { type: 'string', default: 'cpu-1t' },
    ...{ rounds: { type: 'string', default: '3' }, budget: { type: 'string', default: '400' } },
  },
});
const limits = { budgetMs: Number(options.budget), minSteps: 3, maxSteps: 200 };

/** {name: {workload, device, of}}: the points of a curve, and of which line of it. */
function pointsOf(name) {
  if (name === 'threads') {
    const counts = Array.from({ length: cpus().length }, (_, i) => i + 1);
    const points = ['W3', 'W5', 'W6-8x256'].flatMap((id) =>
      counts.map((n) => [`${id} ${n}`, { workload: WORKLOADS[id], device: `cpu-${n}t`, of: id }]),
    );
    return Object.fromEntries(points);
  }
  const { base, values, change } = CURVES[name];
  const point = (value) => ({
    workload: { ...WORKLOADS[base], ...change(value), id: `${base} ${value}` },
    device: options.device,
    of: base,
  });
  return Object.fromEntries(values.map((value) => [String(value), point(value)]));
}

async function measure(own, points) {
  const cells = [];
  const entries = Object.entries(points);
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (let i = 0; i < entries.length; i += 1) {
      const [name, { workload, device }] = entries[(i + round) % entries.length];
      cells.push({ name, ...(await own.run(workload, device, limits, round)) });
    }
  }
  return cells;
}

/** A curve's table; "times before" is how often the time of the row above it takes, where that is of the same line. */
function tableOf(points, cells) {
  const rows = [['', 'ms/step', '(least)', 'times before', 'GFLOP/s']];
  let before;
  for (const [name, { workload, device, of }] of Object.entries(points)) {
    const row = rowOf(
      OURS + device,
      cells.filter((cell) => cell.name === name),
    );
    const rate = flops(workload) / row.leastMs / 1e6;
    const follows = before?.of === of && before.ms && row.ms;
    const times = follows ? figure(ratio(row, before)) : '-';
    rows.push(
      row.failure === undefined
        ? [name, figure(row.ms), figure(row.leastMs), times, figure(rate)]
        : [name, row.failure.slice(0, 80)],
    );
    before = { ...row, of };
  }
  return columns(rows);
}

const names = options.curves.split(',');
for (const name of names) {
  if (name !== 'threads' && CURVES[name] === undefined)
    throw new Error(`there is no curve '${name}'`);
}
build();
const own = await OwnCells.open();
try {
  for (const name of names) {
    const points = pointsOf(name);
    const cells = await measure(own, points);
    const where =
      name === 'threads' ? 'cpu, by threads' : `${options.device}, from ${CURVES[name].base}`;
    say(`\n${name} (${where}; load average ${figure(load())})`);
    tableOf(points, cells).forEach((line) => say(line));
  }
} finally {
  await own.close();
}
