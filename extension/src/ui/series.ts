// The numbers of the charts, aligned as uPlot wants them: one list of x, and for each curve a list of y of the same
// length with null where that curve has no point.

import type { Baselines, History, Predictions } from '../messages/state.ts';

export interface LossSeries {
  /** In epochs. */
  x: number[];
  /** The loss of single steps, thinned. */
  steps: (number | null)[];
  train: (number | null)[];
  validation: (number | null)[];
  /** The better of the forecasts that need no training, as a level line. */
  baseline: (number | null)[];
}

export function lossSeries(
  history: History,
  stepsPerEpoch: number,
  baselines: Baselines | null,
): LossSeries {
  const perEpoch = Math.max(1, stepsPerEpoch);
  const series: LossSeries = { x: [], steps: [], train: [], validation: [], baseline: [] };
  const { steps, losses, epochs } = history;
  // Both lists rise, so one walk through them is enough however long they are.
  for (let [i, j] = [0, 0]; i < steps.length || j < epochs.length;) {
    const atStep = i < steps.length ? (steps[i] ?? 0) / perEpoch : Infinity;
    const atEpoch = epochs[j]?.epoch ?? Infinity;
    const x = Math.min(atStep, atEpoch);
    const epoch = atEpoch === x ? epochs[j] : undefined;
    series.x.push(x);
    series.steps.push(atStep === x ? finite(losses[i]) : null);
    series.train.push(finite(epoch?.trainLoss));
    series.validation.push(finite(epoch?.validationLoss));
    series.baseline.push(null);
    if (atStep === x) i += 1;
    if (atEpoch === x) j += 1;
  }
  const level = best(baselines);
  if (series.x.length > 0) series.baseline[0] = level;
  if (series.x.length > 0) series.baseline[series.x.length - 1] = level;
  return series;
}

/** A logarithm has no place for zero and below. */
export function positive(values: readonly (number | null)[]): (number | null)[] {
  return values.map((value) => (value !== null && value > 0 ? value : null));
}

function best(baselines: Baselines | null): number | null {
  if (baselines === null) return null;
  const { naive, seasonalNaive, season } = baselines;
  const levels = [naive];
  if (season > 0 && seasonalNaive !== null) levels.push(seasonalNaive);
  const finiteLevels = levels.filter(Number.isFinite);
  return finiteLevels.length === 0 ? null : Math.min(...finiteLevels);
}

export interface PredictionSeries {
  /** Rows of the data set, counted from 1 as in the preview. */
  x: number[];
  truth: (number | null)[];
  forecast: (number | null)[];
}

/** Truth and forecast `ahead` rows ahead (1 is the next row) of each window. */
export function predictionSeries(predictions: Predictions, ahead: number): PredictionSeries {
  const h = Math.min(Math.max(1, ahead), Math.max(1, predictions.horizon)) - 1;
  return {
    x: predictions.rows.map((row) => row + h + 1),
    truth: predictions.truth.map((values) => finite(values[h])),
    forecast: predictions.forecast.map((values) => finite(values[h])),
  };
}

/** Mean absolute error of what is drawn. */
export function shownError({ truth, forecast }: PredictionSeries): number | null {
  let sum = 0;
  let count = 0;
  truth.forEach((value, i) => {
    const guess = forecast[i] ?? null;
    if (value === null || guess === null) return;
    sum += Math.abs(value - guess);
    count += 1;
  });
  return count === 0 ? null : sum / count;
}

function finite(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
