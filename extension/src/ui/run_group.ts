// A run of the list of checkpoints: its name and note, which can be edited in place, its size, and its checkpoints. It
// stays the same element while the list changes, so that what is being written is not lost.

import { RUN_NAME_LENGTH, RUN_NOTE_LENGTH } from '../messages/checkpoint_names.ts';
import { CheckpointRow, makeRemoval } from './checkpoint_row.ts';
import type { Removal } from './checkpoint_row.ts';
import type { RunGroupView } from './checkpoint_view.ts';
import { make, on, setDisabled, setHidden, setText, syncList } from './dom.ts';
import type { Actions, Snapshot } from './page.ts';
import { runExtras } from './run_extras.ts';
import { each, testIds } from './testids.ts';
import { t } from '../texts.ts';

export class RunGroup {
  readonly element: HTMLLIElement;
  readonly #actions: Actions;
  readonly #epochs: () => number | undefined;
  readonly #title = make('strong', { class: 'clip', ...each(testIds.runTitle) });
  readonly #note = make('p', { class: 'small note', ...each(testIds.runNote) });
  readonly #detail = make('p', { class: 'small muted number', ...each(testIds.runDetail) });
  readonly #problem = make('p', { class: 'small problem' });
  readonly #list = make('ul', { class: 'checkpoints' });
  readonly #rows = new WeakMap<HTMLLIElement, CheckpointRow>();
  readonly #name = make('input', {
    type: 'text',
    maxlength: RUN_NAME_LENGTH,
    'aria-label': t('runName'),
    ...each(testIds.runName),
  });
  readonly #text = make('textarea', {
    rows: 3,
    maxlength: RUN_NOTE_LENGTH,
    'aria-label': t('runNote'),
    ...each(testIds.runNoteText),
  });
  readonly #save = make('button', { type: 'submit', ...each(testIds.runSave) }, t('save'));
  readonly #form: HTMLFormElement;
  readonly #offered: HTMLElement;
  readonly #removal: Removal;
  #view: RunGroupView;

  constructor(view: RunGroupView, actions: Actions, epochs: () => number | undefined) {
    this.#view = view;
    this.#actions = actions;
    this.#epochs = epochs;
    const edit = make(
      'button',
      { type: 'button', class: 'quiet', ...each(testIds.runEdit) },
      t('nameAndNote'),
    );
    const cancel = make('button', { type: 'button', class: 'quiet' }, t('cancel'));
    this.#form = make(
      'form',
      { class: 'stack', hidden: true },
      this.#name,
      this.#text,
      make('div', { class: 'actions' }, this.#save, cancel),
    );
    this.#offered = make('div', { class: 'actions' }, edit, ...runExtras(actions, view));
    const { store, run } = view;
    this.#removal = makeRemoval(
      this.#offered,
      { ask: t('removeRun'), confirm: t('removeRunForGood') },
      { ask: testIds.runRemove, confirm: testIds.runConfirm },
      () => void actions.run({ type: 'run.remove', store, run }),
    );
    on(edit, 'click', () => {
      this.#edit(true);
    });
    on(cancel, 'click', () => {
      this.#edit(false);
    });
    on(this.#form, 'submit', (event) => {
      event.preventDefault();
      void this.#describe();
    });
    this.element = make(
      'li',
      { class: 'run', 'data-run': run, 'data-store': store, ...each(testIds.runGroup) },
      make(
        'div',
        { class: 'row spread' },
        this.#title,
        make('span', { class: 'type' }, view.storeLabel),
      ),
      this.#note,
      this.#detail,
      this.#problem,
      this.#form,
      this.#offered,
      this.#removal.asked,
      this.#list,
    );
  }

  update(view: RunGroupView, busy: Snapshot['busy']): void {
    this.#view = view;
    setText(this.#title, view.title);
    this.#title.title = view.run;
    setText(this.#note, view.note);
    setHidden(this.#note, view.note === '');
    setText(this.#detail, view.detail);
    setText(this.#problem, view.problem ?? '');
    setHidden(this.#problem, view.problem === null);
    setDisabled(this.#save, busy.has('run.describe'));
    setDisabled(this.#removal.confirm, busy.has('run.remove'));
    syncList(
      this.#list,
      view.checkpoints,
      ({ key, detail, moment, problem }) => `${key} ${detail} ${moment} ${problem ?? ''}`,
      (checkpoint) => {
        const row = new CheckpointRow(checkpoint, this.#actions, this.#epochs);
        this.#rows.set(row.element, row);
        return row.element;
      },
      (element, checkpoint) => this.#rows.get(element)?.update(checkpoint, busy),
    );
  }

  #edit(editing: boolean): void {
    setHidden(this.#form, !editing);
    setHidden(this.#offered, editing);
    if (!editing) return;
    this.#name.value = this.#view.name;
    this.#text.value = this.#view.note;
    this.#name.focus();
  }

  async #describe(): Promise<void> {
    const { store, run } = this.#view;
    const [name, note] = [this.#name.value.trim(), this.#text.value.trim()];
    const done = await this.#actions.run({ type: 'run.describe', store, run, name, note });
    if (done !== null) this.#edit(false);
  }
}
