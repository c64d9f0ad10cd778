// The sentence under a run: it must be plain, and honest when the model loses.
import { describe, expect, it } from 'vitest';
import { judge, seasonPhrase } from '../../../extension/src/ui/verdict.ts';
import type { VerdictInput } from '../../../extension/src/ui/verdict.ts';

const daily = 86_400;

function verdict(change: Partial<VerdictInput>): ReturnType<typeof judge> {
  return judge({
    loss: 0.1,
    lossName: 'mean squared error',
    baselines: { naive: 0.3, seasonalNaive: 0.2, season: 365 },
    rowSeconds: daily,
    ...change,
  });
}

describe('judge', () => {
  it('compares with the stronger of the two simple forecasts and names it by the calendar', () => {
    const { kind, skill, sentence } = verdict({});
    expect(kind).toBe('better');
    expect(skill).toBeCloseTo(0.5);
    expect(sentence).toMatch(/^50% better than repeating last year \(mean squared error/);
  });

  it('names the last value when that is the stronger one', () => {
    const { sentence } = verdict({
      baselines: { naive: 0.2, seasonalNaive: 0.4, season: 7 },
    });
    expect(sentence).toMatch(/^50% better than repeating the last value/);
  });

  it('says plainly that a model is worse', () => {
    const { kind, sentence } = verdict({ loss: 0.25 });
    expect(kind).toBe('worse');
    expect(sentence).toMatch(/^25% worse than repeating last year/);
    expect(sentence).toContain('do not use this model');
  });

  it('gives the ratio when the error is more than twice as large', () => {
    const { kind, sentence } = verdict({ loss: 0.7 });
    expect(kind).toBe('worse');
    expect(sentence).toMatch(/^Worse: 3.5 times the error of repeating last year/);
  });

  it('calls less than one percent a draw', () => {
    expect(verdict({ loss: 0.199 }).kind).toBe('equal');
    expect(verdict({ loss: 0.201 }).kind).toBe('equal');
    expect(verdict({ loss: 0.201 }).sentence).toMatch(/^No better than/);
    expect(verdict({ loss: 0.195 }).kind).toBe('better');
    expect(verdict({ loss: 0.205 }).kind).toBe('worse');
  });

  it('says when an earlier epoch was better, and then does not advise to train longer', () => {
    const peak = { epoch: 9, loss: 0.05 };
    expect(verdict({ loss: 0.25, peak }).sentence).toMatch(
      /do not use this model\. It was best after epoch 9, 75% better: train for fewer epochs, or let it stop early\.$/,
    );
    expect(verdict({ peak }).sentence).toMatch(/^50% better .* It was best after epoch 9/);
    expect(verdict({ loss: 0.9, peak: { epoch: 2, loss: 0.3 } }).sentence).toContain(
      'It was best after epoch 2: train for fewer',
    );
  });

  it('ignores a season that was not found', () => {
    const baselines = { naive: 0.3, seasonalNaive: 0.01, season: 0 };
    expect(verdict({ baselines }).kind).toBe('better');
    const none = { naive: 0.3, seasonalNaive: null, season: 365 };
    expect(verdict({ baselines: none }).sentence).toContain('the last value');
  });

  it('says when nothing was measured', () => {
    expect(verdict({ loss: null }).kind).toBe('unknown');
    expect(verdict({ baselines: null }).kind).toBe('unknown');
  });

  it('does not call a diverged run anything but worse', () => {
    const { kind, sentence } = verdict({ loss: NaN });
    expect(kind).toBe('worse');
    expect(sentence).toContain('diverged');
  });

  it('keeps a ratio out of the sentence when the simple forecast is exact', () => {
    const baselines = { naive: 0, seasonalNaive: 0.2, season: 7 };
    const { kind, sentence } = verdict({ baselines });
    expect(kind).toBe('worse');
    expect(sentence).toMatch(/which is exact here/);
    expect(verdict({ baselines, loss: 0 }).kind).toBe('equal');
  });
});

describe('seasonPhrase', () => {
  it.each([
    [365, daily, 'repeating last year'],
    [7, daily, 'repeating last week'],
    [24, 3600, 'repeating yesterday'],
    [12, 30.44 * daily, 'repeating last year'],
    [12, 31 * daily, 'repeating last year'],
    [10, daily, 'repeating the values 10 rows back'],
    [7, null, 'repeating the values 7 rows back'],
  ])('calls %s rows of %s s "%s"', (season, seconds, phrase) => {
    expect(seasonPhrase(season, seconds)).toBe(phrase);
  });
});
