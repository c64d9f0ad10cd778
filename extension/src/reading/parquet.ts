// Apache Parquet, read by hyparquet in the browser, row group by row group: the columns that hold numbers, times or
// texts become blocks for the core, and what it cannot train on is named.
import type {
  AsyncBuffer,
  Compressors,
  DecodedArray,
  FileMetaData,
  SchemaElement,
} from 'hyparquet';
import { parquetMetadataAsync, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Bytes, Part, RandomAccess } from './access.ts';
import { isTold, ReadingError, startsWith } from './access.ts';
import type { WireColumn } from './columns_wire.ts';
import { COLUMNS, encodeBlocks } from './columns_wire.ts';
import { MOST_COLUMNS, noColumns, texts, times, values } from './typed.ts';

/** Rows of a block. */
const BLOCK = 16_384;
/** Values that are held at a time: of columns that are read together, in the longest row group. */
const MOST_HELD = 4_000_000;
const MOST_GROUP_ROWS = 50_000_000;
const MOST_PAGE_BYTES = 256 * 1_048_576;

export function isParquet(head: Uint8Array): boolean {
  return startsWith(head, 'PAR1');
}

/** Its columns, as many together as can be held: each part reads the file again, of which it needs its own columns. */
export async function parquetParts(file: RandomAccess): Promise<Part[]> {
  const buffer: AsyncBuffer = {
    byteLength: file.size,
    slice: async (start, end) => (await file.read(start, end ?? file.size)).buffer,
  };
  const metadata = await guarded(file, () => parquetMetadataAsync(buffer));
  const columns = readable(file, metadata);
  const longest = checkedGroups(file, metadata);
  const together = Math.max(1, Math.floor(MOST_HELD / Math.max(longest, 1)));
  const parts: Part[] = [];
  for (let at = 0; at < columns.length; at += together) {
    const own = columns.slice(at, at + together);
    const chunks = (): Bytes => blocks(file, buffer, metadata, own);
    parts.push({ name: file.name, size: null, options: COLUMNS, chunks });
  }
  return parts;
}

/** Rows of the longest row group; what the columns claim must agree with it. */
function checkedGroups(file: RandomAccess, { row_groups: groups }: FileMetaData): number {
  let longest = 0;
  for (const { num_rows: rows, columns } of groups) {
    const flat = columns.filter(({ meta_data: meta }) => meta?.path_in_schema.length === 1);
    if (rows < 0n || flat.some(({ meta_data: meta }) => meta?.num_values !== rows)) {
      throw corrupt(file, 'its row groups and columns disagree on the number of rows');
    }
    if (rows > MOST_GROUP_ROWS) {
      throw new ReadingError(
        'parquet.too_large',
        `"${file.name}" has a row group of ${String(rows)} rows, too many to be held here: write it again with row groups of a million rows or fewer.`,
      );
    }
    longest = Math.max(longest, Number(rows));
  }
  return longest;
}

async function* blocks(
  file: RandomAccess,
  buffer: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly ReadableColumn[],
): Bytes {
  let first = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const held = await guarded(file, () => readGroup(buffer, metadata, columns, first, rows));
    for (let at = 0; at < rows; at += BLOCK) {
      const end = Math.min(at + BLOCK, rows);
      yield* encodeBlocks(
        end - at,
        columns.map((column) => column.convert(column.name, slice(held, column.name, at, end))),
      );
    }
    first += rows;
  }
}

/** A page that claims to be huge is none. */
const boundedCompressors: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([name, unpack]) => [
    name,
    (input: Uint8Array, size: number): Uint8Array => {
      if (size > MOST_PAGE_BYTES) throw new Error(`a page claims ${String(size)} bytes`);
      return unpack(input, size);
    },
  ]),
);

async function readGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly ReadableColumn[],
  first: number,
  rows: number,
): Promise<Map<string, unknown[]>> {
  const held = new Map(columns.map(({ name }) => [name, new Array<unknown>(rows).fill(null)]));
  await parquetRead({
    file,
    metadata,
    compressors: boundedCompressors,
    columns: columns.map(({ name }) => name),
    rowStart: first,
    rowEnd: first + rows,
    onChunk: ({ columnName, columnData, rowStart }) => {
      const column = held.get(columnName);
      if (column !== undefined) place(column, columnData, rowStart - first);
    },
  });
  return held;
}

/** A chunk may reach beyond the rows that were asked for. */
function place(column: unknown[], data: DecodedArray, from: number): void {
  for (let i = Math.max(0, -from); i < data.length && from + i < column.length; i += 1) {
    column[from + i] = data[i];
  }
}

function slice(held: Map<string, unknown[]>, name: string, from: number, to: number): unknown[] {
  return held.get(name)?.slice(from, to) ?? [];
}

interface ReadableColumn {
  name: string;
  convert: (name: string, values: unknown[]) => WireColumn;
}

/** Columns of the top level that are not nested; at least one. */
function readable(file: RandomAccess, { schema }: FileMetaData): ReadableColumn[] {
  const columns: ReadableColumn[] = [];
  const others: string[] = [];
  let at = 1;
  for (let left = schema[0]?.num_children ?? 0; left > 0 && at < schema.length; left -= 1) {
    const element = schema[at];
    if (element === undefined) break;
    const convert = converter(element);
    if (convert === null) others.push(element.name);
    else columns.push({ name: element.name, convert });
    at = afterSubtree(schema, at);
  }
  if (columns.length === 0) throw noColumns('parquet', file.name, others);
  if (columns.length > MOST_COLUMNS) {
    throw new ReadingError(
      'parquet.too_large',
      `"${file.name}" has ${String(columns.length)} columns; at most ${String(MOST_COLUMNS)} can be read.`,
    );
  }
  return columns;
}

function afterSubtree(schema: readonly SchemaElement[], at: number): number {
  let next = at + 1;
  for (let children = schema[at]?.num_children ?? 0; children > 0; children -= 1) {
    next = afterSubtree(schema, next);
  }
  return next;
}

/** Null for what is nested, repeated or binary. */
function converter(element: SchemaElement): ReadableColumn['convert'] | null {
  const { type, repetition_type: repetition, logical_type: logical, converted_type: old } = element;
  if ((element.num_children ?? 0) > 0 || repetition === 'REPEATED' || type === undefined)
    return null;
  if (type === 'INT96' || isTime(logical?.type ?? old)) return times;
  if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') {
    if (isNumber(logical?.type ?? old)) return values;
    const text = ['STRING', 'ENUM', 'UUID', 'JSON', 'UTF8', undefined];
    return text.includes(logical?.type ?? old) && type === 'BYTE_ARRAY' ? texts : null;
  }
  return type === 'BOOLEAN' ? texts : values;
}

function isTime(kind: string | undefined): boolean {
  return kind !== undefined && (kind === 'DATE' || kind.startsWith('TIMESTAMP'));
}

function isNumber(kind: string | undefined): boolean {
  return kind === 'DECIMAL' || kind === 'FLOAT16';
}

/** The library's own complaints, with the file's name. */
async function guarded<T>(file: RandomAccess, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || isTold(error)) throw error;
    throw corrupt(file, error.message);
  }
}

function corrupt(file: RandomAccess, why: string): ReadingError {
  return new ReadingError(
    'parquet.corrupt',
    `"${file.name}" can't be read as Parquet (${why}): it is damaged, cut short, or uses a feature that is not supported. Write it again, or export it as CSV.`,
  );
}
