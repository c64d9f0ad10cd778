// Shards and manifests as the core writes them, made by hand: for tests of what reads them.
import { createHash } from 'node:crypto';

export interface FakeTensor {
  dtype: string;
  shape: number[];
  bytes: Uint8Array;
}

export const f32 = (values: number[], ...inner: number[]): FakeTensor => {
  const rows = inner.reduce((length, size) => length / size, values.length);
  return { dtype: 'F32', shape: [rows, ...inner], bytes: bytesOf(Float32Array.from(values)) };
};
export const f64 = (values: number[]): FakeTensor => ({
  dtype: 'F64',
  shape: [values.length],
  bytes: bytesOf(Float64Array.from(values)),
});
export const i32 = (values: number[]): FakeTensor => ({
  dtype: 'I32',
  shape: [values.length],
  bytes: bytesOf(Int32Array.from(values)),
});
export const u8 = (values: number[], ...inner: number[]): FakeTensor => {
  const rows = inner.reduce((length, size) => length / size, values.length);
  return { dtype: 'U8', shape: [rows, ...inner], bytes: Uint8Array.from(values) };
};

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** A safetensors file of these tensors. */
export function shardOf(tensors: Record<string, FakeTensor>): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: { format: 'shadegrad-shard/1' } };
  let at = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] };
    at += bytes.length;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil((text.length + 8) / 8) * 8;
  const file = new Uint8Array(8 + padded + at);
  new DataView(file.buffer).setBigUint64(0, BigInt(padded), true);
  file.fill(0x20, 8, 8 + padded);
  file.set(text, 8);
  at = 8 + padded;
  for (const { bytes } of Object.values(tensors)) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface FakeShard {
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
  first: number;
  rows: number;
  columns?: [number, number];
}

/** `columns`: name and dtype, and what else there is of one. */
export function manifestOf(
  source: object,
  rows: number,
  columns: { name: string; dtype: string | null }[],
  shards: FakeShard[],
): Record<string, unknown> {
  return {
    format: 'shadegrad-data/1',
    source,
    options: {},
    rows,
    description: {},
    columns: columns.map((column, index) => ({ index, type: 'number', shape: [], ...column })),
    shards: shards.map(({ file, bytes, first, rows: count, columns: part }) => ({
      file,
      first,
      rows: count,
      columns: part ?? [0, columns.length],
      bytes: bytes.length,
      sha256: sha256(bytes),
    })),
  };
}

/** A safetensors file with strings and no tensor. */
export function safetensors(metadata: Record<string, string>): Uint8Array<ArrayBuffer> {
  const zeros = '0'.repeat(64);
  const text = JSON.stringify({
    __metadata__: { ...metadata, header_sha256: zeros, sha256: '{}' },
  });
  const header = new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + header.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  const at = 8 + new TextEncoder().encode(text.slice(0, text.indexOf(zeros))).length;
  bytes.set(new TextEncoder().encode(sha256(bytes)), at);
  return bytes;
}
