// What the reader had to mend, as one line that opens into the list.

import type { DatasetDescription } from '../messages/state.ts';
import { repairLine, repairsLeftOut, repairSummary } from './columns.ts';
import { make, setHidden, setText } from './dom.ts';
import { once, testIds } from './testids.ts';
import { counted } from '../texts.ts';

export class Repairs {
  readonly #summary = make('summary');
  readonly #list = make('ul', { class: 'repairs small' });
  readonly element = make(
    'details',
    { hidden: true, ...once(testIds.repairs) },
    this.#summary,
    this.#list,
  );

  update(description: DatasetDescription): void {
    const summary = repairSummary(description);
    setHidden(this.element, summary === null);
    if (summary === null) return;
    setText(this.#summary, summary);
    const left = repairsLeftOut(description);
    const lines = description.repairs.map(repairLine);
    if (left > 0) lines.push(counted('moreRepairs', left));
    this.#list.replaceChildren(...lines.map((line) => make('li', {}, line)));
  }
}
