// Where a shard's values lie. A shard is a safetensors file of consecutive rows: eight bytes with the header's length, the
// header, the columns' values one column after the other. Rows of float32 columns are read from the file straight to
// where they are wanted, other types through a small buffer. Nothing that the header says is believed beyond the file.
import * as v from '../messages/validate.ts';
import { readFully } from './files.ts';
import type { SyncAccess } from './files.ts';
import type { ManifestColumn } from './manifest.ts';
import { headerSize, HeaderError } from './summary.ts';

const WIDTHS = { F32: 4, F64: 8, I32: 4, I64: 8, U8: 1 } as const;
type Dtype = keyof typeof WIDTHS;
const MISSING_CODE = -1;
const BUFFER = 65_536;

export interface Tensor {
  dtype: Dtype;
  rows: number;
  /** Values of one row. */
  width: number;
  /** Its first byte in the file. */
  at: number;
}

const tensor = v.object({
  dtype: v.oneOf('F32', 'F64', 'I32', 'I64', 'U8'),
  shape: v.list(v.integer(0), 9, 1),
  data_offsets: v.list(v.integer(0), 2, 2),
});

export interface ShardHeader {
  tensors: Map<string, Tensor>;
  metadata: Record<string, unknown>;
  /** Where the values begin. */
  data: number;
}

/** Throws a HeaderError where the header does not fit the file. */
export function headerOf(access: SyncAccess): ShardHeader {
  const size = access.getSize();
  const length = new Uint8Array(8);
  readFully(access, length, 0);
  const header = new Uint8Array(headerSize(length, size));
  if (!readFully(access, header, 0)) throw new HeaderError('it ends within its header');
  const { __metadata__: metadata, ...entries } = parse(header);
  const tensors = new Map<string, Tensor>();
  for (const [name, value] of Object.entries(entries)) {
    tensors.set(name, place(name, value, header.length, size));
  }
  return { tensors, metadata: v.isRecord(metadata) ? metadata : {}, data: header.length };
}

function parse(header: Uint8Array): Record<string, unknown> {
  try {
    return v.record(JSON.parse(new TextDecoder().decode(header.subarray(8))), 'header');
  } catch {
    throw new HeaderError('its header is not a JSON object');
  }
}

function place(name: string, value: unknown, data: number, size: number): Tensor {
  const { dtype, shape, data_offsets: offsets } = checked(name, value);
  const [begin = 0, end = 0] = offsets;
  const [rows = 0, ...inner] = shape;
  const width = inner.reduce((product, length) => product * length, 1);
  if (end - begin !== rows * width * WIDTHS[dtype] || data + end > size)
    throw new HeaderError(`its tensor "${name}" does not fit into the file`);
  return { dtype, rows, width, at: data + begin };
}

function checked(name: string, value: unknown): v.Checked<typeof tensor> {
  try {
    return tensor(value, name);
  } catch (error) {
    throw new HeaderError(`its tensor ${(error as Error).message}`);
  }
}

/** A file with the tensors that its header names. */
export interface ShardFile {
  access: SyncAccess;
  tensors: Map<string, Tensor>;
}

/**
 * Writes the column's rows from `first` of the shard on as float32 into `target`, NaN where there is no value. False:
 * the shard has no such rows.
 */
export function readColumn(
  file: ShardFile,
  column: ManifestColumn,
  first: number,
  target: Float32Array,
): boolean {
  const name = `c${String(column.index)}`;
  const { access, tensors } = file;
  const other = column.dayFirst ? tensors.get(`${name}.day_first`) : undefined;
  const found = other ?? tensors.get(name);
  if (found === undefined) {
    target.fill(NaN);
    return true;
  }
  const { width, rows, at } = found;
  if (found.dtype !== column.dtype) return false;
  const skipped = first * width;
  if (target.length % width !== 0 || skipped + target.length > rows * width) return false;
  if (found.dtype === 'F32') {
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    return readFully(access, bytes, at + 4 * skipped);
  }
  return (
    convert(file, found, skipped, target) && maskMissing(file, `${name}.null`, first, width, target)
  );
}

function convert(
  { access }: ShardFile,
  { dtype, at }: Tensor,
  skipped: number,
  target: Float32Array,
): boolean {
  const width = WIDTHS[dtype];
  const buffer = new Uint8Array(Math.min(BUFFER, target.length * width));
  for (let done = 0; done < target.length;) {
    const count = Math.min(buffer.length / width, target.length - done);
    const bytes = buffer.subarray(0, count * width);
    if (!readFully(access, bytes, at + (skipped + done) * width)) return false;
    target.set(floats(dtype, bytes), done);
    done += count;
  }
  return true;
}

function floats(dtype: Dtype, bytes: Uint8Array<ArrayBuffer>): ArrayLike<number> {
  const { buffer, byteOffset, length } = bytes;
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer, byteOffset, length / 4);
    case 'F64':
      return new Float64Array(buffer, byteOffset, length / 8);
    case 'I32':
      return Float32Array.from(new Int32Array(buffer, byteOffset, length / 4), (code) =>
        code === MISSING_CODE ? NaN : code,
      );
    case 'I64':
      return Float64Array.from(new BigInt64Array(buffer, byteOffset, length / 8), Number);
    case 'U8':
      return bytes;
  }
}

/** Bytes have no value of their own for what is missing: a bit a row says it. */
function maskMissing(
  { access, tensors }: ShardFile,
  name: string,
  first: number,
  width: number,
  target: Float32Array,
): boolean {
  const bitmap = tensors.get(name);
  if (bitmap === undefined) return true;
  const bits = new Uint8Array(bitmap.rows);
  const rows = target.length / width;
  if (bits.length * 8 < first + rows || !readFully(access, bits, bitmap.at)) return false;
  for (let row = 0; row < rows; row += 1) {
    const at = first + row;
    if (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) target.fill(NaN, row * width, (row + 1) * width);
  }
  return true;
}
