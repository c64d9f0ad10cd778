// The comparison's arithmetic, on cells with known figures: a wrong ratio would be believed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columns, figure, least, median } from './figures.mjs';
import { compare, lossDifference, ratio, rowOf, summary, table } from './table.mjs';

const cell = (peer, round, ms, more = {}) => ({
  ...{ workload: 'W1', peer, round, ok: true, stepMs: [ms, ms, ms * 3], firstStepMs: 10 * ms },
  losses: [1, 0.5],
  ...more,
});
const failed = (peer) => ({ workload: 'W1', peer, round: 0, ok: false, error: 'no kernel\nat x' });

test('a median leaves out what is no number, and of nothing is none', () => {
  assert.equal(median([3, NaN, 1, 2]), 2);
  assert.equal(median([4, 1]), 2.5);
  assert.ok(Number.isNaN(median([])));
  assert.equal(least([3, NaN, 2]), 2);
});

test('a figure keeps three digits without an exponent', () => {
  assert.deepEqual([1234.5, 12.34, 0.01234, 0, NaN, undefined].map(figure), [
    ...['1235', '12.3', '0.012', '0', '-', '-'],
  ]);
  assert.deepEqual(
    columns([
      ['a', 'bb'],
      ['ccc', '1'],
    ]),
    ['a    bb', 'ccc   1'],
  );
});

test('a ratio is taken within each round, so that a busy round cannot move it', () => {
  const ours = rowOf(
    'shadegrad:cpu',
    [0, 1, 2].map((round) => cell('shadegrad:cpu', round, [1, 10, 1][round])),
  );
  const peer = rowOf(
    'other',
    [0, 1, 2].map((round) => cell('other', round, [4, 40, 4.4][round])),
  );
  assert.equal(ratio(peer, ours), 4);
  const elsewhere = rowOf('other', [cell('other', 7, 4)]);
  assert.ok(Number.isNaN(ratio(elsewhere, ours)), 'no round in common, no ratio');
});

test('the best peer is the fastest that does the same mathematics', () => {
  const { best, ours, rows } = compare([
    cell('slow', 0, 8),
    cell('other-maths', 0, 1, { sameMaths: false, losses: [7, 7] }),
    cell('fast', 0, 4),
    cell('shadegrad:webgl', 0, 20),
    cell('shadegrad:cpu-1t', 0, 1),
    cell('shadegrad:cpu', 0, 2),
    failed('broken'),
  ]);
  assert.equal(best.peer, 'fast');
  assert.equal(ours.peer, 'shadegrad:cpu', 'not the one with its threads held back');
  assert.equal(best.timesOurs, 2);
  assert.equal(rows.find((row) => row.peer === 'shadegrad:webgl').bestOverThis, 0.2);
  assert.equal(rows.find((row) => row.peer === 'broken').failure, 'no kernel');
});

test('losses that differ are told in the table and in the summary, and missing numbers count as different', () => {
  const cells = (losses) => [cell('shadegrad:cpu', 0, 1), cell('other', 0, 2, { losses })];
  assert.equal(compare(cells([1, 0.5001])).agrees, true);
  for (const losses of [
    [1, 0.51],
    [1, NaN],
  ]) {
    const result = compare(cells(losses));
    assert.equal(result.agrees, false);
    assert.match(table(result).join('\n'), /DIFFERS/);
    assert.match(summary([result], 'other').at(-1), /DIFFER/);
  }
  assert.deepEqual(lossDifference({ losses: [] }, { losses: [1] }), { steps: 0, largest: NaN });
});

test('without a peer there are times and counters, and no ratio is made up', () => {
  const counters = (steps) => ({
    draws: 130 * steps,
    kernels: 200 * steps,
    programs: 9,
    peakBytes: 2 ** 20,
  });
  const result = compare([
    cell('shadegrad:webgl', 0, 2, {
      ...{ countersStart: counters(4), countersEnd: counters(14), countersSteps: 10 },
    }),
  ]);
  const [row] = result.rows;
  assert.deepEqual([row.draws, row.kernels, row.programs, row.peakBytes], [130, 200, 9, 2 ** 20]);
  assert.equal(row.bestOverThis, undefined);
  assert.match(
    summary([result], 'tfjs-wasm').at(-1),
    /\| none \| - \| - \| - \| - \| not compared \|/,
  );
});

test('a cell that was stopped at its limit counts with the steps that it made', () => {
  const late = cell('late', 0, 3, { ok: false, timedOut: true, error: 'time limit' });
  assert.equal(rowOf('late', [late]).ms, 3);
  assert.equal(rowOf('none', []).failure, 'not run');
});
