// The saved checkpoints of both stores by run, and how large they are together.

import type { RunState, StoredRun } from '../messages/state.ts';
import { totalText, viewRuns } from './checkpoint_view.ts';
import { make, on, setHidden, setText, syncList } from './dom.ts';
import type { Actions, Snapshot } from './page.ts';
import { makeRunImports } from './run_extras.ts';
import { RunGroup } from './run_group.ts';
import { RunOrder } from './run_order.ts';
import { once, testIds } from './testids.ts';
import { t } from '../texts.ts';

export class Checkpoints {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #title = make('h2', { ...once(testIds.checkpointTotal) }, t('checkpointsTitle'));
  #redraw: () => void = () => undefined;
  readonly #order = new RunOrder(
    () => {
      this.#redraw();
    },
    (runs) => void this.#remove(runs),
  );
  readonly #list = make('ul', { class: 'runs' });
  readonly #groups = new WeakMap<HTMLLIElement, RunGroup>();
  readonly #none = make('p', { class: 'muted small' }, t('noCheckpoints'));
  readonly #epochs = make('input', {
    type: 'number',
    min: 1,
    max: 100_000,
    step: 1,
    placeholder: t('allEpochs'),
    ...once(testIds.resumeEpochs),
  });
  readonly #more = make(
    'label',
    {
      class: 'row small muted more',
      title: t('resumeForHelp'),
    },
    t('resumeFor'),
    this.#epochs,
    t('resumeForUnit'),
  );

  constructor(actions: Actions) {
    this.#actions = actions;
    const refresh = make(
      'button',
      { type: 'button', class: 'quiet', ...once(testIds.checkpointRefresh) },
      t('lookAgain'),
    );
    on(refresh, 'click', () => void actions.run({ type: 'checkpoint.list' }));
    const head = make('div', { class: 'row spread' }, this.#title, refresh);
    this.element = make(
      'section',
      { class: 'card', 'aria-label': t('checkpointsTitle') },
      head,
      makeRunImports(actions),
      this.#none,
      this.#more,
      this.#order.element,
      this.#list,
    );
  }

  update(state: RunState, busy: Snapshot['busy']): void {
    const runs = viewRuns(state, this.#order.arrange);
    this.#redraw = () => {
      this.update(state, busy);
    };
    const none = state.checkpoints.length === 0;
    setHidden(this.#none, !none);
    setHidden(this.#more, none);
    setText(this.#title, none ? t('checkpointsTitle') : totalText(state));
    syncList(
      this.#list,
      runs,
      ({ key }) => key,
      (view) => {
        const group = new RunGroup(view, this.#actions, () => this.#moreEpochs());
        this.#groups.set(group.element, group);
        return group.element;
      },
      (element, view) => this.#groups.get(element)?.update(view, busy),
    );
  }

  /** One that cannot be removed stays, and a notice says why. */
  async #remove(runs: readonly StoredRun[]): Promise<void> {
    for (const { store, run } of runs) await this.#actions.run({ type: 'run.remove', store, run });
  }

  #moreEpochs(): number | undefined {
    return this.#epochs.value === '' ? undefined : this.#epochs.valueAsNumber;
  }
}
