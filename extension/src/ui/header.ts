// The head of a page: the name, the phase of the run, and one thing at the end.

import { make, setAttribute, setText } from './dom.ts';
import type { Snapshot } from './page.ts';
import { notConnected, phaseOf } from './run_view.ts';
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
  update({ state, connection }: Pick<Snapshot, 'state' | 'connection'>): void {
    const { text, tone } =
      state === null && connection === 'failed' ? notConnected() : phaseOf(state);
    setText(this.#phase, text);
    setAttribute(this.#phase, 'data-tone', tone);
    setAttribute(this.#phase, 'data-phase', state?.phase ?? 'connecting');
    setAttribute(this.#phase, 'data-outcome', state?.outcome ?? null);
  }
}
