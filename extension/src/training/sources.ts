// The three doors by which a data set's bytes come: a File that the person picked, the native host, and the example in
// the package. Each gives what tells it from another source, and then the bytes in pieces of a few MiB at most, or an
// error that says where it stopped. A source has parts where it holds several files; a plain file is its own one part.
import type { DataSource } from '../messages/commands.ts';
import type { ArrayInfo, SourceInfo } from '../messages/state.ts';
import type { Fingerprint } from '../storage/manifest.ts';
import type { RandomAccess } from '../reading/access.ts';
import { isColumnar, needsOpening } from '../reading/open.ts';
import { sha256Of } from '../storage/shard_store.ts';
import type { ReadingTask } from './dataset.ts';
import { TrainingError } from './errors.ts';
import { importOnHost, LARGE_BYTES } from './host_import.ts';
import type { HostImport } from './host_import.ts';
import type { HostLink } from './hostlink.ts';
import { openedParts, optionsOf } from './picked.ts';
import type { Chosen } from './picked.ts';

export interface SourcePart {
  name: string;
  size: number;
  chunks: AsyncIterable<Uint8Array>;
}

export interface ByteSource {
  info: SourceInfo;
  parts: SourcePart[];
  /** What of the source is no part, a sentence for each. */
  leftOut?: string[];
  /** Where it is an archive of several. */
  arrays?: ArrayInfo[];
  /** The parts are files inside the source, and not its own bytes. */
  contained: boolean;
  /** Of the source's own bytes, where those of its parts are others: how many were read so far. */
  consumed?: () => number;
  /** The source's first bytes, where they are here before its parts are read. */
  beginning?: Uint8Array;
  /** Reads both ends of the source; the parts stay to be read. */
  fingerprint: () => Promise<Fingerprint>;
  /** How it is to be read. */
  options: Record<string, unknown>;
  /** Imports it where it lies, if that can be done. */
  remote: ((task: ReadingTask) => Promise<HostImport | null>) | null;
}

export const END = 65_536;
const FIRST_SLICE = 262_144;
const SLICE = 2_097_152;

export function fileSource(file: File, options: Record<string, unknown> = {}): ByteSource {
  const { name, size, lastModified: mtime } = file;
  const end = async (from: number): Promise<string> =>
    sha256Of(new Uint8Array(await bytesOf(file, from, from + END)));
  return {
    info: { kind: 'file', name, size, path: null, imported: null },
    parts: [{ name, size, chunks: slices(file) }],
    contained: false,
    options,
    remote: null,
    fingerprint: async () => ({
      name,
      size,
      mtime,
      head: await end(0),
      tail: await end(Math.max(0, size - END)),
    }),
  };
}

/** The first slice is small, so that its rows are there soon; while one is dealt with, the next is read. */
async function* slices(file: File): AsyncGenerator<Uint8Array, void, undefined> {
  const read = (at: number): Promise<ArrayBuffer> =>
    bytesOf(file, at, at + (at === 0 ? FIRST_SLICE : SLICE));
  let at = 0;
  let next = read(at);
  for (;;) {
    const buffer = await next;
    if (buffer.byteLength === 0) return;
    at += buffer.byteLength;
    const last = at >= file.size;
    if (!last) {
      next = read(at);
      // A failure is thrown where it is awaited; until then it must not count as unhandled.
      next.catch(() => undefined);
    }
    yield new Uint8Array(buffer);
    if (last) return;
  }
}

/** Throws source.vanished, naming the file, when it can no longer be read. */
export async function bytesOf(file: File, from: number, to: number): Promise<ArrayBuffer> {
  try {
    // A file that is gone may only claim to be empty: it is read as a whole, since an empty slice never fails.
    return await (file.size === 0 ? file : file.slice(from, to)).arrayBuffer();
  } catch (error) {
    const reason = error instanceof Error ? error.name : String(error);
    throw new TrainingError(
      'source.vanished',
      `"${file.name}" can no longer be read at byte ${String(from)} of ${String(file.size)} (${reason}): it was moved, removed or changed after it was picked. Pick it again.`,
    );
  }
}

export async function hostSource(
  link: HostLink,
  path: string,
  chosen: Chosen = {},
): Promise<ByteSource> {
  const read = (fields: { offset?: number; length?: number }): ReturnType<typeof readHost> =>
    readHost(link, path, fields);
  const begin = await read({ length: END });
  const { size, mtime } = begin.reply;
  const head = await gather(begin.chunks);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const unpacked = needsOpening(head, name)
    ? await openedParts(name, [hostAccess(link, path, size)], chosen)
    : null;
  const rest = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    if (head.length > 0) yield head;
    if (head.length < size) yield* (await read({ offset: head.length })).chunks;
  };
  const tail = async (): Promise<Uint8Array<ArrayBuffer>> =>
    size <= END ? head : gather((await read({ offset: size - END })).chunks);
  return {
    info: { kind: 'host', name, size, path, imported: null },
    ...(unpacked ?? {
      parts: [{ name, size, chunks: rest() }],
      contained: false,
      options: optionsOf(chosen),
    }),
    ...(unpacked === null ? { beginning: head } : {}),
    remote:
      size < LARGE_BYTES || isColumnar(head)
        ? null
        : (task) => importOnHost(link, { path, size, options: optionsOf(chosen) }, task),
    fingerprint: async () => ({
      name,
      size,
      mtime,
      head: await sha256Of(head),
      tail: await sha256Of(await tail()),
    }),
  };
}

function hostAccess(link: HostLink, path: string, size: number): RandomAccess {
  const read = async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> =>
    gather((await readHost(link, path, { offset: start, length: end - start })).chunks);
  return { name: path, size, read };
}

function readHost(
  link: HostLink,
  path: string,
  fields: { offset?: number; length?: number },
): ReturnType<typeof link.read<'dataset.read'>> {
  return link.read('dataset.read', { path, ...fields }, `"${path}"`);
}

export async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Texts of the examples in the package, by name. */
export type Examples = Readonly<Record<string, string>>;

export function exampleSource(examples: Examples, name: string): ByteSource {
  const text = Object.hasOwn(examples, name) ? examples[name] : undefined;
  if (text === undefined) {
    const known = Object.keys(examples).join(', ');
    throw new TrainingError(
      'example.unknown',
      `There is no example "${name}"; there are: ${known}.`,
    );
  }
  const bytes = new TextEncoder().encode(text);
  const size = bytes.length;
  return {
    info: { kind: 'example', name, size, path: null, imported: null },
    parts: [{ name, size, chunks: once(bytes) }],
    contained: false,
    options: {},
    remote: null,
    fingerprint: async () => {
      const whole = await sha256Of(bytes);
      return { name, size, mtime: null, head: whole, tail: whole };
    },
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- a source is asynchronous by its type
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** Without its import, a file that the person picked is the browser's to give, and it gives it once. */
export function reopen({ kind, name, path, imported }: SourceInfo): DataSource {
  if (imported !== null) return { kind: 'imported', id: imported };
  if (kind === 'example') return { kind, name };
  if (kind === 'host' && path !== null) return { kind, path };
  const message = `The browser may not reopen "${name}" by itself: pick it again, then resume.`;
  throw new TrainingError('dataset.missing', message);
}
