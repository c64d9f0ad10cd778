// @vitest-environment happy-dom
// The first rows of a file on the way: shown once they are known, and gone with the reading.
import { expect, it } from 'vitest';
import { FirstRowsPanel } from '../../../extension/src/ui/first_rows.ts';
import { stateOf } from './states.ts';

const firstRows = {
  columns: [
    { name: 'when', type: 'datetime' as const },
    { name: 'load', type: 'number' as const },
    { name: 'flow', type: 'number' as const },
  ],
  rows: [
    ['2020-01-01', '1.5', ''],
    ['2020-01-02', '2.5', '7'],
  ],
};

it('shows the rows and what their columns hold, while there are any', () => {
  const panel = new FirstRowsPanel();
  panel.update(stateOf('reading', { firstRows: null }));
  expect(panel.element.hidden).toBe(true);
  panel.update(stateOf('reading', { firstRows }));
  expect(panel.element.hidden).toBe(false);
  expect(panel.element.textContent).toContain('date · 2 × number');
  const cells = [...panel.element.querySelectorAll('tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  expect(cells).toEqual([['when', 'load', 'flow'], ...firstRows.rows]);
  panel.update(stateOf('ready', { firstRows: null }));
  expect(panel.element.hidden).toBe(true);
});
