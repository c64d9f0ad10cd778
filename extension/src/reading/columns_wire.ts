// Typed columns on their way from a JavaScript library into the core: blocks of rows in the form that FORMATS.md calls
// `columns`. Every block has the same columns.

export type WireColumn =
  | { name: string; kind: 'f32'; values: Float32Array }
  | { name: string; kind: 'f64'; values: Float64Array }
  /** Seconds since 1970. */
  | { name: string; kind: 'time'; values: Float64Array }
  | { name: string; kind: 'text'; values: (string | null)[] }
  | { name: string; kind: 'f32s'; shape: number[]; values: Float32Array }
  | { name: string; kind: 'u8'; shape: number[]; values: Uint8Array };

/** Something that was left out or mended on the way here; line counts rows or files from 1, 0 is the whole. */
export interface WireRepair {
  line: number;
  column: number;
  kind: string;
  text: string;
}

/** Options of a part in this form. */
export const COLUMNS = { format: 'columns' };

const encoder = new TextEncoder();

/** What the core takes of one block, less what stands around it. */
const MOST_TEXT = 3 * 1_048_576;
const MOST_VALUES = 60 * 1_048_576;

/** The rows in as many blocks as they need. */
export function* encodeBlocks(
  rows: number,
  columns: readonly WireColumn[],
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  const sizes = columns.map((column) =>
    column.kind === 'text'
      ? { text: textSize(column.values) }
      : { values: column.values.byteLength },
  );
  const text = sizes.reduce((sum, size) => sum + (size.text ?? 0), 0);
  const values = sizes.reduce((sum, size) => sum + (size.values ?? 0), 0);
  if (rows < 2 || (text <= MOST_TEXT && values <= MOST_VALUES)) {
    yield encodeBlock(rows, columns);
    return;
  }
  const half = rows >> 1;
  yield* encodeBlocks(
    half,
    columns.map((column) => part(column, 0, half, rows)),
  );
  yield* encodeBlocks(
    rows - half,
    columns.map((column) => part(column, half, rows, rows)),
  );
}

/** Bytes of JSON at most: a character is three of UTF-8, or an escape of six. */
function textSize(values: readonly (string | null)[]): number {
  return values.reduce((sum, value) => sum + 3 * (value?.length ?? 2) + 3, 0);
}

function part(column: WireColumn, from: number, to: number, rows: number): WireColumn {
  const each = column.values.length / rows;
  return { ...column, values: column.values.slice(from * each, to * each) } as WireColumn;
}

/** Missing values are NaN, or null for text. */
export function encodeBlock(
  rows: number,
  columns: readonly WireColumn[],
  repairs: readonly WireRepair[] = [],
): Uint8Array<ArrayBuffer> {
  const described = columns.map((column) => {
    const { name, kind } = column;
    if (kind === 'text') return { name, kind, values: column.values };
    return kind === 'u8' || kind === 'f32s' ? { name, kind, shape: column.shape } : { name, kind };
  });
  const head = encoder.encode(
    JSON.stringify({ rows, columns: described, ...(repairs.length > 0 && { repairs }) }),
  );
  const binary = columns.flatMap((column) => (column.kind === 'text' ? [] : [column.values]));
  const size = binary.reduce((sum, { byteLength }) => sum + padded(byteLength), 4 + head.length);
  const block = new Uint8Array(size);
  new DataView(block.buffer).setUint32(0, head.length, true);
  block.set(head, 4);
  let at = 4 + head.length;
  for (const { buffer, byteOffset, byteLength } of binary) {
    block.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += padded(byteLength);
  }
  return block;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
