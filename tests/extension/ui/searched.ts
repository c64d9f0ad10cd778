// States of a page whose worker searches for better settings, or has done so, for tests and pictures.
import { rungsFor } from '../../../extension/src/messages/search.ts';
import type { Search, SearchRange, SearchTrial } from '../../../extension/src/messages/search.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { config, stateOf } from './states.ts';

export const ranges: SearchRange[] = [
  {
    kind: 'log',
    group: 'training',
    field: 'learningRate',
    label: 'Learning rate',
    now: 0.003,
    least: 0.0003,
    most: 0.03,
  },
  {
    kind: 'list',
    group: 'model',
    field: 'hidden',
    label: 'Hidden',
    now: 32,
    values: [8, 16, 32, 64],
  },
];

const tried: [number, number, number | null][] = [
  [0.003, 32, 0.1431],
  [0.012, 64, 0.1217],
  [0.00042, 16, 0.3108],
  [0.028, 64, null],
  [0.0061, 8, 0.1704],
  [0.0009, 32, 0.2333],
  [0.0075, 32, 0.1266],
  [0.0014, 16, 0.2012],
  [0.019, 8, 0.1893],
];

function trial(i: number, change: Partial<SearchTrial>): SearchTrial {
  const [learningRate, hidden, loss] = tried[i] ?? [0, 0, null];
  return {
    values: { learningRate, hidden },
    rung: 0,
    outcome: 'out',
    epochs: 3,
    ended: false,
    loss,
    run: `lstm-${String(i)}`,
    failure: null,
    ...change,
  };
}

const failed: Partial<SearchTrial> = {
  outcome: 'failed',
  epochs: 1,
  failure: { code: 'train.diverged', message: 'The loss is not a number at step 41.' },
};

/** Of nine candidates: in the second of three rungs, or at its end. */
export function searchOf(outcome: Search['outcome']): Search {
  const over = outcome === 'completed';
  const second = (i: number): Partial<SearchTrial> => {
    if (over) return { rung: 1, epochs: 7 };
    return i === 6 ? { rung: 1, outcome: 'done', epochs: 7 } : { rung: 1, outcome: 'waiting' };
  };
  const best: Partial<SearchTrial> = over
    ? { rung: 2, outcome: 'done', epochs: 20, ended: true }
    : { rung: 1, outcome: outcome === 'running' ? 'training' : 'waiting' };
  const changes: Record<number, Partial<SearchTrial>> = {
    0: second(0),
    1: best,
    3: failed,
    6: second(6),
  };
  return {
    tag: '#search-1a2b3c4d',
    outcome,
    source: {
      kind: 'host',
      name: 'seattle-weather.csv',
      size: 48_219,
      path: 'Shadegrad/seattle-weather.csv',
      imported: null,
    },
    config,
    ranges,
    rungs: rungsFor(9, 20),
    rung: over ? 2 : 1,
    trials: tried.map((_, i) => trial(i, changes[i] ?? {})),
    failure: null,
  };
}

/** While one of its candidates is trained, or with the run of its best one. */
export function searchState(
  outcome: Search['outcome'],
  phase: RunState['phase'],
  change: Partial<RunState> = {},
): RunState {
  const candidate = phase === 'training' || phase === 'finished';
  return stateOf(phase, { search: searchOf(outcome), candidate, run: 'lstm-1', ...change });
}
