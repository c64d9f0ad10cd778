// Whoever owns the training worker (Chromium's offscreen document, Firefox's event page) starts it here and answers its
// wishes: a port to the native host's relay, and to be kept alive while something would be lost.
import { trainingWorkerUrl } from '../browser.ts';
import type { BackgroundAnswer, RelayPort, StorageEvictable, ToOwner } from '../messages/relay.ts';
import type { RunMark } from '../messages/run_mark.ts';
import { isRecord } from '../messages/validate.ts';

export interface OwnerWishes {
  /** The worker wants a new port to the relay. */
  link: () => void;
  busy: (busy: boolean) => void;
  mark: (mark: RunMark) => void;
}

export class WorkerOwner {
  readonly #wishes: OwnerWishes;
  #worker: Worker | null = null;
  #ready: Promise<BackgroundAnswer> | null = null;

  constructor(wishes: OwnerWishes) {
    this.#wishes = wishes;
  }

  /** Starts the worker when there is none; resolves when it answers pages, or with why it does not. */
  start(): Promise<BackgroundAnswer> {
    this.#ready ??= this.#launch().then((answer) => {
      if (!answer.ok) this.#drop();
      return answer;
    });
    return this.#ready;
  }

  /** Hands the worker its port to the relay, and the version that the background knows. */
  givePort(port: MessagePort, version: string): void {
    const message: RelayPort = { type: 'relay.port', version };
    this.#worker?.postMessage(message, [port]);
  }

  /** Tells the worker that the browser may clear its storage. */
  tellEvictable(): void {
    const message: StorageEvictable = { type: 'storage.evictable' };
    this.#worker?.postMessage(message);
  }

  #launch(): Promise<BackgroundAnswer> {
    const worker = new Worker(trainingWorkerUrl(), { type: 'module', name: 'training' });
    this.#worker = worker;
    return new Promise((resolve) => {
      const failed = (reason: string): void => {
        const message = `The training worker did not start: ${reason}. Reload the extension.`;
        resolve({ ok: false, code: 'training.worker', message });
      };
      worker.onmessage = (event: MessageEvent<unknown>) => {
        if (!isRecord(event.data)) return;
        const wish = event.data as ToOwner;
        if (wish.type === 'worker.ready') resolve({ ok: true });
        else if (wish.type === 'worker.failed') failed(wish.message);
        else if (wish.type === 'relay.wanted') this.#wishes.link();
        else if (wish.type === 'run.mark') this.#wishes.mark(wish.mark);
        else this.#wishes.busy(wish.busy);
      };
      worker.onerror = (event) => {
        failed(event.message === '' ? 'its script could not be loaded' : event.message);
      };
    });
  }

  #drop(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = null;
  }
}
