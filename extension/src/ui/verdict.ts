// The one sentence that says whether training was worth it: the validation loss beside the two forecasts that need
// no training. The loss, not a prettier figure, is compared, and a model that loses is told so plainly.

import { formatCount, formatPercent, formatRate } from './format.ts';
import { counted, t } from '../texts.ts';

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
      sentence: t('verdictNotMeasured'),
    };
  }
  if (!Number.isFinite(loss)) {
    const sentence = t('verdictDiverged');
    return { kind: 'worse', skill: null, sentence };
  }
  const rival = strongest(baselines, rowSeconds);
  if (rival === null) {
    return {
      kind: 'unknown',
      skill: null,
      sentence: t('verdictNoRival'),
    };
  }
  if (rival.loss <= 0) return againstPerfect(loss, rival.phrase);
  const skill = 1 - loss / rival.loss;
  const { phrase } = rival;
  const measure = lossName === '' ? t('loss') : lossName;
  const past = peak == null ? [] : [peakSentence(peak, rival)];
  const all = (...sentences: string[]): string => sentences.join(' ');
  if (Math.abs(skill) < draw) {
    const key = peak == null ? 'verdictEqualYet' : 'verdictEqual';
    return { kind: 'equal', skill, sentence: all(t(key, phrase, measure), ...past) };
  }
  if (skill > 0) {
    const better = t('verdictBetter', formatPercent(skill), phrase, measure);
    return { kind: 'better', skill, sentence: all(better, ...past) };
  }
  const worse =
    skill < -1
      ? t('verdictTimesWorse', formatRate(1 - skill), phrase, measure)
      : t('verdictWorse', formatPercent(-skill), phrase, measure);
  const advice = peak == null ? [t('verdictAdvice')] : past;
  return { kind: 'worse', skill, sentence: all(worse, ...advice) };
}

function peakSentence(peak: { epoch: number; loss: number }, rival: { loss: number }): string {
  const skill = 1 - peak.loss / rival.loss;
  const epoch = formatCount(peak.epoch);
  return skill >= draw ? t('peakBetter', epoch, formatPercent(skill)) : t('peak', epoch);
}

/** "repeating last year" where the rows' spacing says so, else in rows. */
export function seasonPhrase(season: number, rowSeconds: number | null): string {
  const word = rowSeconds === null ? null : calendarWord(season * rowSeconds);
  return word === null ? counted('repeatingRows', season) : t(`repeating_${word}`);
}

export function naivePhrase(): string {
  return t('repeatingLast');
}

function strongest(
  baselines: Baselines,
  rowSeconds: number | null,
): { loss: number; phrase: string } | null {
  const rivals: { loss: number; phrase: string }[] = [];
  if (Number.isFinite(baselines.naive))
    rivals.push({ loss: baselines.naive, phrase: naivePhrase() });
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
        sentence: t('verdictBothExact', phrase),
      }
    : {
        kind: 'worse',
        skill: null,
        sentence: t('verdictNotNeeded', phrase),
      };
}

type CalendarWord = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

function calendarWord(seconds: number): CalendarWord | null {
  const near = (target: number): boolean => Math.abs(seconds / target - 1) < 0.03;
  const day = 86400;
  if (near(3600)) return 'hour';
  if (near(day)) return 'day';
  if (near(7 * day)) return 'week';
  if (near(30.44 * day)) return 'month';
  if (near(91.3 * day)) return 'quarter';
  if (near(365.25 * day)) return 'year';
  return null;
}
