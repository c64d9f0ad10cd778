// Notices inline, each with what happened, where and what to do next, and a button that puts it away.

import type { Notice } from '../messages/state.ts';
import { make, on, setAttribute, setText, syncList } from './dom.ts';
import type { Actions } from './page.ts';
import { each, testIds } from './testids.ts';

export class Notices {
  readonly element = make('div', { class: 'notices' });
  readonly #actions: Actions;

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  /** The newest first. */
  update(notices: readonly Notice[]): void {
    syncList(
      this.element,
      [...notices].reverse().slice(0, 5),
      (notice) => `${notice.level} ${notice.message}`,
      (notice) => this.#make(notice),
      () => undefined,
    );
  }

  #make(notice: Notice): HTMLElement {
    const dismiss = make(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': 'Dismiss', ...each(testIds.noticeDismiss) },
      '×',
    );
    on(dismiss, 'click', () => {
      this.#actions.dismiss(notice);
    });
    const text = make('p');
    setText(text, notice.message);
    const row = make('div', { class: 'notice', ...each(testIds.notice) }, text, dismiss);
    setAttribute(row, 'data-level', notice.level);
    setAttribute(row, 'data-code', notice.code);
    setAttribute(row, 'role', notice.level === 'error' ? 'alert' : 'status');
    return row;
  }
}
