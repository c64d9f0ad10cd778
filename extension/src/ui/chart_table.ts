// The numbers behind a chart, folded away: made when it is opened, and anew when they have changed meanwhile, but no more
// often than a person reads them: hundreds of fields are a good part of a frame's work.

import { t } from '../texts.ts';
import { make, on } from './dom.ts';
import { each, testIds } from './testids.ts';

export interface ChartNumbers {
  headings: string[];
  rows: string[][];
}

/** More rows than a person reads, and few enough to be made in a moment. */
export const TABLE_ROWS = 200;

const REDRAW_MS = 1000;

export class ChartTable {
  readonly #table = make('table', { ...each(testIds.chartTable) });
  readonly element = make(
    'details',
    { class: 'small' },
    make('summary', {}, t('asTable')),
    make(
      'div',
      { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': t('asTable') },
      this.#table,
    ),
  );
  #numbers: () => ChartNumbers = () => ({ headings: [], rows: [] });
  #shown = '';
  #drawn = -Infinity;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    on(this.element, 'toggle', () => {
      this.#draw();
    });
  }

  show(numbers: () => ChartNumbers): void {
    this.#numbers = numbers;
    const wait = this.#drawn + REDRAW_MS - performance.now();
    if (wait <= 0) this.#draw();
    else if (this.element.open)
      this.#timer ??= setTimeout(() => {
        this.#draw();
      }, wait);
  }

  #draw(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.element.open) return;
    this.#drawn = performance.now();
    const { headings, rows } = this.#numbers();
    const shown = JSON.stringify(rows);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const head = headings.map((text) => make('th', { scope: 'col', class: 'right' }, text));
    const body = rows.map(([first = '', ...others]) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row', class: 'right' }, first),
        ...others.map((text) => make('td', { class: 'right' }, text)),
      ),
    );
    this.#table.replaceChildren(
      make('thead', {}, make('tr', {}, ...head)),
      make('tbody', {}, ...body),
    );
  }
}
