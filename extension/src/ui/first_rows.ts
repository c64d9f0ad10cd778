// The first rows of a file that is still being read, with what its columns seem to hold: whether it is the right file
// shows before the rest has been gone through.

import type { FirstRows, RunState } from '../messages/state.ts';
import { t } from '../texts.ts';
import { previewTable } from './data_card.ts';
import { make, setHidden } from './dom.ts';
import { formatCount } from './format.ts';
import { once, testIds } from './testids.ts';

export class FirstRowsPanel {
  readonly #types = make('p', { class: 'muted small' });
  readonly #table = make('table', { class: 'preview', ...once(testIds.firstRows) });
  readonly element = make(
    'div',
    { class: 'card', hidden: true },
    this.#types,
    make(
      'div',
      { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': t('fileBegins') },
      this.#table,
    ),
  );
  #shown: string | null = null;

  update({ firstRows }: RunState): void {
    setHidden(this.element, firstRows === null);
    const content = JSON.stringify(firstRows);
    if (firstRows === null || content === this.#shown) return;
    this.#shown = content;
    this.#types.textContent = kindsOf(firstRows);
    const { columns, rows } = firstRows;
    this.#table.replaceChildren(...previewTable({ columns, preview: rows }));
  }
}

/** "date · 2 × number · text". */
function kindsOf({ columns }: FirstRows): string {
  const counts = new Map<string, number>();
  for (const { type } of columns) {
    const label = t(`type_${type}`);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts]
    .map(([label, n]) => (n === 1 ? label : `${formatCount(n)} × ${label}`))
    .join(' · ');
}
