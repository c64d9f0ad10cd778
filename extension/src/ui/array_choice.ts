// Of an archive that holds several arrays: which of them are the table, and others to be read in their place.

import type { ArrayInfo } from '../messages/state.ts';
import { make, on, setDisabled, setHidden, setText } from './dom.ts';
import { each, once, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

/** Nothing where there is no choice. */
export function makeArrayChoice(
  arrays: readonly ArrayInfo[],
  choose: (names: string[]) => void,
): HTMLElement[] {
  if (arrays.length < 2) return [];
  const read = make('button', { type: 'button', ...once(testIds.arraysRead) }, t('readArrays'));
  const problem = make('p', { class: 'problem', role: 'status' });
  const rows = arrays.map((array) => {
    const box = make('input', { type: 'checkbox', ...each(testIds.array) });
    box.checked = array.read;
    setDisabled(box, array.rows === null);
    const size = array.rows === null ? t('singleValue') : counted('rows', array.rows);
    const label = make(
      'label',
      {},
      box,
      make('span', { class: 'clip', title: array.name }, array.name),
      make('span', { class: 'statistic' }, size),
    );
    return { array, box, row: make('li', {}, label) };
  });
  const chosen = (): ArrayInfo[] => rows.filter(({ box }) => box.checked).map(({ array }) => array);
  const show = (): void => {
    const unequal = new Set(chosen().map((array) => array.rows)).size > 1;
    const same = rows.every(({ array, box }) => array.read === box.checked);
    setText(problem, unequal ? t('arraysUnequal') : '');
    setHidden(problem, !unequal);
    setDisabled(read, unequal || same || chosen().length === 0);
  };
  for (const { box } of rows) on(box, 'change', show);
  on(read, 'click', () => {
    choose(chosen().map(({ name }) => name));
  });
  show();
  const count = arrays.filter((array) => array.read).length;
  const element = make(
    'details',
    { ...once(testIds.arrays) },
    make('summary', {}, t('arraysOfFile', String(count), String(arrays.length))),
    make(
      'div',
      { class: 'stack tight' },
      make('ul', { class: 'columns' }, ...rows.map(({ row }) => row)),
      problem,
      read,
    ),
  );
  return [element];
}
