// Finished runs on tables and what was measured of them, for tests and pictures.

import type { Evaluation } from '../../../extension/src/messages/evaluation.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { column, description, stateOf } from './states.ts';

const names = ['setosa', 'versicolor', 'virginica'];
const category = { type: 'category' as const, min: null, max: null, mean: null, std: null };

export const flowers = description({
  rows: 150,
  columns: [
    ...['sepal length', 'sepal width', 'petal length', 'petal width'].map((name) => column(name)),
    column('species', { ...category, distinct: 3 }),
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

/** Of the task `classification` or `regression`. */
export function tableState(
  phase: RunState['phase'],
  task: 'classification' | 'regression',
  change: Partial<RunState> = {},
): RunState {
  const state = stateOf(phase, { description: flowers, source, config: null, ...change });
  if (phase === 'ready') return state;
  const target = task === 'classification' ? 'species' : 'petal width';
  const features = flowers.columns.map(({ name }) => name).filter((name) => name !== target);
  const data = { task, target, features, lookBack: 1, horizon: 1 };
  const known =
    task === 'classification' ? { accuracy: 0.9333 } : { r2: 0.912, mae: 0.16, rmse: 0.21 };
  const epochs = state.history.epochs.map((epoch) => ({
    ...epoch,
    mae: null,
    rmse: null,
    ...known,
  }));
  return {
    ...state,
    config: { model: { name: 'residual_mlp', width: 64 }, data, training: { epochs: 20 } },
    history: { ...state.history, epochs },
    run: 'residual_mlp-20260514-094100-1a2b3c4d',
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
  step: 720,
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
  step: 720,
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
    residuals: { from: -0.4, width: 0.1, counts: [1, 2, 5, 8, 7, 4, 2, 1] },
    worst: [{ row: 134, line: 136, truth: 1.4, predicted: 1.95 }],
  },
};
