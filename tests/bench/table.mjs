// From cells to figures. A cell is one library (a peer, or one of our devices) on one workload in a browser of its own:
//   {workload, peer, round, load, ok, error, stepMs, firstStepMs, losses, countersStart, countersEnd, countersSteps}
// A ratio is taken within each round, whose cells ran one after the other, and then the median over the rounds.
import { columns, figure, least, median } from './figures.mjs';

export const OURS = 'shadegrad:';
export const isOurs = (peer) => peer.startsWith(OURS);

/** Losses of two libraries are the same up to this, relative, over this many steps. */
export const LOSS_LIMIT = 1e-3;
const LOSS_STEPS = 10;

const timed = (cell) => cell.stepMs?.length > 0;

/** What a library did on one workload; `failure` says why it has no time. */
export function rowOf(peer, cells) {
  const valid = cells.filter(timed);
  const last = valid.at(-1);
  const row = { peer, rounds: valid.length, cells: valid };
  if (last === undefined) return { ...row, failure: cells[0]?.error?.split('\n')[0] ?? 'not run' };
  const { countersStart: from, countersEnd: to, countersSteps: steps } = last;
  const perStep = (name) => (to?.[name] - from?.[name]) / steps;
  return {
    ...row,
    ms: median(valid.map((cell) => median(cell.stepMs))),
    leastMs: least(valid.flatMap((cell) => cell.stepMs)),
    firstMs: median(valid.map((cell) => cell.firstStepMs)),
    draws: perStep('draws'),
    kernels: perStep('kernels'),
    programs: to?.programs,
    peakBytes: to?.peakBytes,
    // The peak of the page's process and the GPU's, up to the end of the steady steps.
    processMB: last.steadyMB?.rendererMB + last.steadyMB?.gpuMB,
    losses: valid.reduce((all, { losses }) => (losses.length > all.length ? losses : all), []),
    info: last.info,
    // Online updates, another loss or another optimiser: its time compares, its losses do not.
    sameMaths: last.sameMaths !== false,
  };
}

/** How many times the time of `ours` a library takes: the median over the rounds in which both ran. */
export function ratio(row, ours) {
  const times = new Map(ours.cells.map((cell) => [cell.round, median(cell.stepMs)]));
  return median(row.cells.map((cell) => median(cell.stepMs) / (times.get(cell.round) ?? NaN)));
}

/** The largest relative difference over the first steps that both have, and how many those are. */
export function lossDifference(a, b) {
  const steps = Math.min(LOSS_STEPS, a.losses.length, b.losses.length);
  const differences = Array.from({ length: steps }, (_, k) => {
    const difference = Math.abs(a.losses[k] - b.losses[k]) / Math.max(1e-3, Math.abs(b.losses[k]));
    return Number.isFinite(difference) ? difference : Infinity;
  });
  return { steps, largest: steps === 0 ? NaN : Math.max(...differences) };
}

const fastest = (rows) =>
  rows.reduce((best, row) => (row.ms < (best?.ms ?? Infinity) ? row : best), undefined);

/** Devices as people have them; the others (cpu-1t, cpu-plain) are the same with something held back. */
const DEVICES = ['cpu', 'webgl'].map((device) => OURS + device);

/**
 * One workload: rows of ours and of the peers, the faster of our devices ("ours": what a race would choose, since a
 * software renderer loses every race), and the fastest peer that does the same mathematics ("best").
 */
export function compare(cells) {
  const names = [...new Set(cells.map((cell) => cell.peer))];
  const rows = names.map((peer) =>
    rowOf(
      peer,
      cells.filter((cell) => cell.peer === peer),
    ),
  );
  const done = rows.filter((row) => row.failure === undefined);
  const own = done.filter((row) => isOurs(row.peer));
  const ours = fastest(own.filter((row) => DEVICES.includes(row.peer))) ?? fastest(own);
  const peers = done.filter((row) => !isOurs(row.peer));
  const best = fastest(peers.filter((row) => row.sameMaths));
  for (const row of done) {
    if (ours !== undefined) row.timesOurs = ratio(row, ours);
    if (best !== undefined) row.bestOverThis = ratio(best, row);
    const others = isOurs(row.peer) ? peers : [ours];
    const same = row.sameMaths ? others.filter((other) => other?.sameMaths && other !== row) : [];
    const differences = same
      .map((other) => lossDifference(row, other))
      .filter(({ steps }) => steps > 0);
    if (differences.length === 0) continue;
    row.lossSteps = Math.min(...differences.map(({ steps }) => steps));
    row.lossDifference = Math.max(...differences.map(({ largest }) => largest));
  }
  const agrees = done.every((row) => !(row.lossDifference >= LOSS_LIMIT));
  return { workload: cells[0].workload, rows, ours, best, agrees };
}

const HEAD = [
  ...[
    '',
    'ms/step',
    '(least)',
    'best peer / this',
    'this / ours',
    'first step',
    'draws',
    'programs',
  ],
  ...['kernels', 'peak MB', 'process MB', 'loss difference', 'rounds'],
];

function lossText({ sameMaths, lossDifference: largest, lossSteps }) {
  if (!sameMaths) return 'other mathematics';
  if (largest === undefined) return '-';
  const verdict = largest < LOSS_LIMIT ? '' : ' DIFFERS';
  return `${largest.toExponential(1)} in ${lossSteps}${verdict}`;
}

function texts(row) {
  if (row.failure !== undefined) return [row.peer, row.failure.slice(0, 90)];
  const { form, threads } = row.info ?? {};
  return [
    isOurs(row.peer) && form !== undefined ? `${row.peer} (${form}, ${threads})` : row.peer,
    ...[row.ms, row.leastMs, row.bestOverThis, row.timesOurs, row.firstMs].map(figure),
    ...[row.draws, row.programs, row.kernels].map(figure),
    ...[row.peakBytes / 2 ** 20, row.processMB].map(figure),
    lossText(row),
    String(row.rounds),
  ];
}

/** Lines of a workload's table: ours first, then the peers, the fastest first; last those that could not. */
export function table({ rows }) {
  const rank = (row) => (row.failure !== undefined ? 2 : isOurs(row.peer) ? 0 : 1);
  const sorted = rows.toSorted((a, b) => rank(a) - rank(b) || a.ms - b.ms);
  const done = columns([HEAD, ...sorted.filter((row) => rank(row) < 2).map(texts)]);
  const failed = sorted.filter((row) => rank(row) === 2).map((row) => texts(row).join(': '));
  return [...done, ...failed];
}

/** Lines of Markdown with a row for each workload: the figures to publish. */
export function summary(comparisons, yardstick) {
  const head = [
    'workload',
    'ours, ms',
    'device',
    'best peer',
    'its ms',
    'ratio',
    yardstick,
    'ratio',
    'losses',
  ];
  const rows = comparisons.map(({ workload, rows: all, ours, best, agrees }) => {
    const other = all.find((row) => row.peer === yardstick && row.failure === undefined);
    const device = ours?.peer.slice(OURS.length) ?? '-';
    const checked =
      ours?.lossDifference === undefined ? 'not compared' : agrees ? 'equal' : 'DIFFER';
    return [
      ...[workload, figure(ours?.ms), device, best?.peer ?? 'none', figure(best?.ms)],
      ...[figure(best?.timesOurs), figure(other?.ms), figure(other?.timesOurs), checked],
    ];
  });
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '--:').join('|')}|`, ...rows.map(line)];
}
