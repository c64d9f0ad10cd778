// Chromium's background: a switchboard that may end at any moment and keeps no state that matters. It opens the
// offscreen document that owns the training worker, and hands that worker a port to the native host's relay.
import { extensionVersion } from '../browser.ts';
import { HOST_NAME } from '../messages/host.ts';
import type { BackgroundAnswer, RelayPort, ToOffscreen } from '../messages/relay.ts';
import { openOffscreen } from './offscreen_document.ts';
import { answerOwnMessages } from './own_messages.ts';
import { Relay } from './relay.ts';

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

answerOwnMessages((type) => {
  if (type === 'training.open') return openTraining();
  if (type === 'relay.link') return linkRelay();
  return null;
});

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
