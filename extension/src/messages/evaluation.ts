// What the core measures of a trained model (train/evaluation.h), and what a model says of other data. Both come from the
// core as JSON: a reply that does not fit is a named error.
import * as v from './validate.ts';

const count = v.integer(0);
const number = v.anyNumber;
const pairs: v.Check<[number, number][]> = v.list((value, path): [number, number] => {
  const [x = 0, y = 0] = v.list(number, 2, 2)(value, path);
  return [x, y];
}, 100_000);

const errors = v.object({ mae: number, rmse: number, r2: number });
export type Errors = v.Checked<typeof errors>;

const scores = v.object({ accuracy: number, macroF1: number, logLoss: number });
export type Scores = v.Checked<typeof scores>;

/** What was predicted less the truth: how often it lies from (first + i) * width up to the next multiple. */
const residuals = v.object({ first: v.integer(), width: number, counts: v.list(count, 1000) });
export type Residuals = v.Checked<typeof residuals>;

const classification = v.object({
  classes: v.list(v.text(100_000), 100, 2),
  model: scores,
  /** Of the shares that the classes have among the training rows. */
  majority: scores,
  logistic: scores,
  /** confusion[truth][predicted] */
  confusion: v.list(v.list(count, 100), 100),
  byClass: v.list(v.object({ precision: number, recall: number, f1: number, support: count }), 100),
  /** Each class against all others. */
  curves: v.list(
    v.object({ class: count, roc: pairs, pr: pairs, area: number, averagePrecision: number }),
    100,
  ),
  /** By the probability of what was predicted, in ten bins. */
  calibration: v.list(v.object({ count, confidence: number, accuracy: number }), 100),
  /** Rows count from 0, lines from 1; line 0 is unknown. */
  worst: v.list(
    v.object({
      row: count,
      line: count,
      truth: count,
      predicted: count,
      probability: number,
      truthProbability: number,
    }),
    100,
  ),
});
export type Classification = v.Checked<typeof classification>;

const regression = v.object({
  model: errors,
  mean: errors,
  ridge: errors,
  points: v.list(v.object({ row: count, truth: number, predicted: number }), 100_000),
  residuals,
  worst: v.list(v.object({ row: count, line: count, truth: number, predicted: number }), 100),
});
export type Regression = v.Checked<typeof regression>;

const forecast = v.object({
  model: errors,
  naive: errors,
  seasonalNaive: v.nullable(errors),
  season: count,
  /** Mean absolute errors of baselines beside the model's, one row ahead, two, ... */
  byHorizon: v.list(
    v.object({
      mae: number,
      rmse: number,
      bias: number,
      naive: number,
      seasonalNaive: v.nullable(number),
    }),
    100_000,
  ),
  residuals,
});
export type ForecastErrors = v.Checked<typeof forecast>;

export const evaluation = v.object({
  task: v.oneOf('forecast', 'regression', 'classification'),
  step: count,
  /** Validation rows that were measured, of all. */
  rows: count,
  of: count,
  /** How much the error grows when a column's values are shuffled among `importanceRows` rows; the largest first. */
  importance: v.list(v.object({ feature: v.text(100_000), growth: number }), 100_000),
  importanceRows: count,
  classification: v.nullable(classification),
  regression: v.nullable(regression),
  forecast: v.nullable(forecast),
});
export type Evaluation = v.Checked<typeof evaluation>;

/** Values of a column that training has not seen; the model takes them for "other". */
const unseen = v.object({ column: v.text(100_000), example: v.text(100_000), rows: count });
export const unseenValues = v.list(unseen, 100_000);
export type Unseen = v.Checked<typeof unseen>;

export interface NewPredictions {
  /** For the file that they are saved as. */
  name: string;
  /** CSV. */
  blob: Blob;
  rows: number;
  unseen: Unseen[];
}
