// Chromium's background: a switchboard that may end at any moment and keeps no state that matters. It opens the
// offscreen document that owns the training worker, and hands that worker a port to the native host's relay.
import { extensionVersion } from '../browser.ts';
import { HOST_NAME } from '../messages/host.ts';
import type { BackgroundAnswer, RelayPort, ToldMark, ToOffscreen } from '../messages/relay.ts';
import { Attendant } from './attendant.ts';
import { markAtRest } from './interrupted.ts';
import { isOffscreenOpen, openOffscreen } from './offscreen_document.ts';
import { answerOwnMessages } from './own_messages.ts';
import { Relay } from './relay.ts';
import { openRun } from './run_page.ts';

/** The part of the service worker's global scope that is used; TypeScript's DOM library has none of it. */
declare const self: {
  clients: {
    matchAll: (options: { includeUncontrolled: boolean; type: 'all' }) => Promise<WindowClient[]>;
  };
};
interface WindowClient {
  url: string;
  postMessage: (message: unknown, transfer: Transferable[]) => void;
}

const OFFSCREEN = 'offscreen.html';
/** At most one host runs; it ends with this service worker. */
let relay: Relay | null = null;

const attendant = new Attendant(openRun);

answerOwnMessages((type, message) => {
  if (type === 'training.open') return openTraining();
  if (type === 'relay.link') return linkRelay();
  if (type === 'run.mark') return showMark(message as unknown as ToldMark);
  return null;
});

// Without a listener the browser would not start this at all when it starts.
chrome.runtime.onStartup.addListener(() => {
  void rest(true);
});
void rest(false);

async function rest(starts: boolean): Promise<void> {
  if (await isOffscreenOpen(OFFSCREEN)) return;
  const mark = await markAtRest(starts);
  if (!(await isOffscreenOpen(OFFSCREEN))) await attendant.show(mark);
}

async function showMark({ mark }: ToldMark): Promise<BackgroundAnswer> {
  await attendant.show(mark);
  return { ok: true };
}

async function openTraining(): Promise<BackgroundAnswer> {
  await openOffscreen(OFFSCREEN);
  const wait: ToOffscreen = { type: 'training.wait' };
  return chrome.runtime.sendMessage<ToOffscreen, BackgroundAnswer>(wait);
}

/** A new port for the worker, by way of its document; the native host of an earlier one ends. */
async function linkRelay(): Promise<BackgroundAnswer> {
  const clients = await self.clients.matchAll({ includeUncontrolled: true, type: 'all' });
  const document = clients.find(({ url }) => url === chrome.runtime.getURL(OFFSCREEN));
  if (document === undefined) {
    return { ok: false, code: 'training.missing', message: 'The training document is not open.' };
  }
  relay?.close();
  const { port1, port2 } = new MessageChannel();
  relay = new Relay(port1, {
    connectNative: () => chrome.runtime.connectNative(HOST_NAME),
    lastError: () => chrome.runtime.lastError?.message ?? null,
  });
  const message: RelayPort = { type: 'relay.port', version: extensionVersion() };
  document.postMessage(message, [port2]);
  return { ok: true };
}
