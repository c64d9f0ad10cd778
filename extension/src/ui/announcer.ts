// The page's one live region: what a screen reader is told, at most one sentence an epoch.

import type { RunState } from '../messages/state.ts';
import { make, setText } from './dom.ts';
import { announcement } from './run_view.ts';
import { once, testIds } from './testids.ts';

export class Announcer {
  readonly element = make('p', {
    class: 'visually-hidden',
    role: 'status',
    'aria-live': 'polite',
    ...once(testIds.announcer),
  });

  update(state: RunState | null): void {
    setText(this.element, announcement(state));
  }
}
