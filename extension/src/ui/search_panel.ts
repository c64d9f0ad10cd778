// A search while it goes on and when it has ended: how far it is, the best settings so far, and what can be done about it.
// It stands in the place of a run, or over what else is there.
import { bestTrial, canContinue, configOf, isSearching, searchOfRun } from '../messages/search.ts';
import type { Search } from '../messages/search.ts';
import type { RunState } from '../messages/state.ts';
import { isActive } from '../messages/state.ts';
import { make, on, setAttribute, setDisabled, setHidden, setText } from './dom.ts';
import type { Actions, Snapshot } from './page.ts';
import type { Screen } from './run_view.ts';
import { viewSearch } from './search_view.ts';
import { once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';
import { t } from '../texts.ts';

export class SearchPanel {
  readonly element: HTMLElement;
  readonly #title = make('h2', { ...once(testIds.searchTitle) });
  readonly #rung = make('p', { class: 'small', ...once(testIds.searchRung) });
  readonly #bar = make('progress', {
    max: 1,
    'aria-label': t('donePart'),
    ...once(testIds.searchProgress),
  });
  readonly #now = make('p', { class: 'muted small', ...once(testIds.searchNow) });
  readonly #best = make('p', { ...once(testIds.searchBest) });
  readonly #shown = make('p', { class: 'muted small' });
  readonly #use: HTMLButtonElement;
  readonly #goOn: HTMLButtonElement;
  readonly #forget: HTMLButtonElement;
  readonly #buttons: HTMLElement;
  #search: Search | null = null;

  constructor(actions: Actions) {
    this.#use = button(t('searchUse'), testIds.searchUse, 'primary', () => {
      const best = this.#search && bestTrial(this.#search);
      if (this.#search === null || best === null) return;
      void actions.run({ type: 'config.offer', config: configOf(this.#search, best) });
    });
    this.#goOn = button(
      t('goOn'),
      testIds.searchContinue,
      'primary',
      () => void actions.run({ type: 'search.continue' }),
    );
    this.#forget = button(
      t('searchForget'),
      testIds.searchForget,
      'quiet',
      () => void actions.run({ type: 'search.forget' }),
    );
    this.#buttons = make('div', { class: 'actions' }, this.#goOn, this.#use, this.#forget);
    this.element = make(
      'section',
      { class: 'stack', hidden: true, 'aria-label': t('searchTitle') },
      this.#title,
      this.#rung,
      this.#bar,
      this.#now,
      this.#best,
      this.#buttons,
      this.#shown,
    );
  }

  update(state: RunState, screen: Screen, busy: Snapshot['busy']): void {
    const { search } = state;
    this.#search = search;
    setHidden(this.element, search === null || !belongs(state, screen));
    if (search === null) return;
    const { title, rung, fraction, now, best, shown } = viewSearch(search, state);
    setAttribute(this.element, 'data-outcome', search.outcome);
    setText(this.#title, title);
    setText(this.#rung, rung);
    this.#bar.value = fraction;
    setHidden(this.#bar, search.outcome === 'completed');
    for (const [line, text] of [
      [this.#now, now],
      [this.#best, best],
      [this.#shown, screen === 'result' ? shown : ''],
    ] as const) {
      setText(line, text);
      setHidden(line, text === '');
    }
    setHidden(this.#buttons, isSearching(state));
    setHidden(this.#use, bestTrial(search) === null);
    setHidden(this.#goOn, !canContinue(search));
    setAttribute(this.#use, 'class', canContinue(search) ? null : 'primary');
    setDisabled(this.#goOn, busy.has('search.continue') || isActive(state.phase));
    setDisabled(this.#forget, busy.has('search.forget'));
  }
}

/** In the place of the run; over its run's result; and before the next run, until its settings are used or it is put away. */
function belongs(state: RunState, screen: Screen): boolean {
  if (screen === 'search') return true;
  if (screen === 'result') return searchOfRun(state) !== null;
  return (screen === 'pick' || screen === 'setup') && state.offered === null;
}

/** Stands in the page's foot while the search goes on. */
export class SearchButtons {
  readonly element: HTMLElement;
  readonly #stop: HTMLButtonElement;

  constructor(actions: Actions) {
    this.#stop = button(
      t('stop'),
      testIds.searchStop,
      '',
      () => void actions.run({ type: 'search.stop' }),
    );
    this.element = make('div', { class: 'actions' }, this.#stop);
  }

  update(busy: Snapshot['busy']): void {
    setDisabled(this.#stop, busy.has('search.stop'));
  }
}

function button(label: string, name: TestId, kind: string, work: () => void): HTMLButtonElement {
  const made = make('button', { type: 'button', class: kind || null, ...once(name) }, label);
  return on(made, 'click', work);
}
