// The charts' numbers: aligned lists with gaps where a curve has no point.
import { describe, expect, it } from 'vitest';
import { emptyHistory } from '../../../extension/src/messages/state.ts';
import {
  lossSeries,
  positive,
  predictionSeries,
  shownError,
} from '../../../extension/src/ui/series.ts';
import { history, predictions } from './states.ts';

const baselines = { naive: 0.183, seasonalNaive: 0.161, season: 365 };

describe('lossSeries', () => {
  it('puts steps and epochs on one axis of epochs', () => {
    const series = lossSeries(history(2), 36, null);
    expect(series.x).toHaveLength(72);
    expect(series.x[35]).toBe(1);
    expect(series.x.at(-1)).toBe(2);
    expect(series.steps.every((loss) => loss !== null)).toBe(true);
    expect(series.validation.flatMap((loss, i) => (loss === null ? [] : [series.x[i]]))).toEqual([
      1, 2,
    ]);
    expect(series.train.filter((loss) => loss !== null)).toHaveLength(2);
  });

  it('rises strictly in x and keeps all lists as long', () => {
    const { x, ...curves } = lossSeries(history(7), 36, baselines);
    expect(x.every((value, i) => i === 0 || value > x[i - 1]!)).toBe(true);
    for (const curve of Object.values(curves)) expect(curve).toHaveLength(x.length);
  });

  it('draws the better simple forecast as a level from end to end', () => {
    const { baseline } = lossSeries(history(2), 36, baselines);
    expect([baseline[0], baseline.at(-1)]).toEqual([0.161, 0.161]);
    expect(baseline.slice(1, -1).every((level) => level === null)).toBe(true);
    const noSeason = { ...baselines, season: 0 };
    expect(lossSeries(history(2), 36, noSeason).baseline[0]).toBe(0.183);
  });

  it('is empty before the first step', () => {
    expect(lossSeries(emptyHistory(), 0, baselines).x).toEqual([]);
  });

  it('leaves a loss that is not finite as a gap', () => {
    const broken = emptyHistory();
    broken.steps.push(1, 2);
    broken.losses.push(NaN, Infinity);
    expect(lossSeries(broken, 36, null).steps).toEqual([null, null]);
  });

  it('has no zero on a logarithmic axis', () => {
    expect(positive([0.1, 0, -1, null])).toEqual([0.1, null, null, null]);
  });
});

describe('predictionSeries', () => {
  it('moves the row with the step ahead, counting rows from 1', () => {
    const made = predictions();
    const first = predictionSeries(made, 1);
    const third = predictionSeries(made, 3);
    expect(first.x[0]).toBe(made.rows[0]! + 1);
    expect(third.x[0]).toBe(made.rows[0]! + 3);
    expect(third.truth[0]).toBe(made.truth[0]![2]);
    expect(third.forecast[5]).toBe(made.forecast[5]![2]);
  });

  it('keeps a step ahead that the run does not have within its horizon', () => {
    expect(predictionSeries(predictions(), 99)).toEqual(predictionSeries(predictions(), 7));
  });

  it('measures what is shown', () => {
    expect(shownError({ x: [1, 2, 3], truth: [1, 2, null], forecast: [2, 4, 5] })).toBe(1.5);
    expect(shownError({ x: [], truth: [], forecast: [] })).toBeNull();
  });
});
