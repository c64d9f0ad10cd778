// One checkpoint in its run's list, with Resume, Download and Remove; and the way in which anything here is removed:
// only after a second word, in its own place.

import type { CheckpointView } from './checkpoint_view.ts';
import { make, on, setDisabled, setHidden } from './dom.ts';
import type { Actions, Snapshot } from './page.ts';
import { downloadCheckpoint } from './saving.ts';
import { each, testIds } from './testids.ts';
import type { TestId } from './testids.ts';
import { t } from '../texts.ts';

export interface Removal {
  /** Stands among the other buttons, which it hides while it asks. */
  ask: HTMLButtonElement;
  confirm: HTMLButtonElement;
  asked: HTMLElement;
}

export function makeRemoval(
  offered: HTMLElement,
  labels: { ask: string; confirm: string },
  ids: { ask: TestId; confirm: TestId },
  remove: () => void,
): Removal {
  const ask = make(
    'button',
    { type: 'button', class: 'quiet danger', ...each(ids.ask) },
    labels.ask,
  );
  const confirm = make(
    'button',
    { type: 'button', class: 'danger', ...each(ids.confirm) },
    labels.confirm,
  );
  const keep = make('button', { type: 'button', class: 'quiet' }, t('keep'));
  const asked = make('div', { class: 'actions', hidden: true }, confirm, keep);
  const turn = (asking: boolean) => () => {
    setHidden(offered, asking);
    setHidden(asked, !asking);
    (asking ? keep : ask).focus();
  };
  on(ask, 'click', turn(true));
  on(keep, 'click', turn(false));
  on(confirm, 'click', remove);
  offered.append(ask);
  return { ask, confirm, asked };
}

export class CheckpointRow {
  readonly element: HTMLLIElement;
  readonly #resume = make(
    'button',
    { type: 'button', ...each(testIds.checkpointResume) },
    t('resume'),
  );
  readonly #download = make(
    'button',
    { type: 'button', class: 'quiet', ...each(testIds.checkpointDownload) },
    t('download'),
  );
  readonly #removal: Removal;
  readonly #marks = make('span', { class: 'marks', ...each(testIds.checkpointMarks) });

  /** `epochs` is how many more to train for when it is resumed. */
  constructor(view: CheckpointView, actions: Actions, epochs: () => number | undefined) {
    const { id, name, store, moment, detail, problem } = view;
    on(this.#resume, 'click', () => {
      void actions.run({ type: 'checkpoint.resume', store, id, epochs: epochs() });
    });
    on(this.#download, 'click', () => void downloadCheckpoint(actions, { store, id }));
    setHidden(this.#download, problem !== null);
    setHidden(this.#resume, problem !== null);
    const offered = make('div', { class: 'actions' }, this.#resume, this.#download);
    this.#removal = makeRemoval(
      offered,
      { ask: t('remove'), confirm: t('removeForGood') },
      { ask: testIds.checkpointRemove, confirm: testIds.checkpointConfirm },
      () => void actions.run({ type: 'checkpoint.remove', store, id }),
    );
    this.element = make(
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
        this.#marks,
      ),
      make('p', { class: 'small muted number' }, detail),
      make('p', { class: 'small muted number' }, moment),
      problem === null ? null : make('p', { class: 'small problem' }, problem),
      offered,
      this.#removal.asked,
    );
  }

  update({ canResume, marks }: CheckpointView, busy: Snapshot['busy']): void {
    setDisabled(this.#resume, !canResume || busy.has('checkpoint.resume'));
    setDisabled(this.#download, busy.has('checkpoint.fetch'));
    setDisabled(this.#removal.confirm, busy.has('checkpoint.remove'));
    if (this.#marks.dataset['marks'] === marks.join(' ')) return;
    this.#marks.dataset['marks'] = marks.join(' ');
    this.#marks.replaceChildren(
      ...marks.map((mark) => make('span', { class: 'type' }, t(`mark_${mark}`))),
    );
  }
}
