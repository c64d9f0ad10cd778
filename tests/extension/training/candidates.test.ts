// What a search tries, and how its rungs are laid out.
import { describe, expect, test } from 'vitest';
import {
  configOf,
  ranked,
  rungsFor,
  searchDone,
  totalEpochs,
} from '../../../extension/src/messages/search.ts';
import type { Search, SearchRange } from '../../../extension/src/messages/search.ts';
import { candidates } from '../../../extension/src/training/candidates.ts';

const rate: SearchRange = {
  kind: 'log',
  group: 'training',
  field: 'learningRate',
  label: 'Learning rate',
  now: 0.003,
  least: 0.0003,
  most: 0.03,
};
const width: SearchRange = {
  kind: 'list',
  group: 'model',
  field: 'hidden',
  label: 'Hidden',
  now: 32,
  values: [8, 16, 32, 64],
};

describe('the candidates', () => {
  test('begin with the run as it was set, and are the same for the same seed', () => {
    const some = candidates([rate, width], 9, 7);
    expect(some).toHaveLength(9);
    expect(some[0]?.values).toEqual({ learningRate: 0.003, hidden: 32 });
    expect(candidates([rate, width], 9, 7)).toEqual(some);
    expect(candidates([rate, width], 9, 8)).not.toEqual(some);
  });

  test('have learning rates as often below the middle of the exponents as above it', () => {
    const rates = candidates([rate], 1000, 1).map(({ values }) => values['learningRate']!);
    const below = rates.filter((one) => one < 0.003).length / rates.length;
    expect(Math.abs(below - 0.5)).toBeLessThan(0.1);
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(0.0003);
    expect(Math.max(...rates)).toBeLessThanOrEqual(0.03);
  });

  test('take each value of a list, and no two are the same', () => {
    const tried = candidates([width], 27, 1).map(({ values }) => values['hidden']);
    expect(tried.sort((a, b) => a! - b!)).toEqual([8, 16, 32, 64]);
  });
});

describe('the rungs', () => {
  test.each([
    [
      9,
      9,
      [
        [9, 1],
        [3, 3],
        [1, 9],
      ],
    ],
    [
      9,
      20,
      [
        [9, 3],
        [3, 7],
        [1, 20],
      ],
    ],
    [
      27,
      27,
      [
        [27, 1],
        [9, 3],
        [3, 9],
        [1, 27],
      ],
    ],
    [
      4,
      6,
      [
        [4, 2],
        [1, 6],
      ],
    ],
    [3, 1, [[3, 1]]],
    [
      9,
      2,
      [
        [9, 1],
        [3, 2],
      ],
    ],
    [
      2,
      100,
      [
        [2, 34],
        [1, 100],
      ],
    ],
  ])('of %i candidates and %i epochs are %j', (trials, epochs, rungs) => {
    expect(rungsFor(trials, epochs).map((one) => [one.trials, one.epochs])).toEqual(rungs);
  });

  test('take together fewer epochs than all candidates would', () => {
    expect(totalEpochs(rungsFor(9, 9))).toBe(9 + 3 * 2 + 6);
  });
});

const search = (change: Partial<Search> = {}): Search => ({
  tag: '#search-1',
  outcome: 'running',
  source: { kind: 'example', name: 'x.csv', size: 1, path: null, imported: null },
  config: {
    model: { name: 'lstm', hidden: 32 },
    data: { features: ['a'], target: 'a' },
    training: { epochs: 9, seed: 3 },
  },
  ranges: [rate, width],
  rungs: rungsFor(9, 9),
  rung: 0,
  trials: candidates([rate, width], 9, 7),
  failure: null,
  ...change,
});

test("a candidate's run differs from the one that was set in the varied fields alone", () => {
  const { values } = search().trials[4]!;
  expect(configOf(search(), 4)).toEqual({
    model: { name: 'lstm', hidden: values['hidden'] },
    data: { features: ['a'], target: 'a' },
    training: { epochs: 9, seed: 3, learningRate: values['learningRate'] },
  });
});

test('candidates are ranked by their losses, and those without one come last', () => {
  const losses = [0.5, null, 0.2, null, 0.2, 0.1, null, 1, 2];
  const trials = search().trials.map((one, i) => ({ ...one, loss: losses[i] ?? null }));
  expect(ranked(trials)).toEqual([5, 2, 4, 0, 7, 8, 1, 3, 6]);
});

test('the done part counts epochs, not candidates, and never runs back', () => {
  const { trials } = search();
  const progress = { epoch: 1, stepInEpoch: 5, stepsPerEpoch: 10 } as never;
  expect(searchDone(search(), null)).toBe(0);
  const first = trials.map((one, i) => (i < 3 ? { ...one, outcome: 'done' as const } : one));
  expect(searchDone(search({ trials: first }), null)).toBeCloseTo(3 / 21);
  const second = trials.map((one, i) => ({
    ...one,
    rung: i < 3 ? 1 : 0,
    outcome: i === 0 ? ('training' as const) : i < 3 ? ('waiting' as const) : ('out' as const),
  }));
  expect(searchDone(search({ rung: 1, trials: second }), null)).toBeCloseTo(9 / 21);
  expect(searchDone(search({ rung: 1, trials: second }), progress)).toBeCloseTo((9 + 0.5) / 21);
  expect(searchDone(search({ outcome: 'completed' }), null)).toBe(1);
});
