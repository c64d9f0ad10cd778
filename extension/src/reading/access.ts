// A file wherever it lies, read from any place: what containers and columnar formats need, since their tables of
// contents stand at the end. And a part: the bytes of one table as the core's readers take them, in order.

export interface RandomAccess {
  readonly name: string;
  readonly size: number;
  /** Exactly these bytes; throws when the file no longer has them. */
  read: (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>;
}

export type Bytes = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** `size` is null where only reading tells it; `options` go to the core's reader with the person's own. */
export interface Part {
  name: string;
  size: number | null;
  options: Record<string, unknown>;
  chunks: () => Bytes;
  /** Of an array in an archive of several; null: it has no rows. */
  rows?: number | null;
  /** Why it does not stand beside the other parts, and is not read. */
  leftOut?: string;
}

/** A file that cannot be read as it is: the code is stable, the message says what and what to do. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether an error has a code of ours already: of the file's own source, or from deeper down. */
export function isTold(error: Error): boolean {
  return typeof (error as { code?: unknown }).code === 'string';
}

const SLICE = 1_048_576;

export async function* sequential(file: RandomAccess, from = 0): Bytes {
  for (let at = from; at < file.size; at += SLICE) {
    yield await file.read(at, Math.min(at + SLICE, file.size));
  }
}

/** The bytes as a stream for the browser's own decoders; what fails while reading fails the stream. */
export function streamOf(bytes: Bytes): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = bytes[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Leaving the loop early cancels the stream. */
export async function* bytesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Bytes {
  const reader = stream.getReader();
  let done = false;
  try {
    for (;;) {
      const next = await reader.read();
      done = next.done;
      if (next.done) return;
      if (next.value.length > 0) yield next.value;
    }
  } catch (error) {
    done = true;
    throw error;
  } finally {
    if (!done) await reader.cancel().catch(() => undefined);
  }
}

export function endingOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot + 1).toLowerCase();
}

export function startsWith(head: Uint8Array, magic: readonly number[] | string): boolean {
  const wanted = typeof magic === 'string' ? new TextEncoder().encode(magic) : magic;
  return wanted.every((byte: number, i: number) => head[i] === byte);
}
