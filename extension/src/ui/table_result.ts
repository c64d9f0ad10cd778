// The dashboard's card of a finished run on a table: everything that was measured of its model.

import type { Evaluation } from '../messages/evaluation.ts';
import type { RunState } from '../messages/state.ts';
import { t } from '../texts.ts';
import { classSections } from './class_result.ts';
import { make, setHidden } from './dom.ts';
import { formatAlike, formatCount } from './format.ts';
import type { Judgement } from './judged.ts';
import { numberSections } from './number_result.ts';
import { makeBars, titled } from './tables.ts';
import { once, testIds } from './testids.ts';

/** More columns than a person compares at a glance. */
const MOST_BARS = 30;

export class TableResult {
  readonly element = make('section', {
    class: 'card',
    hidden: true,
    'aria-label': t('howGood'),
    ...once(testIds.tableResult),
  });
  #shown: Evaluation | null = null;

  update({ config }: RunState, { evaluation }: Judgement): void {
    setHidden(this.element, evaluation === null);
    if (evaluation === this.#shown) return;
    this.#shown = evaluation;
    const sections = evaluation === null ? [] : sectionsFor(evaluation, config?.data.target ?? '');
    this.element.replaceChildren(...sections);
  }
}

function sectionsFor(evaluation: Evaluation, target: string): HTMLElement[] {
  const { classification, regression, rows, of } = evaluation;
  return [
    make('h2', {}, t('howGood')),
    make('p', { class: 'muted small' }, t('measuredOn', formatCount(rows), formatCount(of))),
    ...(classification === null ? [] : classSections(classification)),
    ...(regression === null ? [] : numberSections(regression, target)),
    importanceSection(evaluation),
  ];
}

/** A column that the model does not need may even stand in its way: its bar is empty, its number below 0. */
function importanceSection({
  importance,
  importanceRows,
  classification,
}: Evaluation): HTMLElement {
  const longest = Math.max(...importance.map(({ growth }) => growth), Number.MIN_VALUE);
  const most = importance.slice(0, MOST_BARS);
  const texts = formatAlike(most.map(({ growth }) => growth));
  const bars = most.map(({ feature, growth }, i) => ({
    label: feature,
    text: texts[i] ?? '',
    share: growth / longest,
    own: true,
  }));
  const measure = classification === null ? t('measureMae') : t('measureLogLoss');
  const left = importance.length - bars.length;
  return titled(
    t('importance'),
    make('p', { class: 'muted small' }, t('importanceHelp', measure, formatCount(importanceRows))),
    makeBars(t('importance'), testIds.importance, bars),
    left > 0 ? make('p', { class: 'muted small' }, t('importanceMore', formatCount(left))) : null,
  );
}
