// Files in a zip archive, found by its table of contents and unpacked one at a time as they are read.
import type { Entry, FileEntry } from '@zip.js/zip.js';
import { configure, Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-external.js';
import type { Bytes, Part, RandomAccess } from './access.ts';
import { bytesOf, endingOf, isTold, ReadingError, startsWith } from './access.ts';
import { bounded } from './expanding.ts';

// The worker that runs this is one already; the browser's own deflate does the work.
configure({ useWebWorkers: false, useCompressionStream: true });

const MOST_ENTRIES = 1_000_000;

export function isZip(head: Uint8Array): boolean {
  return startsWith(head, 'PK\u0003\u0004') || startsWith(head, 'PK\u0005\u0006');
}

class FileReader extends Reader<RandomAccess> {
  readonly #file: RandomAccess;

  constructor(file: RandomAccess) {
    super(file);
    this.#file = file;
    this.size = file.size;
  }

  override readUint8Array(index: number, length: number): Promise<Uint8Array> {
    return this.#file.read(index, Math.min(index + length, this.#file.size));
  }
}

/** The files in it that may hold data: folders, and what systems put beside files, are left out. */
export async function zipParts(file: RandomAccess): Promise<Part[]> {
  const parts: Part[] = [];
  try {
    const archive = new ZipReader(new FileReader(file));
    for await (const entry of archive.getEntriesGenerator()) {
      if (parts.length >= MOST_ENTRIES) throw new Error('it holds too many files');
      if (isData(entry)) parts.push(partOf(file, entry));
    }
  } catch (error) {
    throw corrupt(file.name, '', error);
  }
  return parts;
}

function isData(entry: Entry): entry is FileEntry {
  const base = entry.filename.slice(entry.filename.lastIndexOf('/') + 1);
  return !entry.directory && !base.startsWith('.') && !entry.filename.startsWith('__MACOSX/');
}

function partOf(archive: RandomAccess, entry: FileEntry): Part {
  const { filename, uncompressedSize } = entry;
  return {
    name: endingOf(filename) === 'npy' ? filename.slice(0, -'.npy'.length) : filename,
    size: uncompressedSize,
    options: endingOf(filename) === 'npy' ? { format: 'npy' } : {},
    chunks: () => unpacked(archive, entry),
  };
}

async function* unpacked(archive: RandomAccess, entry: FileEntry): Bytes {
  const name = `${entry.filename}" in "${archive.name}`;
  if (entry.encrypted) {
    throw new ReadingError(
      'container.encrypted',
      `"${name}" is encrypted: unpack it with its password first, and pick what comes out.`,
    );
  }
  let failure: unknown = null;
  let fail: (error: unknown) => void = () => undefined;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    start(controller) {
      fail = (error) => {
        controller.error(error);
      };
    },
  });
  // What fails before the first byte does not reach the stream by itself.
  const writing = entry.getData(writable, { checkCrc32: true }).catch((error: unknown) => {
    failure = error;
    fail(error);
  });
  try {
    yield* bounded(bytesOf(readable), () => entry.compressedSize, entry.filename);
    await writing;
  } catch (error) {
    if (error instanceof Error && isTold(error)) throw error;
    failure ??= error;
  }
  if (failure !== null) throw corrupt(archive.name, entry.filename, failure);
}

function corrupt(archive: string, member: string, error: unknown): Error {
  if (error instanceof Error && isTold(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  const what = member === '' ? `"${archive}"` : `"${member}" in "${archive}"`;
  return new ReadingError(
    'container.corrupt',
    `${what} can't be unpacked (${why}): the archive is damaged, cut short, or of a kind that is not supported. Unpack it yourself and pick the file.`,
  );
}
