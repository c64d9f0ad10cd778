// Chromium's offscreen document: it exists to own the training worker. Its runtime has messages only, so the port to the
// native host comes from the service worker, through this document, to the training worker.
import { isRecord } from '../messages/validate.ts';
import { answerOwnMessages } from './own_messages.ts';
import { WorkerOwner } from './owner.ts';

const owner = new WorkerOwner({
  link: () => {
    // This wakes the service worker when it has ended.
    void chrome.runtime.sendMessage({ type: 'relay.link' });
  },
  // The document stays for as long as the browser runs.
  busy: () => undefined,
  mark: (mark) => {
    // The icon keeps the last one, should the service worker not answer.
    chrome.runtime.sendMessage({ type: 'run.mark', mark }).catch(() => undefined);
  },
});

answerOwnMessages((type) => (type === 'training.wait' ? owner.start() : null));

navigator.serviceWorker.addEventListener('message', ({ data, ports }: MessageEvent<unknown>) => {
  const [port] = ports;
  if (!isRecord(data) || data['type'] !== 'relay.port' || port === undefined) return;
  owner.givePort(port, String(data['version']));
});
navigator.serviceWorker.startMessages();

void owner.start();
