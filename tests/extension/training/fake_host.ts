// The background and a native host behind a MessagePort, in the test's hands: it records what the worker sends and says
// what the test wants.
import type { FromRelay, ToRelay } from '../../../extension/src/messages/relay.ts';
import { crc32c } from '../../../extension/src/training/crc32c.ts';

export type HostMessage = Record<string, unknown> & {
  id: number;
  type: string;
};

export const HELLO = {
  ok: true,
  protocol: 1,
  host: '0.1.0',
  os: 'Linux',
  roots: [
    { name: 'Data', available: true },
    { name: 'Gone', available: false },
  ],
  checkpoints: '/home/a/checkpoints',
  frames: 0,
};

export class FakeHost {
  readonly requests: HostMessage[] = [];
  /** Whether the background answers at all. */
  alive = true;
  opened = 0;
  onRequest: (request: HostMessage) => void = (request) => {
    if (request.type === 'hello') this.reply(request, HELLO);
  };
  #port: MessagePort | null = null;

  /** What a HostLink's wantPort does: a fresh port, as from a background that was woken. */
  readonly link = (take: (port: MessagePort) => void): void => {
    const { port1, port2 } = new MessageChannel();
    this.#port?.close();
    this.#port = port1;
    this.alive = true;
    port1.onmessage = ({ data }: MessageEvent<ToRelay>) => {
      this.#receive(data);
    };
    take(port2);
  };

  reply(request: HostMessage, fields: object): void {
    this.tell({
      type: 'relay.message',
      message: { id: request.id, ...fields },
    });
  }

  say(message: object): void {
    this.tell({ type: 'relay.message', message });
  }

  tell(message: FromRelay): void {
    this.#port?.postMessage(message);
  }

  /** All data frames of `bytes` from `sequence` on, at most `most`. */
  frames(id: number, bytes: Uint8Array, from = 0, most = Infinity): void {
    const count = Math.ceil(bytes.length / 65_536);
    for (let i = from; i < Math.min(count, from + most); i += 1) {
      const part = bytes.slice(i * 65_536, (i + 1) * 65_536).buffer;
      this.say({
        id,
        type: 'dataset.data',
        sequence: i,
        last: i === count - 1,
        bytes: part,
      });
    }
  }

  end(id: number, bytes: Uint8Array, change: object = {}): void {
    const frames = Math.ceil(bytes.length / 65_536);
    this.say({
      id,
      type: 'dataset.end',
      frames,
      bytes: bytes.length,
      crc32c: crc32c(bytes),
      ...change,
    });
  }

  close(): void {
    this.#port?.close();
  }

  #receive(data: ToRelay): void {
    if (!this.alive) return;
    if (data.type === 'relay.ping') this.tell({ type: 'relay.pong', number: data.number });
    else if (data.type === 'relay.open') this.opened += 1;
    else if (data.type === 'relay.send') {
      const request = data.message as HostMessage;
      this.requests.push(request);
      this.onRequest(request);
    }
  }
}

/** Lets messages between ports arrive. Timers may be fake meanwhile. */
export async function settle(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
