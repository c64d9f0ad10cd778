// Apache Arrow IPC (files, streams, Feather), read by apache-arrow in the browser, record batch by record batch.
import type { DataType, Field, RecordBatch, Vector } from 'apache-arrow';
import {
  CompressionType,
  compressionRegistry,
  DataType as Types,
  RecordBatchReader,
  TimeUnit,
} from 'apache-arrow';
import { compressors } from 'hyparquet-compressors';
import type { Bytes, Part, RandomAccess } from './access.ts';
import { isTold, ReadingError, sequential, startsWith } from './access.ts';
import type { WireColumn } from './columns_wire.ts';
import { COLUMNS, encodeBlocks } from './columns_wire.ts';
import { unpackLz4Frame } from './lz4.ts';
import { MOST_COLUMNS, noColumns, texts } from './typed.ts';

const BLOCK = 16_384;
/** Of one record batch: its buffers are held whole. */
const MOST_ROWS = 50_000_000;
/** A file is a stream between this, padded to 8 bytes, and a table of contents that reading in order needs not. */
const MAGIC = 'ARROW1';
const STREAM = [0xff, 0xff, 0xff, 0xff];

export function isArrow(head: Uint8Array): boolean {
  return startsWith(head, MAGIC) || startsWith(head, STREAM);
}

export function isOldFeather(head: Uint8Array): boolean {
  return startsWith(head, 'FEA1');
}

export function arrowPart(file: RandomAccess): Part {
  return { name: file.name, size: null, options: COLUMNS, chunks: () => blocks(file) };
}

function useCodecs(): void {
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode: unpackLz4Frame,
  });
  compressionRegistry.set(CompressionType.ZSTD, {
    // A copy: the library needs its values to begin at multiples of their size.
    decode: (frame) => new Uint8Array(compressors.ZSTD?.(frame, 0) ?? frame),
  });
}

async function* blocks(file: RandomAccess): Bytes {
  useCodecs();
  const magic = startsWith(await file.read(0, Math.min(8, file.size)), MAGIC);
  let columns: readonly ReadableColumn[] | null = null;
  const reader = await guarded(file, () => RecordBatchReader.from(sequential(file, magic ? 8 : 0)));
  for (;;) {
    const next = await guarded(file, async () => reader.next());
    if (next.done === true) break;
    const batch: RecordBatch = next.value;
    if (batch.numRows > MOST_ROWS) throw corrupt(file, `${String(batch.numRows)} rows in a batch`);
    columns ??= readable(file, batch);
    for (let at = 0; at < batch.numRows; at += BLOCK) {
      const part = batch.slice(at, Math.min(at + BLOCK, batch.numRows));
      const wire = await guarded(file, () => Promise.resolve(wireOf(part, columns ?? [])));
      yield* encodeBlocks(part.numRows, wire);
    }
  }
  if (columns === null) {
    throw new ReadingError('arrow.no_rows', `"${file.name}" holds no rows.`);
  }
}

interface ReadableColumn {
  index: number;
  convert: (name: string, vector: Vector) => WireColumn;
}

function wireOf(batch: RecordBatch, columns: readonly ReadableColumn[]): WireColumn[] {
  return columns.map(({ index, convert }) => {
    const vector = batch.getChildAt(index);
    const name = batch.schema.fields[index]?.name ?? '';
    if (vector === null) throw new Error(`column ${String(index)} is missing in a batch`);
    checkBuffers(vector);
    return convert(name, vector);
  });
}

/** The library takes buffers that are too short for its number of rows, and gives undefined for what they lack. */
function checkBuffers(vector: Vector): void {
  for (const { type, length, offset, stride, values, valueOffsets } of vector.data) {
    const data = values as { length: number } | undefined;
    const offsets = valueOffsets as { length: number } | undefined;
    const enough =
      Types.isUtf8(type) || Types.isLargeUtf8(type)
        ? (offsets?.length ?? 0) > length
        : Types.isBool(type)
          ? (data?.length ?? 0) * 8 >= offset + length
          : (data?.length ?? 0) >= length * stride;
    if (!enough) throw new Error('a column is shorter than its rows');
  }
}

function readable(file: RandomAccess, { schema }: RecordBatch): ReadableColumn[] {
  const columns: ReadableColumn[] = [];
  const others: string[] = [];
  schema.fields.forEach((field: Field, index) => {
    const convert = converter(field.type as DataType);
    if (convert === null) others.push(field.name);
    else columns.push({ index, convert });
  });
  if (columns.length === 0) throw noColumns('arrow', file.name, others);
  if (columns.length > MOST_COLUMNS) {
    throw new ReadingError(
      'arrow.too_large',
      `"${file.name}" has ${String(columns.length)} columns; at most ${String(MOST_COLUMNS)} can be read.`,
    );
  }
  return columns;
}

/** Null for what is nested or binary. */
function converter(type: DataType): ReadableColumn['convert'] | null {
  if (Types.isDictionary(type)) return converter(type.dictionary as DataType);
  if (Types.isInt(type) || Types.isFloat(type)) return numbers(1);
  if (Types.isDecimal(type)) return decimals(type.scale);
  if (Types.isDate(type) || Types.isTimestamp(type)) return times;
  if (Types.isTime(type) || Types.isDuration(type)) return numbers(secondsOf(type.unit));
  if (
    Types.isBool(type) ||
    Types.isUtf8(type) ||
    Types.isLargeUtf8(type) ||
    Types.isUtf8View(type)
  ) {
    return (name, vector) => texts(name, [...vector]);
  }
  return null;
}

function numbers(factor: number): ReadableColumn['convert'] {
  return (name, vector) => ({
    name,
    kind: 'f64',
    values: Float64Array.from(vector as Iterable<unknown>, (value) =>
      value === null ? NaN : Number(value) * factor,
    ),
  });
}

/** The library gives a decimal's whole number, as words of 32 bits. */
function decimals(scale: number): ReadableColumn['convert'] {
  return (name, vector) => ({
    name,
    kind: 'f64',
    values: Float64Array.from(vector as Iterable<Uint32Array | null>, (words) =>
      words === null ? NaN : Number(signed(words)) / 10 ** scale,
    ),
  });
}

function signed(words: Uint32Array): bigint {
  const whole = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return BigInt.asIntN(words.length * 32, whole);
}

/** The library gives dates and timestamps in milliseconds, whatever they are stored in. */
function times(name: string, vector: Vector): WireColumn {
  const seconds = Float64Array.from(vector as Iterable<number | bigint | Date | null>, (value) =>
    value === null ? NaN : Number(value) / 1000,
  );
  return { name, kind: 'time', values: seconds };
}

function secondsOf(unit: TimeUnit): number {
  return 10 ** (-3 * unit);
}

async function guarded<T>(file: RandomAccess, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isTold(error) && !(error instanceof ReadingError)) throw error;
    if (error instanceof ReadingError && error.message.includes(file.name)) throw error;
    throw corrupt(file, error.message);
  }
}

function corrupt(file: RandomAccess, why: string): ReadingError {
  return new ReadingError(
    'arrow.corrupt',
    `"${file.name}" can't be read as Arrow (${why}): it is damaged, cut short, or uses a feature that is not supported. Write it again, or export it as CSV.`,
  );
}
