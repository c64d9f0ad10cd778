// The three doors by which a data set's bytes come: a File that the person picked, the native host, and the example in
// the package. Each gives its name and size and then the bytes in pieces of at most 1 MiB, or an error that says where it
// stopped.
import type { DataSource } from '../messages/commands.ts';
import type { SourceInfo } from '../messages/state.ts';
import { TrainingError } from './errors.ts';
import type { HostLink } from './hostlink.ts';

export interface ByteSource {
  info: SourceInfo;
  chunks: AsyncIterable<Uint8Array>;
}

const SLICE = 1_048_576;

export function fileSource(file: File): ByteSource {
  const { name, size } = file;
  return { info: { kind: 'file', name, size, path: null }, chunks: slices(file) };
}

async function* slices(file: File): AsyncGenerator<Uint8Array, void, undefined> {
  // At least one reading: a file that is gone may only claim to be empty.
  for (let at = 0; at === 0 || at < file.size; at += SLICE) {
    let buffer: ArrayBuffer;
    try {
      buffer = await (file.size === 0 ? file : file.slice(at, at + SLICE)).arrayBuffer();
    } catch (error) {
      const reason = error instanceof Error ? error.name : String(error);
      throw new TrainingError(
        'source.vanished',
        `"${file.name}" can no longer be read at byte ${String(at)} of ${String(file.size)} (${reason}): it was moved, removed or changed after it was picked. Pick it again.`,
      );
    }
    if (buffer.byteLength > 0) yield new Uint8Array(buffer);
  }
}

export async function hostSource(link: HostLink, path: string): Promise<ByteSource> {
  const { reply, chunks } = await link.read('dataset.read', { path }, `"${path}"`);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { info: { kind: 'host', name, size: reply.size, path }, chunks };
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
  return { info: { kind: 'example', name, size: bytes.length, path: null }, chunks: once(bytes) };
}

// eslint-disable-next-line @typescript-eslint/require-await -- a source is asynchronous by its type
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** A file that the person picked is the browser's to give, and it gives it once. */
export function reopen({ kind, name, path }: SourceInfo): DataSource {
  if (kind === 'example') return { kind, name };
  if (kind === 'host' && path !== null) return { kind, path };
  const message = `The browser may not reopen "${name}" by itself: pick it again, then resume.`;
  throw new TrainingError('dataset.missing', message);
}
