// What the dashboard's address asks for behind its '#': a configuration from a link, or a run to look at. It is read
// once there is a worker to tell, and again when the same page is sent elsewhere; then it is taken out of the address.

import { hasConfig } from '../messages/config_link.ts';
import type { Actions } from './page.ts';
import { offerText } from './run_extras.ts';

const RUN = '#run=';

export class Address {
  readonly #actions: Actions;
  #wanted = true;

  constructor(actions: Actions) {
    this.#actions = actions;
    window.addEventListener('hashchange', () => {
      this.#wanted = true;
    });
  }

  /** The page is drawn, and the worker has answered. */
  follow(): void {
    if (!this.#wanted) return;
    this.#wanted = false;
    const { hash } = window.location;
    if (hasConfig(hash)) void offerText(this.#actions, hash);
    else if (hash.startsWith(RUN)) showRun(hash.slice(RUN.length));
    else return;
    window.history.replaceState(null, '', window.location.pathname);
  }
}

/** The run that is under way fills the page anyway: it need not be in the list yet. */
function showRun(text: string): void {
  const rows = document.querySelectorAll<HTMLElement>('[data-run]');
  const row = [...rows].find(({ dataset }) => encodeURIComponent(dataset['run'] ?? '') === text);
  if (row === undefined) return;
  row.tabIndex = -1;
  row.scrollIntoView({ block: 'nearest' });
  row.focus({ preventScroll: true });
}
