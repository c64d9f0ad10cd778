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
  const points = new Map<
    number,
    { step?: number | undefined; train?: number | null; validation?: number | null }
  >();
  history.steps.forEach((step, i) => {
    points.set(step / perEpoch, { step: history.losses[i] });
  });
  for (const epoch of history.epochs) {
    const { trainLoss: train, validationLoss: validation } = epoch;
    points.set(epoch.epoch, { ...points.get(epoch.epoch), train, validation });
  }
  const x = [...points.keys()].sort((left, right) => left - right);
  const at = x.map((position) => points.get(position) ?? {});
  const level = best(baselines);
  return {
    x,
    steps: at.map(({ step }) => finite(step)),
    train: at.map(({ train }) => finite(train)),
    validation: at.map(({ validation }) => finite(validation)),
    baseline: x.map((_, i) => (i === 0 || i === x.length - 1 ? level : null)),
  };
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
