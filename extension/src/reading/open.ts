// From what a person picked to the parts that the core reads: packed files are unpacked, columnar files and pictures are
// translated, everything else goes through as it is and the core finds its format.
import type { Part, RandomAccess } from './access.ts';
import { endingOf, ReadingError, sequential } from './access.ts';
import { arrowPart, isArrow, isOldFeather } from './arrow.ts';
import { gunzip, isGzip } from './gzip.ts';
import type { ImageOptions } from './images.ts';
import { imagesPart, isImage } from './images.ts';
import { sideBySide } from './npz.ts';
import { isParquet, parquetParts } from './parquet.ts';
import { isZip, zipParts } from './zip.ts';

export interface ReadingOptions {
  /** The file to read of an archive that holds several. */
  member?: string;
  /** Of an archive of arrays: which of them become the table, by name. */
  arrays?: readonly string[];
  image?: Partial<ImageOptions>;
}

/** Whether a file is more than its own bytes to the core: `head` holds the first HEAD of them. */
export function needsOpening(head: Uint8Array, name: string): boolean {
  const kinds = [isGzip, isZip, isParquet, isArrow, isOldFeather];
  return isImage(name) || kinds.some((is) => is(head));
}

/** Whether only a library of JavaScript reads it. */
export function isColumnar(head: Uint8Array): boolean {
  return isParquet(head) || isArrow(head) || isOldFeather(head);
}

export const HEAD = 16;
const MOST_PARTS = 1000;
const IMAGES: ImageOptions = { width: 64, height: 64, channels: 3 };

/** Parts that stand side by side, and what is left out of them: one for most files, more for arrays of an archive or files picked together. */
export async function partsOf(
  name: string,
  files: readonly RandomAccess[],
  options: ReadingOptions = {},
): Promise<Part[]> {
  const pictures = files.filter((file) => isImage(file.name));
  if (pictures.length > 0) {
    return [imagesPart(name, pictures, { ...IMAGES, ...options.image })];
  }
  if (files.length > MOST_PARTS) {
    throw new ReadingError(
      'files.too_many',
      `"${name}" holds ${String(files.length)} files and no pictures: pick one table, or arrays that belong together.`,
    );
  }
  const parts: Part[] = [];
  for (const file of files) parts.push(...(await partsOfOne(file, options)));
  if (parts.length === 0) {
    throw new ReadingError('files.none', `"${name}" holds no file that can be read.`);
  }
  return parts;
}

async function partsOfOne(file: RandomAccess, options: ReadingOptions): Promise<Part[]> {
  const head = await file.read(0, Math.min(HEAD, file.size));
  if (isGzip(head)) return [gunzip(file)];
  if (isParquet(head)) return parquetParts(file);
  if (isArrow(head)) return [arrowPart(file)];
  if (isOldFeather(head)) {
    throw new ReadingError(
      'arrow.old_feather',
      `"${file.name}" is Feather of version 1, which is no longer written: save it again as Feather 2, Parquet or CSV.`,
    );
  }
  if (isZip(head)) return chosen(file, await zipParts(file), options);
  return [{ name: file.name, size: file.size, options: {}, chunks: () => sequential(file) }];
}

/** The arrays of an archive of arrays, all pictures of one of pictures; else the one table, or the one that is named. */
async function chosen(
  archive: RandomAccess,
  parts: Part[],
  options: ReadingOptions,
): Promise<Part[]> {
  if (options.member !== undefined) {
    const one = parts.filter(({ name }) => name === options.member);
    if (one.length === 1) return one;
    throw manyMembers(archive, parts, `there is no "${options.member}" in it`);
  }
  const pictures = parts.filter(({ name }) => isImage(name));
  if (pictures.length > 0) {
    const files = pictures.map((part) => wholly(part));
    return [imagesPart(archive.name, files, { ...IMAGES, ...options.image })];
  }
  const arrays = parts.filter(({ options: own }) => own['format'] === 'npy');
  if (arrays.length > 0 && arrays.length === parts.length)
    return sideBySide(arrays, options.arrays);
  if (parts.length === 1) return parts;
  const tables = parts.filter(({ name }) => TABLES.has(endingOf(name)));
  if (tables.length === 1) return tables;
  throw manyMembers(archive, parts, `it holds ${String(parts.length)} files`);
}

const TABLES = new Set(['csv', 'tsv', 'tab', 'jsonl', 'ndjson', 'json', 'wav']);

function manyMembers(archive: RandomAccess, parts: readonly Part[], why: string): ReadingError {
  const names = parts.slice(0, 20).map(({ name }) => `"${name}"`);
  const rest = parts.length > names.length ? ', ...' : '';
  return new ReadingError(
    'container.choose',
    `"${archive.name}" can't be read by itself: ${why}. Unpack it and pick one of: ${names.join(', ')}${rest}.`,
  );
}

/** A packed picture, which is unpacked as a whole when it is looked at. */
function wholly(part: Part): RandomAccess {
  return {
    name: part.name,
    size: part.size ?? 0,
    read: async (start, end) => {
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of part.chunks()) pieces.push(chunk);
      return new Uint8Array(await new Blob(pieces).slice(start, end).arrayBuffer());
    },
  };
}
