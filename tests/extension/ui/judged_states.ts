// Finished runs on tables and what was measured of them, for tests and pictures.

import type { Evaluation } from '../../../extension/src/messages/evaluation.ts';
import { appendLosses, emptyHistory } from '../../../extension/src/messages/state.ts';
import type {
  CheckpointEntry,
  EpochSummary,
  History,
  RunState,
} from '../../../extension/src/messages/state.ts';
import { checkpoints as ofForecasts, column, description, stateOf } from './states.ts';

type TableTask = 'classification' | 'regression';

const names = ['setosa', 'versicolor', 'virginica'];
const category = { type: 'category' as const, min: null, max: null, mean: null, std: null };
const numbers: [string, number, number, number, number, number][] = [
  ['sepal length', 4.3, 7.9, 5.8433, 0.8281, 35],
  ['sepal width', 2, 4.4, 3.0573, 0.4359, 23],
  ['petal length', 1, 6.9, 3.758, 1.7653, 43],
  ['petal width', 0.1, 2.5, 1.1993, 0.7622, 22],
];

export const flowers = description({
  rows: 150,
  columns: [
    ...numbers.map(([name, min, max, mean, std, distinct]) =>
      column(name, { count: 150, min, max, mean, std, distinct }),
    ),
    column('species', { ...category, count: 150, distinct: 3 }),
  ],
  preview: Array.from({ length: 6 }, (_, i) => ['5.1', '3.5', '1.4', '0.2', names[i % 3] ?? '']),
  repairs: [],
  repairCount: 0,
});

const source = {
  kind: 'file',
  name: 'flowers.csv',
  size: 4551,
  path: null,
  imported: null,
} as const;

/** Of 120 rows in batches of 32. */
const STEPS = 4;

interface Figures {
  start: number;
  end: number;
  known: Partial<EpochSummary>;
  parameters: number;
}

const FIGURES: Record<TableTask, Figures> = {
  classification: { start: 1.1, end: 0.19, known: { accuracy: 0.9333 }, parameters: 34_051 },
  regression: {
    start: 1,
    end: 0.08,
    known: { r2: 0.912, mae: 0.1612, rmse: 0.2104 },
    parameters: 34_409,
  },
};

function historyOf(task: TableTask, epochs: number): History {
  const { start, end, known } = FIGURES[task];
  const loss = (step: number): number => end + (start - end) * Math.exp(-step / 12);
  const made = emptyHistory();
  for (let step = 1; step <= epochs * STEPS; step += 1)
    appendLosses(made, [[step, loss(step) * (1 + 0.15 * Math.sin(step * 12.9898))]]);
  made.epochs = Array.from({ length: epochs }, (_, i) => ({
    epoch: i + 1,
    trainLoss: loss((i + 0.5) * STEPS),
    validationLoss: loss((i + 1) * STEPS) * 1.08,
    stepsPerSecond: 640,
    mae: null,
    rmse: null,
    r2: null,
    accuracy: null,
    ...known,
  }));
  return made;
}

const run = 'residual_mlp-20260514-094100-1a2b3c4d';
const [saved] = ofForecasts;

/** Of a run on the flowers. */
function checkpointsOf(step: number, loss: number): CheckpointEntry[] {
  const data = { name: source.name, rows: flowers.rows, size: source.size };
  const id = `${run}/auto-${String(step)}.safetensors`;
  const entry = { id, size: 148_320, step, epoch: step / STEPS, loss, data };
  return saved === undefined ? [] : [{ ...saved, ...entry, store: 'browser' }];
}

/** Of the task `classification` or `regression`. */
export function tableState(
  phase: RunState['phase'],
  task: TableTask,
  change: Partial<RunState> = {},
): RunState {
  const state = stateOf(phase, { description: flowers, source, config: null, ...change });
  if (phase === 'ready') return state;
  const target = task === 'classification' ? 'species' : 'petal width';
  const features = flowers.columns.map(({ name }) => name).filter((name) => name !== target);
  const data = { task, target, features, lookBack: 1, horizon: 1 };
  const { progress } = state;
  const epochs = progress?.epoch ?? 0;
  const history = historyOf(task, epochs);
  const stepInEpoch = phase === 'finished' ? 0 : 2;
  const last = history.epochs.at(-1)?.validationLoss ?? 0;
  return {
    ...state,
    config: { model: { name: 'residual_mlp', width: 64 }, data, training: { epochs: 20 } },
    history,
    run,
    runs: [{ store: 'browser', run, name: 'Flowers', note: '', reason: null }],
    checkpoints: checkpointsOf(epochs * STEPS, last),
    parameters: FIGURES[task].parameters,
    windows: { train: 120, validation: 30, skipped: 0 },
    progress: progress && {
      ...progress,
      step: epochs * STEPS + stepInEpoch,
      stepInEpoch,
      stepsPerEpoch: STEPS,
      stepsPerSecond: 640,
      secondsLeft: phase === 'finished' ? 0 : 1,
      trainLoss: history.epochs.at(-1)?.trainLoss ?? null,
      peakBytes: 2_100_000,
    },
    baselines: null,
    predictions: null,
  };
}

const none = { classification: null, regression: null, forecast: null };
const importance = [
  { feature: 'petal length', growth: 0.812 },
  { feature: 'petal width', growth: 0.433 },
  { feature: 'sepal length', growth: 0.021 },
  { feature: 'sepal width', growth: -0.004 },
];
const curve = (index: number) => ({
  class: index,
  roc: [
    [0, 0],
    [0, 0.8],
    [0.05, 0.95],
    [0.3, 1],
    [1, 1],
  ] as [number, number][],
  pr: [
    [0, 1],
    [0.8, 1],
    [0.95, 0.9],
    [1, 0.4],
  ] as [number, number][],
  area: 0.981,
  averagePrecision: 0.967,
});

export const classified: Evaluation = {
  ...none,
  task: 'classification',
  step: 20 * STEPS,
  rows: 30,
  of: 30,
  importance,
  importanceRows: 30,
  classification: {
    classes: names,
    model: { accuracy: 0.9333, macroF1: 0.9327, logLoss: 0.21 },
    majority: { accuracy: 0.3333, macroF1: 0.1667, logLoss: 1.0986 },
    logistic: { accuracy: 0.9, macroF1: 0.8998, logLoss: 0.28 },
    confusion: [
      [10, 0, 0],
      [0, 9, 1],
      [0, 1, 9],
    ],
    byClass: names.map((_, i) => ({
      precision: i === 0 ? 1 : 0.9,
      recall: i === 0 ? 1 : 0.9,
      f1: i === 0 ? 1 : 0.9,
      support: 10,
    })),
    curves: names.map((_, i) => curve(i)),
    calibration: [
      { count: 0, confidence: 0, accuracy: 0 },
      { count: 4, confidence: 0.62, accuracy: 0.5 },
      { count: 26, confidence: 0.97, accuracy: 1 },
    ],
    worst: [
      { row: 83, line: 85, truth: 1, predicted: 2, probability: 0.88, truthProbability: 0.12 },
      { row: 119, line: 0, truth: 2, predicted: 1, probability: 0.71, truthProbability: 0.29 },
    ],
  },
};

export const regressed: Evaluation = {
  ...none,
  task: 'regression',
  step: 20 * STEPS,
  rows: 30,
  of: 30,
  importance: importance.filter(({ feature }) => feature !== 'petal width'),
  importanceRows: 30,
  regression: {
    model: { mae: 0.1612, rmse: 0.2104, r2: 0.912 },
    mean: { mae: 0.66, rmse: 0.7591, r2: -0.003 },
    ridge: { mae: 0.17, rmse: 0.2111, r2: 0.91 },
    points: Array.from({ length: 30 }, (_, i) => ({
      row: i * 5,
      truth: 0.1 + i * 0.08,
      predicted: 0.1 + i * 0.08 + 0.3 * Math.sin(i * 7),
    })),
    residuals: { first: -4, width: 0.1, counts: [1, 2, 5, 8, 7, 4, 2, 1] },
    worst: [{ row: 134, line: 136, truth: 1.4, predicted: 1.95 }],
  },
};
