// The one sentence that says whether training was worth it: the validation loss beside the two forecasts that need
// no training. The loss, not a prettier figure, is compared, and a model that loses is told so plainly.

import { formatCount, formatPercent, formatRate, plural } from './format.ts';

export interface Baselines {
  /** Loss of "the last value stays". */
  naive: number;
  /** Loss of "the value one season ago comes back"; null when no season is used. */
  seasonalNaive: number | null;
  /** Rows in a season; 0 when none is used. */
  season: number;
}

export interface VerdictInput {
  loss: number | null;
  lossName: string;
  baselines: Baselines | null;
  /** Seconds between two rows, when the data has a regular time column. */
  rowSeconds: number | null;
  /** An earlier epoch with a clearly lower loss: since then the model has learnt its training part by heart. */
  peak?: { epoch: number; loss: number } | null;
}

export interface Verdict {
  kind: 'unknown' | 'better' | 'equal' | 'worse';
  sentence: string;
  /** 1 - loss / best baseline: above 0 is better. */
  skill: number | null;
}

/** Under one percent either way is called a draw: it is within what another seed would change. */
const draw = 0.01;

export function judge({ loss, lossName, baselines, rowSeconds, peak }: VerdictInput): Verdict {
  if (loss === null || baselines === null) {
    return {
      kind: 'unknown',
      skill: null,
      sentence: 'Ended before it was measured on the held-out part.',
    };
  }
  if (!Number.isFinite(loss)) {
    const sentence =
      'The validation loss is not a finite number: the training diverged. Lower the learning rate.';
    return { kind: 'worse', skill: null, sentence };
  }
  const rival = strongest(baselines, rowSeconds);
  if (rival === null) {
    return {
      kind: 'unknown',
      skill: null,
      sentence: 'There is no simple forecast to compare with.',
    };
  }
  if (rival.loss <= 0) return againstPerfect(loss, rival.phrase);
  const skill = 1 - loss / rival.loss;
  const measure = lossName === '' ? '' : ` (${lossName} on the held-out part)`;
  const past = peak == null ? '' : ` ${peakSentence(peak, rival)}`;
  if (Math.abs(skill) < draw) {
    const yet = peak == null ? ': this model has not found more than that yet.' : '.';
    return {
      kind: 'equal',
      skill,
      sentence: `No better than ${rival.phrase}${measure}${yet}${past}`,
    };
  }
  if (skill > 0) {
    const sentence = `${formatPercent(skill)} better than ${rival.phrase}${measure}.${past}`;
    return { kind: 'better', skill, sentence };
  }
  const size =
    skill < -1
      ? `Worse: ${formatRate(1 - skill)} times the error of`
      : `${formatPercent(-skill)} worse than`;
  const advice =
    peak == null
      ? ' Train longer, try a lower learning rate, or choose other columns or a longer look-back.'
      : past;
  const sentence = `${size} ${rival.phrase}${measure}: do not use this model.${advice}`;
  return { kind: 'worse', skill, sentence };
}

function peakSentence(peak: { epoch: number; loss: number }, rival: { loss: number }): string {
  const skill = 1 - peak.loss / rival.loss;
  const then = skill >= draw ? `, ${formatPercent(skill)} better` : '';
  return `It was best after epoch ${formatCount(peak.epoch)}${then}: train for fewer epochs, or let it stop early.`;
}

/** "repeating last year" where the rows' spacing says so, else in rows. */
export function seasonPhrase(season: number, rowSeconds: number | null): string {
  const word = rowSeconds === null ? null : calendarWord(season * rowSeconds);
  return word === null ? `repeating the values ${plural(season, 'row')} back` : `repeating ${word}`;
}

export const naivePhrase = 'repeating the last value';

function strongest(
  baselines: Baselines,
  rowSeconds: number | null,
): { loss: number; phrase: string } | null {
  const rivals: { loss: number; phrase: string }[] = [];
  if (Number.isFinite(baselines.naive)) rivals.push({ loss: baselines.naive, phrase: naivePhrase });
  if (
    baselines.seasonalNaive !== null &&
    Number.isFinite(baselines.seasonalNaive) &&
    baselines.season > 0
  ) {
    rivals.push({
      loss: baselines.seasonalNaive,
      phrase: seasonPhrase(baselines.season, rowSeconds),
    });
  }
  return rivals.sort((left, right) => left.loss - right.loss)[0] ?? null;
}

/** A rival without error leaves no ratio: the series is constant or repeats exactly. */
function againstPerfect(loss: number, phrase: string): Verdict {
  return loss <= 0
    ? {
        kind: 'equal',
        skill: 0,
        sentence: `Both this model and ${phrase} are exact on the held-out part.`,
      }
    : {
        kind: 'worse',
        skill: null,
        sentence: `Worse than ${phrase}, which is exact here: no model is needed.`,
      };
}

function calendarWord(seconds: number): string | null {
  const near = (target: number): boolean => Math.abs(seconds / target - 1) < 0.03;
  const day = 86400;
  if (near(3600)) return 'the last hour';
  if (near(day)) return 'yesterday';
  if (near(7 * day)) return 'last week';
  if (near(30.44 * day)) return 'last month';
  if (near(91.3 * day)) return 'last quarter';
  if (near(365.25 * day)) return 'last year';
  return null;
}
