// The dashboard's card of a search: its candidates, the smallest validation loss first, and why some have failed.
import type { RunState } from '../messages/state.ts';
import { t } from '../texts.ts';
import { make, setHidden, setText } from './dom.ts';
import { failuresOf, tableOf } from './search_view.ts';
import { framed, makeRows } from './tables.ts';
import { testIds } from './testids.ts';

export class SearchCard {
  readonly #tag = make('p', { class: 'muted small' });
  readonly #frame = framed(t('searchRanked'), make('table'));
  readonly #failures = make('ul', { class: 'muted small' });
  readonly element = make(
    'section',
    { class: 'card', hidden: true, 'aria-label': t('searchCandidates') },
    make('h2', {}, t('searchCandidates')),
    this.#tag,
    this.#frame,
    this.#failures,
  );
  #shown = '';

  /** Made anew where something of it has changed. */
  update(state: RunState): void {
    const { search } = state;
    setHidden(this.element, search === null);
    if (search === null) return;
    setText(this.#tag, t('searchTag', search.tag));
    const { headings, rows } = tableOf(search, state);
    const failures = failuresOf(search);
    const shown = JSON.stringify([headings, rows, failures]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const label = t('searchRanked');
    const text = { name: testIds.searchTable, label, texts: 2, headings, rows };
    this.#frame.replaceChildren(makeRows(text));
    this.#failures.replaceChildren(...failures.map((failure) => make('li', {}, failure)));
    setHidden(this.#failures, failures.length === 0);
  }
}
