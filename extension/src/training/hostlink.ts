// The worker's line to the native host: requests with replies and time limits, streams with credits, the greeting that
// agrees on a version, and one HostStatus that says how things stand. A host that ends, a background that ends and a host
// that stays silent all come out as a HostError of every open request; the next request connects again. A host that ends
// because what is granted has changed is followed by the next one without a word to anybody.
import {
  dataFrame,
  endFrame,
  failureReply,
  HOST_REPLIES,
  importProgress,
  isDataFrame,
  PROTOCOL,
  shardEnd,
} from '../messages/host.ts';
import type { DialogKind, HostReply, HostRequests, HostRequestType } from '../messages/host.ts';
import type { FromRelay } from '../messages/relay.ts';
import { noHost } from '../messages/host_status.ts';
import type { HostStatus } from '../messages/host_status.ts';
import { isRecord } from '../messages/validate.ts';
import { endOf, HostError, incompatible, RENEWED } from './host_errors.ts';
import { HostAsked } from './host_requests.ts';
import type { Done } from './host_requests.ts';
import { CREDITS, HostStream } from './host_stream.ts';
import { RelayEnd, within } from './relay_port.ts';

const REQUEST_MS = 20_000;
const HELLO_MS = 8000;
const HEARTBEAT_MS = 5000;
/** A host that starts anew finishes what it was asked in half a second. */
const ENDING_MS = 2000;

export interface HostLinkEvents {
  wantPort: () => void;
  changed: () => void;
  /** A host that was connected is no longer; the message says why. */
  lost: (message: string) => void;
  /** A host that was lost answers again. */
  back: () => void;
}

type StreamType = 'dataset.read' | 'checkpoint.read' | 'shard.read';

export interface HostReading<T extends StreamType> {
  reply: HostReply<T>;
  chunks: AsyncGenerator<Uint8Array, void, undefined>;
  /** What the host says of the unpacked bytes, once all have come. */
  sha256: () => string | null;
}

export class HostLink {
  readonly #events: HostLinkEvents;
  readonly #relay: RelayEnd;
  readonly #asked = new HostAsked();
  readonly #streams = new Map<number, HostStream>();
  #status: HostStatus = noHost();
  #toldLost = false;
  #version = '0';
  #nextId = 1;
  #connecting: Promise<HostStatus> | null = null;
  /** A host that ends, and the greeting of the next one. */
  #renewing: Promise<HostStatus> | null = null;
  #ended: (() => void) | null = null;
  #heartbeat: ReturnType<typeof setInterval> | null = null;

  constructor(events: HostLinkEvents) {
    this.#events = events;
    this.#relay = new RelayEnd(
      () => {
        events.wantPort();
      },
      {
        message: (message) => {
          this.#receive(message);
        },
        closed: (end) => {
          this.#closed(end);
        },
      },
    );
  }

  get status(): HostStatus {
    return this.#status;
  }

  get connected(): boolean {
    return this.#status.state === 'connected';
  }

  takePort(port: MessagePort, version: string): void {
    this.#version = version;
    this.#relay.take(port);
  }

  /** Greets the host when that has not been done; resolves with how things stand, whatever it is. */
  connect(): Promise<HostStatus> {
    if (this.#renewing !== null) return this.#renewing;
    if (this.connected) return Promise.resolve(this.#status);
    this.#connecting ??= this.#greet().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  /** `limitMs` of null waits for a person; `started` hears the id that request.cancel takes. */
  request<T extends HostRequestType>(
    type: T,
    fields: HostRequests[T],
    limitMs: number | null = REQUEST_MS,
    started?: (id: number) => void,
  ): Promise<HostReply<T>> {
    const send = (): Promise<HostReply<T>> => {
      const id = this.#id();
      started?.(id);
      return this.#send(id, type, fields, limitMs);
    };
    // An open save ended with its host: what belongs to it is not for the next one.
    return this.#withNext(send, !('handle' in fields));
  }

  /** Tells pages which dialog is open. */
  showDialog(dialog: DialogKind | null): void {
    this.#status = { ...this.#status, dialog };
    this.#events.changed();
  }

  /** One that tells how far it is and may be called off; its time begins anew with each word of it. */
  long<T extends HostRequestType>(
    type: T,
    fields: HostRequests[T],
    progress: (done: Done) => void,
    signal: AbortSignal,
  ): Promise<HostReply<T>> {
    return this.#withNext(async () => {
      signal.throwIfAborted();
      const id = this.#id();
      const cancel = (): void => {
        this.#post({ id: this.#id(), type: 'request.cancel', target: id });
      };
      signal.addEventListener('abort', cancel);
      try {
        return await this.#send(id, type, fields, REQUEST_MS, undefined, progress);
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    });
  }

  /** The reply and then the bytes, verified; a stream of more than `most` bytes is called off at once. */
  async read<T extends StreamType>(
    type: T,
    fields: Omit<HostRequests[T], 'credits'>,
    what: string,
    most = Number.MAX_SAFE_INTEGER,
  ): Promise<HostReading<T>> {
    const request = { ...fields, credits: CREDITS } as unknown as HostRequests[T];
    // The stream is made when the reply arrives: frames may follow in the same turn.
    let opened: HostStream | null = null;
    const reply = await this.#withNext(() => {
      const id = this.#id();
      return this.#send(id, type, request, REQUEST_MS, (accepted) => {
        const { bytes, encoding } = accepted as { bytes: number; encoding?: string };
        opened = this.#openStream(id, what, encoding === 'deflate' ? null : bytes);
      });
    });
    const stream = opened as unknown as HostStream;
    stream.refuseOver(most);
    return { reply, chunks: stream.chunks(), sha256: () => stream.sha256 };
  }

  /** Sends, and once more when this host refused because the next one has what is granted by now. */
  async #withNext<R>(send: () => Promise<R>, again = true): Promise<R> {
    await this.#connected();
    try {
      return await send();
    } catch (error) {
      if (!again || !isRestart(error)) throw error;
      await this.#connected();
      return send();
    }
  }

  /** The host has said that it ends: waits for that, and greets the next one. */
  #renew(): void {
    this.#renewing ??= this.#next().finally(() => {
      this.#renewing = null;
    });
  }

  async #next(): Promise<HostStatus> {
    const ended = new Promise<true>((resolve) => {
      this.#ended = () => {
        resolve(true);
      };
    });
    if (!(await within(ended, ENDING_MS))) this.#relay.send({ type: 'relay.close' });
    this.#ended = null;
    this.#failAll(new HostError('host.closed', RENEWED));
    const status = await this.#greet();
    if (status.state !== 'connected' && !this.#toldLost) this.#tellLost(status.message);
    return status;
  }

  async #connected(): Promise<void> {
    const { state, message } = await this.connect();
    if (state !== 'connected') throw new HostError(`host.${state}`, message);
  }

  async #greet(again = true): Promise<HostStatus> {
    try {
      await this.#relay.ensure();
      this.#relay.send({ type: 'relay.open' });
      const hello = { protocol: PROTOCOL, extension: this.#version };
      const reply = await this.#send(this.#id(), 'hello', hello, HELLO_MS);
      if (reply.protocol < PROTOCOL.min || reply.protocol > PROTOCOL.max) {
        const detail = `it chose version ${String(reply.protocol)} of the protocol`;
        throw new HostError('protocol.unsupported', incompatible('extension', detail));
      }
      const roots = reply.roots.filter(({ available }) => available).map(({ name }) => name);
      this.#become('connected', `Connected to the native host ${reply.host}.`, {
        version: reply.host,
        roots,
      });
      this.#startHeartbeat();
      if (this.#toldLost) this.#events.back();
      this.#toldLost = false;
    } catch (error) {
      if (again && isRestart(error)) return this.#greet(false);
      this.#notGreeted(error);
    }
    return this.#status;
  }

  /** #closed may have said it already; otherwise the error does. */
  #notGreeted(error: unknown): void {
    if (error instanceof HostError && error.code === 'host.closed') return;
    const message = error instanceof Error ? error.message : String(error);
    this.#relay.send({ type: 'relay.close' });
    const refused = error instanceof HostError && error.code === 'protocol.unsupported';
    this.#become(refused ? 'incompatible' : 'lost', message);
  }

  #send<T extends HostRequestType>(
    id: number,
    type: T,
    fields: HostRequests[T],
    limitMs: number | null,
    accepted?: (reply: HostReply<T>) => void,
    progress?: (done: Done) => void,
  ): Promise<HostReply<T>> {
    return new Promise((resolve, reject) => {
      const settle = (reply: HostReply<T>): void => {
        accepted?.(reply);
        resolve(reply);
      };
      this.#asked.add(id, { type, resolve: settle, reject, limitMs, progress });
      this.#post({ id, type, ...fields });
    });
  }

  #post(message: Record<string, unknown>): void {
    const { bytes } = message;
    this.#relay.send({ type: 'relay.send', message }, bytes instanceof ArrayBuffer ? [bytes] : []);
  }

  #openStream(id: number, what: string, bytes: number | null): HostStream {
    const stream = new HostStream(what, bytes, {
      giveCredit: (frames) => {
        this.#post({ type: 'flow.credit', id, frames });
      },
      finished: (complete) => {
        if (this.#streams.delete(id) && !complete)
          this.#post({ id: this.#id(), type: 'request.cancel', target: id });
      },
    });
    this.#streams.set(id, stream);
    return stream;
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return;
    const { id, type, ok } = message;
    if (typeof id !== 'number') return;
    try {
      if (isDataFrame(type)) this.#data(message);
      else if (type === 'import.progress') this.#asked.heard(importProgress(message, type));
      else if (type === 'shard.end' || type === 'dataset.end' || type === 'checkpoint.end') {
        const check = type === 'shard.end' ? shardEnd : endFrame;
        this.#streams.get(id)?.end(check(message, type));
        this.#events.changed();
      } else if (ok === true) this.#succeed(id, message);
      else this.#fail(id, hostFailure(message));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.#fail(
        id,
        new HostError('host.reply', `The native host's answer does not fit: ${detail}`),
      );
    }
  }

  #data(message: Record<string, unknown>): void {
    const frame = dataFrame(message, String(message['type']));
    this.#status.frames += 1;
    this.#status.bytes += frame.bytes.byteLength;
    this.#streams.get(frame.id)?.push(frame);
  }

  #succeed(id: number, message: Record<string, unknown>): void {
    const pending = this.#asked.get(id);
    if (pending === undefined) return;
    const reply = HOST_REPLIES[pending.type](message, pending.type);
    this.#asked.settle(id);
    if ('restart' in reply && reply.restart) this.#renew();
    pending.resolve(reply as never);
  }

  #fail(id: number, error: HostError): void {
    this.#streams.get(id)?.fail(error);
    const pending = this.#asked.settle(id);
    // Greeting has its own second try.
    if (isRestart(error) && pending?.type !== 'hello') this.#renew();
    pending?.reject(error);
  }

  #closed({ end, message }: Extract<FromRelay, { type: 'relay.closed' }>): void {
    if (this.#ended !== null) {
      this.#ended();
      return;
    }
    const wasConnected = this.connected;
    const after = endOf(end, message, wasConnected);
    this.#become(after.state, after.message);
    this.#failAll(new HostError('host.closed', after.message));
    if (wasConnected) this.#tellLost(after.message);
  }

  #tellLost(message: string): void {
    this.#toldLost = true;
    this.#events.lost(message);
  }

  #failAll(error: HostError): void {
    this.#stopHeartbeat();
    for (const id of this.#asked.ids) this.#fail(id, error);
    for (const stream of this.#streams.values()) stream.fail(error);
  }

  #become(state: HostStatus['state'], message: string, rest: Partial<HostStatus> = {}): void {
    this.#status = { ...this.#status, ...rest, state, message };
    this.#events.changed();
  }

  #id(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  #startHeartbeat(): void {
    this.#stopHeartbeat();
    this.#heartbeat = setInterval(() => {
      void this.#beat();
    }, HEARTBEAT_MS);
  }

  #stopHeartbeat(): void {
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    this.#heartbeat = null;
  }

  /** Silence means that the background ended, and its host with it: what was open failed, and both are started anew. */
  async #beat(): Promise<void> {
    if (await this.#relay.answers()) return;
    if (!this.connected) return;
    const message =
      "The extension's background was stopped by the browser, and the native host with it.";
    this.#relay.drop();
    this.#become('lost', message);
    this.#failAll(new HostError('host.closed', message));
    const { state } = await this.connect();
    if (state !== 'connected') this.#tellLost(message);
  }
}

function isRestart(error: unknown): boolean {
  return error instanceof HostError && error.code === 'host.restart';
}

function hostFailure(message: Record<string, unknown>): HostError {
  const failure = failureReply(message, 'reply');
  if (failure.code !== 'protocol.unsupported') return new HostError(failure.code, failure.message);
  return new HostError(failure.code, incompatible(failure.update, failure.message));
}
