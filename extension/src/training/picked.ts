// What the person picked, as a source: one plain file is its own part; what is packed, columnar, a folder of pictures or
// several files together is opened here, and its parts are what the core reads.
import type { ArrayInfo } from '../messages/state.ts';
import type { Part, RandomAccess } from '../reading/access.ts';
import { HEAD, needsOpening, partsOf } from '../reading/open.ts';
import type { ReadingOptions } from '../reading/open.ts';
import { sha256Of } from '../storage/shard_store.ts';
import { TrainingError } from './errors.ts';
import { bytesOf, END, fileSource } from './sources.ts';
import type { ByteSource, SourcePart } from './sources.ts';

export interface PickedFile {
  /** Where it lay below what was picked: a folder's name is the class of the pictures in it. */
  path: string;
  file: File;
}

/** What of the reading a person chooses. */
export type Chosen = Pick<ReadingOptions, 'arrays'>;

/** As the core's readers, and manifests, have it. */
export function optionsOf({ arrays }: Chosen): Record<string, unknown> {
  return arrays === undefined ? {} : { arrays };
}

export async function pickedSource(
  name: string,
  files: PickedFile[],
  chosen: Chosen = {},
): Promise<ByteSource> {
  const [first, second] = files;
  if (first === undefined) throw new TrainingError('files.none', `"${name}" holds no files.`);
  const head = new Uint8Array(await bytesOf(first.file, 0, HEAD));
  if (second === undefined && !needsOpening(head, first.path))
    return fileSource(first.file, optionsOf(chosen));
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  return {
    info: { kind: 'file', name, size, path: null, imported: null },
    ...(await openedParts(name, files.map(accessOf), chosen)),
    remote: null,
    fingerprint: () => fingerprintOf(name, size, files),
  };
}

/** What the files themselves say of a source. */
type Opened = Pick<
  ByteSource,
  'parts' | 'leftOut' | 'arrays' | 'options' | 'contained' | 'consumed'
>;

/** The parts of files that are more than their bytes; all of them are read the same way. */
export async function openedParts(
  name: string,
  files: readonly RandomAccess[],
  chosen: Chosen,
): Promise<Opened> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let read = 0;
  const counted = files.map((file) => ({
    ...file,
    read: (start: number, end: number) => {
      read += end - start;
      return file.read(start, end);
    },
  }));
  const all = await partsOf(name, counted, chosen);
  const parts = all.filter(({ leftOut }) => leftOut === undefined);
  const [options, ...others] = [
    ...new Set(parts.map((part) => JSON.stringify(commonOptions(part)))),
  ];
  if (options === undefined || others.length > 0) {
    throw new TrainingError(
      'files.mixed',
      `"${name}" holds files of kinds that do not go together: pick tables of one kind.`,
    );
  }
  return {
    parts: parts.map(sourcePart),
    leftOut: all.flatMap(({ leftOut }) => leftOut ?? []),
    arrays: all.flatMap(arrayIn),
    options: { ...(JSON.parse(options) as Record<string, unknown>), ...optionsOf(chosen) },
    contained: true,
    // Tables of contents and columns are read more than once.
    consumed: () => Math.min(read, total),
  };
}

/** Arrays of an archive are known by their own first bytes. */
function commonOptions({ options }: Part): Record<string, unknown> {
  return options['format'] === 'npy' ? {} : options;
}

function arrayIn({ name, rows, leftOut }: Part): ArrayInfo[] {
  return rows === undefined ? [] : [{ name, rows, read: leftOut === undefined }];
}

function sourcePart({ name, size, chunks }: Part): SourcePart {
  return { name, size: size ?? 0, chunks: chunks() };
}

function accessOf({ path, file }: PickedFile): RandomAccess {
  return {
    name: path,
    size: file.size,
    read: async (start, end) => new Uint8Array(await bytesOf(file, start, end)),
  };
}

/** Both ends of one file; of several, what they are called, how large they are and when they changed. */
async function fingerprintOf(
  name: string,
  size: number,
  files: readonly PickedFile[],
): ReturnType<ByteSource['fingerprint']> {
  const mtime = Math.max(...files.slice(0, 1000).map(({ file }) => file.lastModified));
  const [only, second] = files;
  if (only !== undefined && second === undefined) {
    const end = async (from: number): Promise<string> =>
      sha256Of(new Uint8Array(await bytesOf(only.file, from, from + END)));
    return { name, size, mtime, head: await end(0), tail: await end(Math.max(0, size - END)) };
  }
  const list = files.map(({ path, file }) => [path, file.size, file.lastModified]);
  const told = await sha256Of(new TextEncoder().encode(JSON.stringify(list)));
  return { name, size, mtime, head: told, tail: told };
}
