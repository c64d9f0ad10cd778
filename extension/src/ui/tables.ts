// Tables and rows of bars as results show them: made anew with each evaluation, which comes once a run.

import { capital } from '../texts.ts';
import type { Child } from './dom.ts';
import { make } from './dom.ts';
import type { TestId } from './testids.ts';
import { once } from './testids.ts';

export interface TableText {
  name: TestId;
  label: string;
  /** Columns of numbers stand to the right: all but so many. */
  texts?: number;
  headings: string[];
  rows: string[][];
}

export function makeTable(text: TableText): HTMLElement {
  return framed(text.label, makeRows(text));
}

/** The first of each row is its heading. */
export function makeRows({ name, texts = 1, headings, rows }: TableText): HTMLTableElement {
  const side = (i: number): string | null => (i >= texts ? 'right' : null);
  const head = headings.map((text, i) =>
    make('th', { scope: 'col', class: side(i) }, capital(text)),
  );
  const body = rows.map(([first = '', ...others]) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row', class: side(0) }, first),
      ...others.map((text, i) => make('td', { class: side(i + 1) }, text)),
    ),
  );
  return make(
    'table',
    { ...once(name) },
    make('thead', {}, make('tr', {}, ...head)),
    make('tbody', {}, ...body),
  );
}

export function framed(label: string, table: HTMLElement): HTMLElement {
  const attributes = { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': label };
  return make('div', attributes, table);
}

export interface BarText {
  label: string;
  text: string;
  /** Beside the longest, 0 to 1. */
  share: number;
  own?: boolean;
}

/** Each a name, a bar and the number. */
export function makeBars(label: string, name: TestId, bars: readonly BarText[]): HTMLElement {
  const rows = bars.map(({ label: what, text, share, own }) =>
    make(
      'li',
      { class: own === true ? 'own' : null },
      make('span', { class: 'clip', title: what }, what),
      make('progress', { max: 1, value: Math.min(1, Math.max(0, share)), 'aria-hidden': 'true' }),
      make('span', { class: 'number right' }, text),
    ),
  );
  return make('ul', { class: 'bars', 'aria-label': label, ...once(name) }, ...rows);
}

export function titled(title: string, ...content: Child[]): HTMLElement {
  return make('div', { class: 'stack' }, make('h3', {}, title), ...content);
}
