// The saved checkpoints of both stores, with Resume, Download and Remove. Removing asks once more in the row itself.

import type { RunState } from '../messages/state.ts';
import { viewCheckpoints } from './checkpoint_view.ts';
import type { CheckpointView } from './checkpoint_view.ts';
import { make, on, setDisabled, setHidden, setText, syncList } from './dom.ts';
import { downloadCheckpoint } from './saving.ts';
import { plural } from './format.ts';
import type { Actions, Snapshot } from './page.ts';
import { each, once, testIds } from './testids.ts';

export class Checkpoints {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #title = make('h2', {}, 'Checkpoints');
  readonly #list = make('ul', { class: 'checkpoints' });
  readonly #none = make(
    'p',
    { class: 'muted small' },
    'None saved yet. A run can be saved at any moment and resumed later.',
  );
  readonly #epochs = make('input', {
    type: 'number',
    min: 1,
    max: 100_000,
    step: 1,
    placeholder: 'all',
    ...once(testIds.resumeEpochs),
  });
  readonly #more = make(
    'label',
    {
      class: 'row small muted more',
      title: 'Left empty, a run goes on to the end that it was planned with',
    },
    'Resume for',
    this.#epochs,
    'more epochs',
  );
  #busy: Snapshot['busy'] = new Set();

  constructor(actions: Actions) {
    this.#actions = actions;
    const refresh = make(
      'button',
      { type: 'button', class: 'quiet', ...once(testIds.checkpointRefresh) },
      'Look again',
    );
    on(refresh, 'click', () => void actions.run({ type: 'checkpoint.list' }));
    const head = make('div', { class: 'row spread' }, this.#title, refresh);
    this.element = make(
      'section',
      { class: 'card', 'aria-label': 'Checkpoints' },
      head,
      this.#none,
      this.#more,
      this.#list,
    );
  }

  update(state: RunState, busy: Snapshot['busy']): void {
    this.#busy = busy;
    const views = viewCheckpoints(state);
    setHidden(this.#none, views.length > 0);
    setHidden(this.#more, views.length === 0);
    setText(this.#title, views.length === 0 ? 'Checkpoints' : plural(views.length, 'checkpoint'));
    syncList(
      this.#list,
      views,
      ({ key, detail, problem }) => `${key} ${detail} ${problem ?? ''}`,
      (view) => this.#make(view),
      (row, view) => {
        this.#show(row, view);
      },
    );
  }

  #make({ id, name, store, storeLabel, moment, detail, problem }: CheckpointView): HTMLLIElement {
    const resume = make('button', { type: 'button', ...each(testIds.checkpointResume) }, 'Resume');
    const download = make(
      'button',
      { type: 'button', class: 'quiet', ...each(testIds.checkpointDownload) },
      'Download',
    );
    const remove = make(
      'button',
      { type: 'button', class: 'quiet danger', ...each(testIds.checkpointRemove) },
      'Remove',
    );
    const confirm = make(
      'button',
      { type: 'button', class: 'danger', ...each(testIds.checkpointConfirm) },
      'Remove for good',
    );
    const keep = make('button', { type: 'button', class: 'quiet' }, 'Keep');
    const offered = make('div', { class: 'actions' }, resume, download, remove);
    const asked = make('div', { class: 'actions', hidden: true }, confirm, keep);
    const ask = (asking: boolean) => () => {
      setHidden(offered, asking);
      setHidden(asked, !asking);
      (asking ? keep : remove).focus();
    };
    on(resume, 'click', () => {
      const epochs = this.#epochs.value === '' ? undefined : this.#epochs.valueAsNumber;
      void this.#actions.run({ type: 'checkpoint.resume', store, id, epochs });
    });
    on(download, 'click', () => void downloadCheckpoint(this.#actions, { store, id }));
    on(remove, 'click', ask(true));
    on(keep, 'click', ask(false));
    on(confirm, 'click', () => void this.#actions.run({ type: 'checkpoint.remove', store, id }));
    setHidden(download, problem !== null);
    setHidden(resume, problem !== null);
    return make(
      'li',
      {
        'data-id': id,
        'data-store': store,
        'data-ok': String(problem === null),
        ...each(testIds.checkpointRow),
      },
      make(
        'div',
        { class: 'row spread' },
        make('strong', { class: 'clip', title: id }, name),
        make('span', { class: 'type' }, storeLabel),
      ),
      make('p', { class: 'small muted number' }, detail),
      make('p', { class: 'small muted number' }, moment),
      problem === null ? null : make('p', { class: 'small problem' }, problem),
      offered,
      asked,
    );
  }

  #show(row: HTMLLIElement, { canResume }: CheckpointView): void {
    const resume = row.querySelector<HTMLButtonElement>(
      `[data-testid=${testIds.checkpointResume}]`,
    );
    if (resume !== null) setDisabled(resume, !canResume || this.#busy.has('checkpoint.resume'));
    const download = row.querySelector<HTMLButtonElement>(
      `[data-testid=${testIds.checkpointDownload}]`,
    );
    if (download !== null) setDisabled(download, this.#busy.has('checkpoint.fetch'));
    const confirm = row.querySelector<HTMLButtonElement>(
      `[data-testid=${testIds.checkpointConfirm}]`,
    );
    if (confirm !== null) setDisabled(confirm, this.#busy.has('checkpoint.remove'));
  }
}
