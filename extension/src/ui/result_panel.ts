// How a run ended: the verdict in one sentence, the losses it rests on, and what can be done with the model now.

import type { RunState } from '../messages/state.ts';
import { make, on, setAttribute, setDisabled, setHidden, setText, syncList } from './dom.ts';
import { downloadCheckpoint, saveCheckpoint } from './saving.ts';
import type { Actions, Snapshot } from './page.ts';
import { viewResult } from './run_view.ts';
import type { LossBar } from './run_view.ts';
import { once, testIds } from './testids.ts';
import { t } from '../texts.ts';

const barNames = {
  own: null,
  naive: testIds.naiveLoss,
  seasonal: testIds.seasonalLoss,
} as const;

export class ResultPanel {
  readonly #verdict = make('p', { class: 'verdict', ...once(testIds.verdict) });
  readonly #bars = make('ul', { class: 'bars', 'aria-label': t('lossHeldOut') });
  readonly #errors = make('p', { class: 'muted small' });
  readonly element = make(
    'section',
    { class: 'stack', 'aria-label': t('result') },
    this.#verdict,
    this.#bars,
    this.#errors,
  );

  update(state: RunState): void {
    const { verdict, bars, errors } = viewResult(state);
    setText(this.#verdict, verdict.sentence);
    setAttribute(this.#verdict, 'data-kind', verdict.kind);
    setHidden(this.#errors, errors === null);
    setText(this.#errors, errors ?? '');
    syncList(this.#bars, bars, ({ key }) => key, makeBar, showBar);
  }
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
