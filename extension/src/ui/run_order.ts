// In which order the stored runs stand, and which of them: all, or those whose note has a tag.

import { sortRuns, tagsOf } from '../messages/runs.ts';
import type { RunGroup, RunOrderName } from '../messages/runs.ts';
import { t } from '../texts.ts';
import { make, on, setHidden, setOptions } from './dom.ts';
import { once, testIds } from './testids.ts';

const ORDERS: RunOrderName[] = ['newest', 'name', 'loss', 'size'];
const ALL = '';

export class RunOrder {
  readonly element: HTMLElement;
  readonly #order = make('select', { 'aria-label': t('sortRuns'), ...once(testIds.runOrder) });
  readonly #tag = make('select', { 'aria-label': t('tagged'), ...once(testIds.runTag) });
  #by: RunOrderName = 'newest';
  #only = ALL;

  /** `changed`: the list is to be drawn anew. */
  constructor(changed: () => void) {
    on(this.#order, 'change', () => {
      this.#by = ORDERS.find((order) => order === this.#order.value) ?? 'newest';
      changed();
    });
    on(this.#tag, 'change', () => {
      this.#only = this.#tag.value;
      changed();
    });
    this.element = make('div', { class: 'row', hidden: true }, this.#order, this.#tag);
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
    return sortRuns(shown, this.#by);
  };
}
