// What lies beside a data set's shards: where it came from, its columns, and every shard with its rows and its checksum.
// The core writes it at the end of an import; a folder without one is what an import left that never ended.
import type { SourceInfo } from '../messages/state.ts';
import * as v from '../messages/validate.ts';

export const MANIFEST = 'manifest.json';
/** What is ours beside what the core has written. */
const OWN = new Set(['origin', 'remote']);
const FORMAT = 'shadegrad-data/1';
const SHARD_FILE = /^\d{6}\.safetensors$/;

/** What tells a source from another one and from an older state of itself. */
export interface Fingerprint {
  name: string;
  size: number;
  /** Milliseconds since 1970, where it is known. */
  mtime: number | null;
  /** SHA-256 of the first and of the last 64 KiB, in hexadecimal digits. */
  head: string;
  tail: string;
}

export interface ManifestColumn {
  index: number;
  name: string;
  /** Null: its values are not kept. */
  dtype: 'F32' | 'F64' | 'I32' | 'U8' | null;
  /** Of one row; empty for a single value. */
  shape: number[];
  /** Which of two readings of its dates holds. */
  dayFirst: boolean;
}

export interface ManifestShard {
  file: string;
  first: number;
  rows: number;
  /** The first column and how many. */
  columns: [number, number];
  bytes: number;
  sha256: string;
}

/** The door by which a source came. */
export type Origin = Pick<SourceInfo, 'kind' | 'path'>;

export interface Manifest {
  source: Fingerprint;
  options: Record<string, unknown>;
  rows: number;
  columns: ManifestColumn[];
  shards: ManifestShard[];
  origin: Origin;
  /** The data set of the native host whose columns are kept here as far as they were asked for; null: all are here. */
  remote: string | null;
  /** As the core wrote it. */
  json: Record<string, unknown>;
}

const count = v.integer(0);
const digest = v.text(64, 64);

const shardFile: v.Check<string> = (value, path) => {
  const name = v.text(100)(value, path);
  if (SHARD_FILE.test(name)) return name;
  throw new v.MessageError(`${path} is not a shard's name.`);
};

const range: v.Check<[number, number]> = (value, path) => {
  const [first = 0, length = 0] = v.list(count, 2, 2)(value, path);
  return [first, length];
};

const fields = v.object({
  format: v.oneOf(FORMAT),
  source: v.object({
    name: v.text(4096),
    size: count,
    mtime: v.nullable(v.number()),
    head: digest,
    tail: digest,
  }),
  options: v.record,
  rows: count,
  columns: v.list(
    v.object({
      index: count,
      name: v.text(100_000),
      dtype: v.nullable(v.oneOf('F32', 'F64', 'I32', 'U8')),
      shape: v.withDefault(v.list(count, 8), []),
      dayFirst: v.withDefault(v.boolean, false),
    }),
    1_000_000,
  ),
  shards: v.list(
    v.object({
      file: shardFile,
      first: count,
      rows: count,
      columns: range,
      bytes: count,
      sha256: digest,
    }),
    1_000_000,
  ),
  origin: v.withDefault(
    v.object({ kind: v.oneOf('file', 'host', 'example'), path: v.nullable(v.text(4096)) }),
    { kind: 'file', path: null },
  ),
  remote: v.nullable(v.text(200, 1)),
});

/** Throws a MessageError that says what does not fit. */
export const manifest: v.Check<Manifest> = (value, path) => {
  const checked = fields(value, path);
  for (const { file, first, rows } of checked.shards) {
    if (first + rows > checked.rows)
      throw new v.MessageError(
        `${path}: ${file} has rows beyond the ${String(checked.rows)} there are.`,
      );
  }
  const own = Object.entries(v.record(value, path)).filter(([name]) => !OWN.has(name));
  return { ...checked, json: Object.fromEntries(own) };
};

/** Bytes of all shards. */
export function storedBytes({ shards }: Pick<Manifest, 'shards'>): number {
  return shards.reduce((sum, { bytes }) => sum + bytes, 0);
}
