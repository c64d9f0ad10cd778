// A button that opens the browser's file chooser, and hands over the file that was chosen. The input lies over its label,
// so that a click, the keyboard and a screen reader all find the real control.

import { make, on } from './dom.ts';
import type { TestId } from './testids.ts';

const accepted = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain';

export function makeFileInput(
  label: string,
  identity: { id?: string; 'data-testid': TestId },
  open: (file: File) => void,
): HTMLLabelElement {
  const input = make('input', {
    type: 'file',
    accept: accepted,
    'aria-label': label,
    ...identity,
  });
  on(input, 'change', () => {
    const file = input.files?.[0];
    input.value = '';
    if (file !== undefined) open(file);
  });
  return make('label', { class: 'button choose' }, label, input);
}
