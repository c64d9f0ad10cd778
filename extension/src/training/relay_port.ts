// The worker's end of the port to the background. The background may end at any moment without an event here, so
// it is asked for signs of life: a port that stays silent is dropped and a new one is wanted.
import type { FromRelay, ToRelay } from '../messages/relay.ts';
import { isRecord } from '../messages/validate.ts';
import { HostError } from './host_errors.ts';

const ANSWER_MS = 1500;
const GRACE_MS = 250;
const PORT_MS = 6000;

export interface RelayPortEvents {
  message: (message: unknown) => void;
  closed: (end: Extract<FromRelay, { type: 'relay.closed' }>) => void;
}

export class RelayEnd {
  readonly #wantPort: () => void;
  readonly #events: RelayPortEvents;
  #port: MessagePort | null = null;
  #arrived: () => void = () => undefined;
  #answered: () => void = () => undefined;
  #pings = 0;
  #alive: Promise<void> | null = null;

  constructor(wantPort: () => void, events: RelayPortEvents) {
    this.#wantPort = wantPort;
    this.#events = events;
  }

  /** Takes a port that the owner brought. */
  take(port: MessagePort): void {
    this.drop();
    this.#port = port;
    port.onmessage = (event: MessageEvent<unknown>) => {
      this.#receive(event.data);
    };
    this.#arrived();
  }

  send(message: ToRelay, transfer: Transferable[] = []): void {
    this.#port?.postMessage(message, transfer);
  }

  drop(): void {
    if (this.#port === null) return;
    this.#port.onmessage = null;
    this.#port.close();
    this.#port = null;
  }

  /** Resolves when a living background holds the other end, waking it when it has ended. */
  ensure(): Promise<void> {
    this.#alive ??= this.#ensure().finally(() => {
      this.#alive = null;
    });
    return this.#alive;
  }

  /** Whether the other end answers. */
  async answers(): Promise<boolean> {
    if (this.#port === null) return false;
    this.#pings += 1;
    const pong = new Promise<true>((resolve) => {
      this.#answered = () => {
        resolve(true);
      };
    });
    this.send({ type: 'relay.ping', number: this.#pings });
    if (await within(pong, ANSWER_MS)) return true;
    // A long computation of this worker delays answers that are here already: they get one more turn.
    return within(pong, GRACE_MS);
  }

  async #ensure(): Promise<void> {
    if (await this.answers()) return;
    this.drop();
    const arrival = new Promise<true>((resolve) => {
      this.#arrived = () => {
        resolve(true);
      };
    });
    this.#wantPort();
    if ((await within(arrival, PORT_MS)) && (await this.answers())) return;
    throw new HostError(
      'relay.silent',
      "The extension's background does not answer. Reload the extension.",
    );
  }

  #receive(data: unknown): void {
    if (!isRecord(data)) return;
    const message = data as FromRelay;
    this.#answered();
    if (message.type === 'relay.pong') return;
    if (message.type === 'relay.closed') this.#events.closed(message);
    else this.#events.message(message.message);
  }
}

/** False when the promise takes longer. */
export async function within(promise: Promise<true>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
