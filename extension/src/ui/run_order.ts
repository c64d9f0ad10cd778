// In which order the stored runs stand, and which of them: all, or those whose note has a tag, which can be removed
// together.

import { sortRuns, tagsOf } from '../messages/runs.ts';
import type { RunGroup, RunOrderName } from '../messages/runs.ts';
import type { StoredRun } from '../messages/state.ts';
import { counted, t } from '../texts.ts';
import { makeRemoval } from './checkpoint_row.ts';
import type { Removal } from './checkpoint_row.ts';
import { make, on, setHidden, setOptions, setText } from './dom.ts';
import { once, testIds } from './testids.ts';

const ORDERS: RunOrderName[] = ['newest', 'name', 'loss', 'size'];
const ALL = '';

export class RunOrder {
  readonly element: HTMLElement;
  readonly #order = make('select', { 'aria-label': t('sortRuns'), ...once(testIds.runOrder) });
  readonly #tag = make('select', { 'aria-label': t('tagged'), ...once(testIds.runTag) });
  readonly #offered = make('div', { class: 'actions', hidden: true });
  readonly #removal: Removal;
  #by: RunOrderName = 'newest';
  #only = ALL;
  #tagged: RunGroup[] = [];

  /** `changed`: the list is to be drawn anew; `remove` all of these. */
  constructor(changed: () => void, remove: (runs: StoredRun[]) => void) {
    on(this.#order, 'change', () => {
      this.#by = ORDERS.find((order) => order === this.#order.value) ?? 'newest';
      changed();
    });
    on(this.#tag, 'change', () => {
      this.#only = this.#tag.value;
      changed();
    });
    this.#removal = makeRemoval(
      this.#offered,
      { ask: t('removeTagged'), confirm: t('removeForGood') },
      { ask: testIds.tagRemove, confirm: testIds.tagConfirm },
      () => {
        remove(this.#tagged);
        this.#settle();
      },
    );
    this.element = make(
      'div',
      { class: 'stack tight', hidden: true },
      make('div', { class: 'row' }, this.#order, this.#tag),
      this.#offered,
      this.#removal.asked,
    );
  }

  /** Nothing is asked any more. */
  #settle(): void {
    setHidden(this.#removal.asked, true);
    setHidden(this.#offered, this.#only === ALL);
  }

  readonly arrange = (groups: RunGroup[]): RunGroup[] => {
    const tags = [...new Set(groups.flatMap(({ note }) => tagsOf(note)))].sort();
    if (!tags.includes(this.#only)) this.#only = ALL;
    setHidden(this.element, groups.length < 2);
    setHidden(this.#tag, tags.length === 0);
    setOptions(
      this.#order,
      ORDERS.map((value) => ({ value, label: t(`sort_${value}`) })),
      this.#by,
    );
    setOptions(
      this.#tag,
      [{ value: ALL, label: t('allTags') }, ...tags.map((tag) => ({ value: tag, label: tag }))],
      this.#only,
    );
    const shown = groups.filter(
      ({ note }) => this.#only === ALL || tagsOf(note).includes(this.#only),
    );
    if (this.#only === ALL || shown.length !== this.#tagged.length) this.#settle();
    this.#tagged = shown;
    setText(this.#removal.confirm, counted('removeTaggedForGood', shown.length));
    return sortRuns(shown, this.#by);
  };
}
