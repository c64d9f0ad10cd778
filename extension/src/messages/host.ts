// The native host's messages as native_host/PROTOCOL.md describes them: requests by type with their fields, and the
// check of each reply. What the host sends is unknown until checked here; bytes arrive decoded (the background turns
// base64 into an ArrayBuffer before it relays).
import * as v from './validate.ts';

export const HOST_NAME = 'io.shadegrad.host';
/** The protocol versions this extension speaks. */
export const PROTOCOL = { min: 1, max: 1 } as const;
/** Raw bytes of a checkpoint.write, below the host's 524,288. */
export const WRITE_BYTES = 262_144;
export const FRAME_BYTES = 65_536;

const size = v.integer(0);
/** RUN/FILE.safetensors */
const name = v.text(165, 1);
const run = v.text(64, 1);
const path = v.text(4096);
const datasetId = v.text(200, 1);
const checksum = v.integer(0, 0xffff_ffff);

const entry = v.object({
  path,
  kind: v.oneOf('file', 'folder'),
  size: v.nullable(size),
  mtime: v.nullable(v.number()),
});

const metadata: v.Check<Record<string, string>> = (value, where) => {
  if (!v.isRecord(value)) throw new v.MessageError(`${where} must be an object.`);
  const pairs = Object.entries(value).slice(0, 1000);
  return Object.fromEntries(
    pairs.map(([key, field]) => [key, v.text(4096)(field, `${where}.${key}`)]),
  );
};

const storedCheckpoint = v.object(
  { name, size, mtime: v.number(), ok: v.boolean },
  { metadata, reason: v.text(4096) },
);

/** One row a request: the check of its successful reply. */
export const HOST_REPLIES = {
  hello: v.object(
    {
      protocol: v.integer(1),
      host: v.text(100),
      roots: v.list(v.object({ name: v.text(255), available: v.boolean }), 1000),
    },
    { os: v.text(1000), checkpoints: path, frames: v.integer(0) },
  ),
  'dataset.list': v.object(
    { entries: v.list(entry, 1000), cursor: v.nullable(v.text(8192)) },
    { truncated: v.boolean },
  ),
  'dataset.read': v.object({ path, size, mtime: v.number(), bytes: size, frames: size }),
  'dataset.import': v.object({ dataset: datasetId, reused: v.boolean, changed: v.boolean }),
  'dataset.manifest': v.object({
    dataset: datasetId,
    size,
    text: v.text(1_000_000),
    next: v.nullable(size),
  }),
  'shard.read': v.object({
    bytes: size,
    encoding: v.oneOf('identity', 'deflate'),
    columns: v.list(v.object({ index: size, dtype: v.text(10), bytes: size }), 10_000),
  }),
  'request.cancel': v.object({ cancelled: v.boolean }),
  'checkpoint.begin': v.object({ handle: v.integer(0), window: v.integer(1, 64) }),
  'checkpoint.write': v.object({ handle: v.integer(0), received: size }),
  'checkpoint.commit': v.object({ name, size, mtime: v.number() }),
  'checkpoint.abort': v.object({ handle: v.integer(0) }),
  'checkpoint.list': v.object({
    checkpoints: v.list(storedCheckpoint, 200),
    cursor: v.nullable(v.text(8192)),
  }),
  'checkpoint.read': v.object({ name, size, mtime: v.number(), bytes: size, frames: size }),
  'checkpoint.remove': v.object({ name }),
  // A host that has granted something ends after this reply: a new one has it.
  'dialog.open': v.object({ granted: v.nullable(v.text(255, 1)), restart: v.boolean }),
  'run.list': v.object({
    runs: v.list(
      v.object({ run, name: v.text(400), note: v.text(8000) }, { reason: v.text(4096) }),
      200,
    ),
    cursor: v.nullable(v.text(8192)),
  }),
  'run.describe': v.object({ run }),
  'run.remove': v.object({ run, left: v.boolean }),
} satisfies Record<string, v.Check<object>>;

/** What the person is asked to pick in the desktop's own dialog. */
export type DialogKind = 'folder' | 'file';

export type HostRequestType = keyof typeof HOST_REPLIES;
export type HostReply<T extends HostRequestType> = v.Checked<(typeof HOST_REPLIES)[T]>;

export interface HostRequests {
  hello: { protocol: { min: number; max: number }; extension: string };
  'dataset.list': { path?: string; recursive?: boolean; limit?: number; cursor?: string };
  'dataset.read': { path: string; offset?: number; length?: number; credits: number };
  'dataset.import': { path: string; options?: object };
  'dataset.manifest': { dataset: string; offset: number };
  'shard.read': {
    dataset: string;
    shard: number;
    columns: number[];
    deflate: boolean;
    credits: number;
  };
  'request.cancel': { target: number };
  'checkpoint.begin': { name: string; size: number };
  'checkpoint.write': { handle: number; sequence: number; bytes: ArrayBuffer };
  'checkpoint.commit': { handle: number };
  'checkpoint.abort': { handle: number };
  'checkpoint.list': { limit?: number; cursor?: string };
  'checkpoint.read': { name: string; credits: number };
  'checkpoint.remove': { name: string };
  'dialog.open': { kind: DialogKind };
  'run.list': { limit?: number; cursor?: string };
  'run.describe': { run: string; name: string; note: string };
  'run.remove': { run: string };
}

/** Of every stream: "dataset.data", "checkpoint.data", "shard.data". */
export function isDataFrame(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('.data');
}

/** A data frame after the relay decoded it. */
export const dataFrame = v.object({
  id: v.integer(1),
  sequence: v.integer(0),
  last: v.boolean,
  bytes: v.instance(ArrayBuffer, 'decoded byte buffer'),
});

export const endFrame = v.object({ id: v.integer(1), frames: size, bytes: size, crc32c: checksum });

/** Of columns of a shard: the checksum is that of the bytes before they were packed. */
export const shardEnd = v.object({ id: v.integer(1), frames: size, sha256: v.text(64, 64) });

/** What an import tells until its reply. */
export const importProgress = v.object({ id: v.integer(1), bytes: size, size, rows: size });

export const failureReply = v.object(
  { code: v.text(200, 1), message: v.text(8192) },
  { path, update: v.oneOf('host', 'extension'), min: v.integer(), max: v.integer() },
);

/** What the background says about the port itself, beside the host's own messages. */
export type RelayNotice =
  | { type: 'relay.connected' }
  | {
      type: 'relay.disconnected';
      reason: 'missing' | 'forbidden' | 'exited' | 'broken';
      message: string;
    };
