// The head of a page: the name, the phase of the run, and one thing at the end.

import type { RunState } from '../messages/state.ts';
import { make, setAttribute, setText } from './dom.ts';
import { phaseOf } from './run_view.ts';
import { once, testIds } from './testids.ts';
import { t } from '../texts.ts';

export class Header {
  readonly #phase = make('span', { class: 'phase', ...once(testIds.phase) });
  readonly element: HTMLElement;

  constructor(end: HTMLElement | null) {
    const brand = make(
      'h1',
      { class: 'brand' },
      make('img', { src: 'icons/48.png', alt: '' }),
      t('name'),
    );
    this.element = make('header', {}, brand, make('div', { class: 'row' }, this.#phase, end));
  }

  /** data-phase and data-outcome carry the exact words of the state, for tests and style. */
  update(state: RunState | null): void {
    const { text, tone } = phaseOf(state);
    setText(this.#phase, text);
    setAttribute(this.#phase, 'data-tone', tone);
    setAttribute(this.#phase, 'data-phase', state?.phase ?? 'connecting');
    setAttribute(this.#phase, 'data-outcome', state?.outcome ?? null);
  }
}
