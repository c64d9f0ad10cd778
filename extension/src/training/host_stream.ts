// One stream of data frames from the native host. Frames arrive into a queue no longer than the credits that were
// given; credits go back as the reader has dealt with frames, so that a slow reader holds the host and not memory. Order,
// sizes, count and checksum are verified: the reader gets all bytes, or an error.
import { FRAME_BYTES } from '../messages/host.ts';
import { crc32c } from './crc32c.ts';
import { HostError } from './host_errors.ts';

export const CREDITS = 32;
const SILENCE_MS = 30_000;

/** A stream of a file has its bytes and their checksum; one of packed columns only what they are unpacked. */
export interface StreamEnd {
  frames: number;
  bytes?: number;
  crc32c?: number;
  sha256?: string;
}

export interface StreamActions {
  giveCredit: (frames: number) => void;
  /** The reader is through or gave up: nothing more is wanted of this id. */
  finished: (complete: boolean) => void;
}

export class HostStream {
  readonly #what: string;
  /** Null: it is packed, and the reader knows when it is whole. */
  readonly #expectedBytes: number | null;
  readonly #actions: StreamActions;
  readonly #queue: Uint8Array[] = [];
  #allowed = CREDITS;
  #sequence = 0;
  #bytes = 0;
  #checksum = 0;
  #end: StreamEnd | null = null;
  #failure: HostError | null = null;
  #wake: () => void = () => undefined;

  constructor(what: string, expectedBytes: number | null, actions: StreamActions) {
    this.#what = what;
    this.#expectedBytes = expectedBytes;
    this.#actions = actions;
  }

  /** Calls the stream off when it would have more than so many bytes. */
  refuseOver(most: number): void {
    const bytes = this.#expectedBytes ?? 0;
    if (bytes <= most) return;
    this.#actions.finished(false);
    const message = `${this.#what} has ${String(bytes)} bytes, more than the ${String(most)} that can be loaded.`;
    throw new HostError('host.too_large', message);
  }

  push(frame: { sequence: number; bytes: ArrayBuffer }): void {
    const { sequence, bytes } = frame;
    if (this.#failure !== null) return;
    if (sequence !== this.#sequence) {
      const message = `${this.#what}: frame ${String(sequence)} came where frame ${String(this.#sequence)} was due.`;
      this.fail(new HostError('host.out_of_order', message));
      return;
    }
    this.#sequence += 1;
    this.#allowed -= 1;
    this.#bytes += bytes.byteLength;
    const most = this.#expectedBytes ?? Infinity;
    if (this.#allowed < 0 || bytes.byteLength > FRAME_BYTES || this.#bytes > most) {
      this.fail(
        new HostError('host.flow', `${this.#what}: the native host sent more than was asked for.`),
      );
      return;
    }
    this.#queue.push(new Uint8Array(bytes));
    this.#wake();
  }

  end(end: StreamEnd): void {
    this.#end = end;
    this.#wake();
  }

  /** Of the unpacked bytes, once all frames are read. */
  get sha256(): string | null {
    return this.#end?.sha256 ?? null;
  }

  fail(error: HostError): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** All frames in order; throws what went wrong. Leaving the loop early cancels the stream. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    let dealtWith = 0;
    let complete = false;
    try {
      for (;;) {
        const chunk = await this.#next();
        if (chunk === null) break;
        this.#checksum = crc32c(chunk, this.#checksum);
        yield chunk;
        dealtWith += 1;
        if (dealtWith < CREDITS / 2) continue;
        this.#allowed += dealtWith;
        this.#actions.giveCredit(dealtWith);
        dealtWith = 0;
      }
      this.#verify();
      complete = true;
    } finally {
      this.#actions.finished(complete);
    }
  }

  /** The next frame, or null at the end. */
  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      const chunk = this.#queue.shift();
      if (chunk !== undefined) return chunk;
      if (this.#end !== null) return null;
      await this.#change();
    }
  }

  /** Resolves when something arrived; silence is a failure. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        const seconds = String(SILENCE_MS / 1000);
        const message = `${this.#what}: the native host sent nothing for ${seconds} s. Try again.`;
        this.fail(new HostError('host.silent', message));
      }, SILENCE_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #verify(): void {
    const end = this.#end;
    const whole =
      end?.frames === this.#sequence &&
      this.#bytes === (this.#expectedBytes ?? this.#bytes) &&
      this.#bytes === (end.bytes ?? this.#bytes);
    if (whole && this.#checksum === (end.crc32c ?? this.#checksum)) return;
    const message = whole
      ? `${this.#what}: the bytes that arrived are not those that the native host read (checksum). Try again.`
      : `${this.#what}: ${String(this.#bytes)} of ${String(this.#expectedBytes ?? end?.bytes)} bytes arrived, and the native host counts ${String(end?.bytes ?? end?.frames)}. Try again.`;
    throw new HostError('host.incomplete', message);
  }
}
