// Notices inline, each with what happened, where and what to do next, and a button that puts it away.

import type { Notice } from '../messages/state.ts';
import { make, on, setAttribute, syncList } from './dom.ts';
import type { Actions } from './page.ts';
import { inLanguage, SaidLine } from './said.ts';
import { inFormWords } from './settings.ts';
import type { Described } from './settings.ts';
import { each, testIds } from './testids.ts';
import { t } from '../texts.ts';

export class Notices {
  readonly element = make('div', { class: 'notices' });
  readonly #actions: Actions;

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  /** The newest first; fields of the configuration are called as the form calls them. */
  update(notices: readonly Notice[], described: Described | null = null): void {
    syncList(
      this.element,
      [...notices].reverse().slice(0, 5),
      (notice) => `${notice.level} ${notice.message}`,
      (notice) => this.#make(notice, described),
      () => undefined,
    );
  }

  #make(notice: Notice, described: Described | null): HTMLElement {
    const dismiss = make(
      'button',
      {
        type: 'button',
        class: 'quiet',
        'aria-label': t('dismiss'),
        ...each(testIds.noticeDismiss),
      },
      '×',
    );
    on(dismiss, 'click', () => {
      this.#actions.dismiss(notice);
    });
    const { code, message } = notice;
    const said = new SaidLine({ class: 'said' });
    said.show(inLanguage(code, described === null ? message : inFormWords(message, described)));
    const row = make('div', { class: 'notice', ...each(testIds.notice) }, said.element, dismiss);
    setAttribute(row, 'data-level', notice.level);
    setAttribute(row, 'data-code', code);
    setAttribute(row, 'role', notice.level === 'error' ? 'alert' : 'status');
    return row;
  }
}
