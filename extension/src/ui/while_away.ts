// What the browser may do for a run while nobody looks: each switch is a permission, asked for by the click on it and
// given back by the next one, so that the browser itself remembers the choice.

import { grant, isGranted, offeredExtras, withdraw } from '../browser.ts';
import type { Extra } from '../browser.ts';
import { make, on, setDisabled } from './dom.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { each, testIds } from './testids.ts';

const TEXTS: Record<Extra, { label: string; help: string; without: string }> = {
  notifications: {
    label: 'Tell me when a run ends or has a problem',
    help: 'A notification of the desktop; a click on it opens the run.',
    without: '',
  },
  power: {
    label: 'Keep the machine awake while it trains',
    help: 'The screen may still turn off. A paused or finished run lets the machine sleep.',
    without:
      'This browser cannot keep the machine awake: if it sleeps, training goes on afterwards.',
  },
  background: {
    label: 'Go on when the last window is closed',
    help: 'The browser then stays in the background, and starts with the machine on some systems.',
    without:
      'When this browser is closed, the run is kept as last saved, and offered at the next start.',
  },
};

export class WhileAway {
  readonly element: HTMLElement;
  readonly #actions: Actions;

  constructor(actions: Actions) {
    this.#actions = actions;
    const offered = offeredExtras();
    const extras = Object.keys(TEXTS) as Extra[];
    this.element = make(
      'section',
      { class: 'card stack', 'aria-label': 'While you are away' },
      make('h2', {}, 'While you are away'),
      ...extras.map((extra) =>
        offered.includes(extra) ? this.#makeSwitch(extra) : without(extra),
      ),
    );
  }

  #makeSwitch(extra: Extra): HTMLElement {
    const { label, help } = TEXTS[extra];
    const box = make('input', { type: 'checkbox', 'data-extra': extra, ...each(testIds.extra) });
    void isGranted(extra).then((granted) => {
      box.checked = granted;
    });
    on(box, 'change', () => void this.#change(extra, box));
    return make(
      'div',
      { class: 'stack tight' },
      make('label', { class: 'row' }, box, label),
      make('p', { class: 'muted small' }, help),
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
  const text = TEXTS[extra].without;
  return text === '' ? null : make('p', { class: 'muted small' }, text);
}
