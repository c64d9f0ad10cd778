// Reads the `columns` form back, as the core does, so that tests see values.
import type { Part } from '../../../extension/src/reading/access.ts';

export interface Block {
  rows: number;
  repairs: { line: number; kind: string; text: string }[];
  columns: Record<string, { kind: string; shape?: number[]; values: ArrayLike<unknown> }>;
}

interface Head {
  rows: number;
  columns: { name: string; kind: string; shape?: number[]; values?: unknown[] }[];
  repairs?: Block['repairs'];
}

const ARRAYS: Record<string, new (buffer: ArrayBuffer) => ArrayLike<number>> = {
  f32: Float32Array,
  f32s: Float32Array,
  f64: Float64Array,
  time: Float64Array,
  u8: Uint8Array,
};

export async function blocksOf(part: Part): Promise<Block[]> {
  const blocks: Block[] = [];
  for await (const chunk of part.chunks()) blocks.push(blockOf(chunk));
  return blocks;
}

function blockOf(chunk: Uint8Array<ArrayBuffer>): Block {
  const length = new DataView(chunk.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(chunk.subarray(4, 4 + length))) as Head;
  const columns: Block['columns'] = {};
  let at = 4 + length;
  for (const { name, kind, shape, values } of head.columns) {
    const make = ARRAYS[kind];
    if (make === undefined) {
      columns[name] = { kind, values: values! };
      continue;
    }
    const each = (shape ?? []).reduce((product, n) => product * n, 1);
    const width = kind === 'u8' ? 1 : kind.startsWith('f32') ? 4 : 8;
    const bytes = head.rows * each * width;
    columns[name] = {
      kind,
      ...(shape && { shape }),
      values: new make(chunk.slice(at, at + bytes).buffer),
    };
    at += Math.ceil(bytes / 4) * 4;
  }
  if (at !== chunk.length) throw new Error(`${String(chunk.length - at)} bytes are left`);
  return { rows: head.rows, columns, repairs: head.repairs ?? [] };
}

/** All values of a column. */
export function column(blocks: readonly Block[], name: string): unknown[] {
  return blocks.flatMap(({ columns }) => Array.from(columns[name]!.values));
}
