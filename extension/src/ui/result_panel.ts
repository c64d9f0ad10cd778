// How a run ended: the verdict in one sentence, the losses it rests on, and what can be done with the model now.

import type { RunState } from '../messages/state.ts';
import { make, on, setAttribute, setDisabled, setHidden, setText, syncList } from './dom.ts';
import { downloadCheckpoint, saveCheckpoint } from './saving.ts';
import type { Actions, Snapshot } from './page.ts';
import type { Judgement } from './judged.ts';
import { taskOfRun } from './metric.ts';
import { viewResult } from './run_view.ts';
import type { LossBar, ResultView } from './run_view.ts';
import { judgeTable, rivalsOf } from './table_verdict.ts';
import { isOfTables } from './tasks.ts';
import { once, testIds } from './testids.ts';
import { capital, t } from '../texts.ts';

const barNames = {
  own: null,
  naive: testIds.naiveLoss,
  seasonal: testIds.seasonalLoss,
} as const;

export class ResultPanel {
  readonly #verdict = make('p', { class: 'verdict', ...once(testIds.verdict) });
  readonly #bars = make('ul', { class: 'bars', 'aria-label': t('lossHeldOut') });
  readonly #again = make(
    'button',
    { type: 'button', hidden: true, ...once(testIds.judgeAgain) },
    t('tryAgain'),
  );
  readonly #errors = make('p', { class: 'muted small' });
  readonly element = make(
    'section',
    { class: 'stack', 'aria-label': t('result') },
    this.#verdict,
    this.#bars,
    this.#errors,
    this.#again,
  );

  constructor(judgeAgain: () => void) {
    on(this.#again, 'click', judgeAgain);
  }

  update(state: RunState, judgement: Judgement): void {
    const { verdict, bars, errors } = resultOf(state, judgement);
    setHidden(this.#again, judgement.problem === null);
    setText(this.#verdict, verdict.sentence);
    setAttribute(this.#verdict, 'data-kind', verdict.kind);
    setHidden(this.#errors, errors === null);
    setText(this.#errors, errors ?? '');
    syncList(this.#bars, bars, ({ key }) => key, makeBar, showBar);
  }
}

/** Of a table: what was measured after the run, or that it is being measured. */
function resultOf(state: RunState, { evaluation, problem }: Judgement): ResultView {
  if (!isOfTables(taskOfRun(state))) return viewResult(state);
  const unknown = { kind: 'unknown' as const, skill: null };
  const measuring = state.phase === 'finished' ? t('measuringModel') : t('verdictNotMeasured');
  if (evaluation === null) {
    const sentence = problem === null ? measuring : t('noEvaluation', problem);
    return { verdict: { ...unknown, sentence }, bars: [], errors: null };
  }
  const rivals = rivalsOf(evaluation);
  const longest = Math.max(...rivals.map(({ value }) => value), Number.MIN_VALUE);
  const keys = { own: 'own', simple: 'naive', linear: 'seasonal' } as const;
  const bars = rivals.map(({ key, label, text, value }) => ({
    key: keys[key],
    label: capital(label),
    value,
    text,
    share: value / longest,
  }));
  const measure = evaluation.classification === null ? t('measureRmse') : t('measureLogLoss');
  return {
    verdict: judgeTable(evaluation, state.config?.data.target ?? ''),
    bars,
    errors: t('barsShow', capital(measure)),
  };
}

function makeBar({ key, label }: LossBar): HTMLLIElement {
  const name = barNames[key];
  const value = make('span', { class: 'number right', ...(name === null ? {} : once(name)) });
  const bar = make('progress', { max: 1, 'aria-hidden': 'true' });
  return make('li', { class: key }, make('span', {}, label), bar, value);
}

function showBar(row: HTMLLIElement, { label, text, share }: LossBar): void {
  const [name, bar, value] = row.children;
  if (name !== undefined) setText(name, label);
  if (bar instanceof HTMLProgressElement) bar.value = share;
  if (value !== undefined) setText(value, text);
}

/** Save, Download, Train more, Other settings, Other file. */
export class ResultButtons {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #save = make('button', { type: 'button', ...once(testIds.save) }, t('save'));
  readonly #download = make('button', { type: 'button', ...once(testIds.download) }, t('download'));
  readonly #more = make(
    'button',
    { type: 'button', class: 'primary', ...once(testIds.trainMore) },
    t('trainMore'),
  );
  readonly #epochs = make('input', {
    type: 'number',
    min: 1,
    max: 100_000,
    step: 1,
    'aria-label': t('moreEpochsLabel'),
    ...once(testIds.moreEpochs),
  });
  readonly #again = make('button', { type: 'button', ...once(testIds.newRun) }, t('newRun'));
  readonly #file = make('button', { type: 'button', ...once(testIds.newFile) }, t('otherFile'));

  constructor(actions: Actions, newRun: () => void, newFile: () => void) {
    this.#actions = actions;
    this.#epochs.value = '10';
    on(this.#save, 'click', () => void saveCheckpoint(actions));
    on(this.#download, 'click', () => void this.#saveAndDownload());
    on(this.#more, 'click', () => void this.#trainMore());
    on(this.#again, 'click', newRun);
    on(this.#file, 'click', newFile);
    this.element = make(
      'div',
      { class: 'stack' },
      make(
        'div',
        { class: 'actions' },
        this.#more,
        make('label', { class: 'row more' }, this.#epochs, t('epochs')),
      ),
      make('div', { class: 'actions even' }, this.#save, this.#download, this.#again, this.#file),
    );
  }

  update(state: RunState, busy: Snapshot['busy']): void {
    const saving = busy.has('checkpoint.save') || busy.has('checkpoint.fetch');
    const usable = state.phase === 'finished';
    for (const button of [this.#save, this.#download]) setDisabled(button, saving || !usable);
    setDisabled(this.#more, saving || !usable || busy.has('checkpoint.resume'));
    setText(this.#save, busy.has('checkpoint.save') ? t('saving') : t('save'));
  }

  async #saveAndDownload(): Promise<void> {
    const saved = await this.#actions.run({ type: 'checkpoint.save' });
    if (saved !== null) await downloadCheckpoint(this.#actions, saved);
  }

  /** Goes on from the run's own end: saved first, then resumed for so many epochs more. */
  async #trainMore(): Promise<void> {
    const more = this.#epochs.valueAsNumber;
    if (!Number.isInteger(more) || more < 1) {
      this.#epochs.focus();
      return;
    }
    const saved = await this.#actions.run({ type: 'checkpoint.save' });
    if (saved === null) return;
    const { store, id } = saved;
    await this.#actions.run({ type: 'checkpoint.resume', store, id, epochs: more });
  }
}
