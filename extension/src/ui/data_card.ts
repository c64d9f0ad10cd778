// What was read, in full: every column with its statistics, the first rows as they stand in the file, the repairs.

import type { DatasetDescription, RunState } from '../messages/state.ts';
import { shapeOf, statisticsOf } from './columns.ts';
import { make, setText } from './dom.ts';
import { identityOf } from './draft.ts';
import { shorten } from './format.ts';
import { Repairs } from './repairs.ts';
import { once, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

const cellLength = 60;

export interface PreviewedRows {
  columns: Pick<DatasetDescription['columns'][number], 'name' | 'type'>[];
  preview: string[][];
}

export class DataCard {
  readonly #title = make('h2', {}, t('data'));
  readonly #shape = make('p', { class: 'muted small' });
  readonly #repairs = new Repairs();
  readonly #columns = make('table', { ...once(testIds.columnTable) });
  readonly #preview = make('table', { class: 'preview', ...once(testIds.previewTable) });
  readonly #rows = make('h3');
  readonly element = make(
    'section',
    { class: 'card', 'aria-label': t('data') },
    make('div', { class: 'stack tight' }, this.#title, this.#shape),
    this.#repairs.element,
    make(
      'div',
      { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': t('columnsTitle') },
      this.#columns,
    ),
    this.#rows,
    make(
      'div',
      { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': t('firstRowsTitle') },
      this.#preview,
    ),
  );
  #identity = '';

  update(state: RunState): void {
    const { description, source } = state;
    const identity = identityOf(state);
    if (description === null || identity === this.#identity) return;
    this.#identity = identity;
    setText(this.#title, source?.name ?? t('data'));
    setText(this.#shape, shapeOf(description, source));
    this.#repairs.update(description);
    setText(this.#rows, counted('firstRows', description.preview.length));
    this.#columns.replaceChildren(...columnTable(description));
    this.#preview.replaceChildren(...previewTable(description));
  }
}

const headings = [
  'column',
  'type',
  'valuesHeading',
  'missing',
  'smallest',
  'largest',
  'mean',
  'deviation',
  'different',
] as const;

function columnTable(description: DatasetDescription): HTMLElement[] {
  const head = headings.map((heading, i) =>
    make('th', { scope: 'col', class: i > 1 ? 'right' : null }, t(heading)),
  );
  const rows = description.columns.map((column) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row', title: column.name }, shorten(column.name, 40)),
      ...statisticsOf(column).map((text, i) => make('td', { class: i > 0 ? 'right' : null }, text)),
    ),
  );
  return [make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows)];
}

export function previewTable({ columns, preview }: PreviewedRows): HTMLElement[] {
  const align = columns.map(({ type }) => (type === 'number' ? 'right' : null));
  const head = columns.map(({ name }, i) =>
    make('th', { scope: 'col', class: align[i] }, shorten(name, 40)),
  );
  const rows = preview.map((cells) =>
    make(
      'tr',
      {},
      ...cells.map((cell, i) =>
        make(
          'td',
          { class: align[i], title: cell.length > cellLength ? cell : null },
          shorten(cell, cellLength),
        ),
      ),
    ),
  );
  return [make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows)];
}
