// What the browser may do for a run while nobody looks: each switch is a permission, asked for by the click on it and
// given back by the next one, so that the browser itself remembers the choice.

import { grant, isGranted, offeredExtras, withdraw } from '../browser.ts';
import type { Extra } from '../browser.ts';
import { t } from '../texts.ts';
import { make, on, setDisabled } from './dom.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { each, testIds } from './testids.ts';

/** What is said of it where this browser cannot do it; '' where nothing need be. */
const WITHOUT: Record<Extra, () => string> = {
  notifications: () => '',
  power: () => t('away_power_without'),
  background: () => t('away_background_without'),
};

export class WhileAway {
  readonly element: HTMLElement;
  readonly #actions: Actions;

  constructor(actions: Actions) {
    this.#actions = actions;
    const offered = offeredExtras();
    const extras = Object.keys(WITHOUT) as Extra[];
    this.element = make(
      'section',
      { class: 'card stack', 'aria-label': t('whileAway') },
      make('h2', {}, t('whileAway')),
      ...extras.map((extra) =>
        offered.includes(extra) ? this.#makeSwitch(extra) : without(extra),
      ),
    );
  }

  #makeSwitch(extra: Extra): HTMLElement {
    const box = make('input', { type: 'checkbox', 'data-extra': extra, ...each(testIds.extra) });
    void isGranted(extra).then((granted) => {
      box.checked = granted;
    });
    on(box, 'change', () => void this.#change(extra, box));
    return make(
      'div',
      { class: 'stack tight' },
      make('label', { class: 'row' }, box, t(`away_${extra}_label`)),
      make('p', { class: 'muted small' }, t(`away_${extra}_help`)),
    );
  }

  /** The request is the first thing that the click does: later the browser would refuse it. */
  async #change(extra: Extra, box: HTMLInputElement): Promise<void> {
    setDisabled(box, true);
    try {
      if (box.checked) await grant(extra);
      else await withdraw(extra);
    } catch (error) {
      this.#actions.tell({ level: 'error', ...reasonOf(error) });
    }
    box.checked = await isGranted(extra);
    setDisabled(box, false);
  }
}

function without(extra: Extra): HTMLElement | null {
  const text = WITHOUT[extra]();
  return text === '' ? null : make('p', { class: 'muted small' }, text);
}
