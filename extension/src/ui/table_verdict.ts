// Whether training on a table was worth it, in plain sentences: beside what needs no training (the commonest class, the
// mean) and beside the simplest model (logistic or ridge regression), by the loss that is fair to all of them.

import type { Classification, Evaluation, Regression } from '../messages/evaluation.ts';
import { t } from '../texts.ts';
import { formatAlike, formatPercent, formatShare } from './format.ts';
import type { Verdict } from './verdict.ts';

/** A rival, and what of it is compared: the smaller the better. */
export interface Rival {
  key: 'own' | 'simple' | 'linear';
  label: string;
  /** What a person reads of it. */
  text: string;
  value: number;
}

/** Under one percent either way is what another seed would change. */
const DRAW = 0.01;

export function rivalsOf({ classification, regression }: Evaluation): Rival[] {
  if (classification !== null) {
    const { model, majority, logistic } = classification;
    return alike([
      { key: 'own', label: t('thisModel'), value: model.logLoss },
      { key: 'simple', label: t('rivalMajority'), value: majority.logLoss },
      { key: 'linear', label: t('rivalLogistic'), value: logistic.logLoss },
    ]);
  }
  if (regression === null) return [];
  const { model, mean, ridge } = regression;
  return alike([
    { key: 'own', label: t('thisModel'), value: model.rmse },
    { key: 'simple', label: t('rivalMean'), value: mean.rmse },
    { key: 'linear', label: t('rivalRidge'), value: ridge.rmse },
  ]);
}

function alike(rivals: Omit<Rival, 'text'>[]): Rival[] {
  const texts = formatAlike(rivals.map(({ value }) => value));
  return rivals.map((rival, i) => ({ ...rival, text: texts[i] ?? '' }));
}

export function judgeTable(evaluation: Evaluation, target: string): Verdict {
  const { classification, regression } = evaluation;
  const how =
    classification !== null
      ? rightOf(classification)
      : regression !== null
        ? offOf(regression, target)
        : '';
  const rivals = rivalsOf(evaluation);
  const own = rivals.find(({ key }) => key === 'own');
  const others = rivals.filter(({ key }) => key !== 'own').sort((a, b) => a.value - b.value);
  const [best] = others;
  if (own === undefined || best === undefined)
    return { kind: 'unknown', skill: null, sentence: t('verdictNotMeasured') };
  const measure = classification === null ? t('measureRmse') : t('measureLogLoss');
  // A rival without error leaves no ratio.
  const skill = best.value > 0 ? 1 - own.value / best.value : own.value > 0 ? -Infinity : 0;
  const kind = Math.abs(skill) < DRAW ? 'equal' : skill > 0 ? 'better' : 'worse';
  const said = {
    better: () => t('tableBetter', formatPercent(skill), best.label, measure),
    equal: () => t('tableEqual', best.label, measure),
    worse: () => t('tableWorse', best.label, measure),
  };
  const finite = Number.isFinite(skill) ? skill : null;
  return { kind, skill: finite, sentence: `${how} ${said[kind]()}` };
}

function rightOf({ model, majority, logistic }: Classification): string {
  return t(
    'rightFor',
    formatShare(model.accuracy),
    formatShare(majority.accuracy),
    formatShare(logistic.accuracy),
  );
}

function offOf({ model, mean, ridge }: Regression, target: string): string {
  const [own = '', simple = '', linear = ''] = formatAlike([model.mae, mean.mae, ridge.mae]);
  return t('offFor', own, target, simple, linear);
}
