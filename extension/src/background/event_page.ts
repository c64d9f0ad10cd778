// Firefox's background: an event page that owns the training worker itself and the port to the native host. Firefox ends
// an idle event page after 30 s, its worker with it, so a busy worker keeps it alive by the call that counts as activity.
import { extensionVersion } from '../browser.ts';
import { HOST_NAME } from '../messages/host.ts';
import type { BackgroundAnswer } from '../messages/relay.ts';
import { Attendant } from './attendant.ts';
import { markAtRest } from './interrupted.ts';
import { KeepAlive } from './keep_alive.ts';
import { answerOwnMessages } from './own_messages.ts';
import { WorkerOwner } from './owner.ts';
import { persisted } from './persistence.ts';
import { Relay } from './relay.ts';
import { openRun } from './run_page.ts';

let relay: Relay | null = null;
/** Since its start there was a worker that told of its run. */
let marked = false;
const attendant = new Attendant(openRun);
const keepAlive = new KeepAlive(async () => {
  await chrome.runtime.getPlatformInfo();
});

const owner = new WorkerOwner({
  link: () => {
    relay?.close();
    const { port1, port2 } = new MessageChannel();
    relay = new Relay(port1, {
      connectNative: () => chrome.runtime.connectNative(HOST_NAME),
      lastError: () => chrome.runtime.lastError?.message ?? null,
    });
    owner.givePort(port2, extensionVersion());
  },
  busy: (busy) => {
    keepAlive.set(busy);
  },
  mark: (mark) => {
    marked = true;
    void attendant.show(mark);
  },
});

/** Storage that may be cleared is told of once. */
let told = false;

async function open(): Promise<BackgroundAnswer> {
  const answer = await owner.start();
  if (!answer.ok || told) return answer;
  told = true;
  if (!(await persisted(navigator.storage))) owner.tellEvictable();
  return answer;
}

chrome.runtime.onStartup.addListener(() => {
  void rest(true);
});
void rest(false);

/** No worker outlives this page. */
async function rest(starts: boolean): Promise<void> {
  const mark = await markAtRest(starts);
  if (!marked) await attendant.show(mark);
}

answerOwnMessages((type) => (type === 'training.open' ? open() : null));
