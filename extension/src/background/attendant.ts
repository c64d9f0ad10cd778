// What the browser shows of a run and does for it while nobody looks: the mark on the icon, notifications, and the
// machine's power. It keeps nothing between two marks, since a service worker may end at any moment: what it knows
// comes with each mark, and whether a person wants it is whether the permission for it is granted.
import type { RunMark } from '../messages/run_mark.ts';
import { badgeOf, newsTextOf, titleOf } from './mark_texts.ts';

/** A worker that works tells of it every ten seconds; the service worker ends after thirty without that. */
const LEASE_MS = 25_000;
const NOTICE = 'run:';

/** APIs of optional permissions are not there until they are granted. */
const optionalChrome = (): { notifications?: typeof chrome.notifications } & {
  power?: typeof chrome.power;
} => chrome;

export class Attendant {
  readonly #openRun: (run: string) => Promise<void>;
  #lease: ReturnType<typeof setTimeout> | undefined;
  #listens = false;

  constructor(openRun: (run: string) => Promise<void>) {
    this.#openRun = openRun;
    this.#listen();
    chrome.permissions.onAdded.addListener(() => {
      this.#listen();
    });
  }

  async show(mark: RunMark): Promise<void> {
    this.#power(mark.kind === 'training' || mark.kind === 'preparing');
    const { text, color } = badgeOf(mark);
    await Promise.all([
      chrome.action.setBadgeText({ text }),
      chrome.action.setBadgeBackgroundColor({ color }),
      chrome.action.setBadgeTextColor({ color: '#ffffff' }),
      chrome.action.setTitle({ title: titleOf(mark) }),
      this.#notify(mark),
    ]);
  }

  #power(wanted: boolean): void {
    clearTimeout(this.#lease);
    const { power } = optionalChrome();
    if (power === undefined) return;
    if (!wanted) {
      power.releaseKeepAwake();
      return;
    }
    power.requestKeepAwake('system');
    this.#lease = setTimeout(() => {
      power.releaseKeepAwake();
    }, LEASE_MS);
  }

  async #notify(mark: RunMark): Promise<void> {
    const { notifications } = optionalChrome();
    if (notifications === undefined || mark.news === null) return;
    const { title, message } = newsTextOf(mark, mark.news);
    const iconUrl = chrome.runtime.getURL('icons/128.png');
    // A newer one of the same run takes the older one's place.
    await notifications.create(NOTICE + (mark.run ?? ''), {
      type: 'basic',
      iconUrl,
      title,
      message,
    });
  }

  #listen(): void {
    const { notifications } = optionalChrome();
    if (this.#listens || notifications === undefined) return;
    this.#listens = true;
    notifications.onClicked.addListener((id) => {
      if (!id.startsWith(NOTICE)) return;
      void notifications.clear(id);
      void this.#openRun(id.slice(NOTICE.length));
    });
  }
}
