// A large file of the native host: imported there, of its shards only the columns that a run asks for come here, once.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unshuffle } from '../../../extension/src/training/host_columns.ts';
import { MOST_ROWS } from '../fake_rows.ts';
import { f32, manifestOf, shardOf } from '../fake_shards.ts';
import { HELLO } from './fake_host.ts';
import type { HostMessage } from './fake_host.ts';
import { config, Room } from './room.ts';

const SIZE = 100_000_000;
const ROWS = 10;
const PATH = 'Data/big.csv';
const head = createHash('sha256').update(new Uint8Array(65_536)).digest('hex');
const column = (index: number, first: number, rows: number): number[] =>
  Array.from({ length: rows }, (_, i) => 100 * index + first + i);
const SHARDS = [0, 4, 8].map((first, i) => {
  const rows = Math.min(4, ROWS - first);
  const file = `${String(i).padStart(6, '0')}.safetensors`;
  const bytes = shardOf({ c0: f32(column(0, first, rows)), c1: f32(column(1, first, rows)) });
  return { file, bytes, first, rows };
});
const MANIFEST = manifestOf(
  { name: 'big.csv', size: SIZE, mtime: 5, head, tail: head },
  ROWS,
  [
    { name: 'a', dtype: 'F32' },
    { name: 'b', dtype: 'F32' },
  ],
  SHARDS,
);

let room: Room;
/** What the host does with the n-th shard.read; undefined: what it should. */
let onRead: (n: number, request: HostMessage) => boolean;
let packed: boolean;
beforeEach(async () => {
  room = new Room();
  onRead = () => false;
  packed = false;
  room.host.onRequest = serve;
  await room.training.begin();
});
afterEach(() => {
  room.host.close();
});

const asked = (type: string): HostMessage[] =>
  room.host.requests.filter((request) => request.type === type);
const open = { type: 'dataset.open', source: { kind: 'host', path: PATH } } as const;

function serve(request: HostMessage): void {
  const { host } = room;
  const { type, id } = request;
  if (type === 'hello') host.reply(request, HELLO);
  else if (type === 'dataset.read') {
    const bytes = new Uint8Array(65_536);
    const file = { path: PATH, size: SIZE, mtime: 5 };
    host.reply(request, { ok: true, ...file, bytes: bytes.length, frames: 1 });
    host.frames(id, bytes);
    host.end(id, bytes);
  } else if (type === 'dataset.import') {
    host.say({ id, type: 'import.progress', bytes: SIZE / 2, size: SIZE, rows: 5 });
    host.reply(request, { ok: true, dataset: 'big-1', reused: false, changed: false });
  } else if (type === 'dataset.manifest') {
    const text = JSON.stringify(MANIFEST);
    const offset = Number(request['offset']);
    const end = Math.min(text.length, offset + 300);
    const next = end < text.length ? end : null;
    const page = { dataset: 'big-1', size: text.length, text: text.slice(offset, end), next };
    host.reply(request, { ok: true, ...page });
  } else if (type === 'shard.read') {
    if (!onRead(asked('shard.read').length, request)) send(request);
  } else if (type === 'checkpoint.list') {
    host.reply(request, { ok: true, checkpoints: [], cursor: null, folder: '/x' });
  } else if (type === 'run.list') {
    host.reply(request, { ok: true, runs: [], cursor: null });
  }
}

function send(request: HostMessage, spoil = 0): void {
  const { id } = request;
  const { first, rows } = SHARDS[Number(request['shard'])]!;
  const columns = request['columns'] as number[];
  const values = columns.flatMap((index) => column(index, first, rows));
  const plain = new Uint8Array(Float32Array.from(values).buffer);
  const each = 4 * rows;
  room.host.reply(request, {
    ok: true,
    dataset: 'big-1',
    bytes: plain.length,
    encoding: packed ? 'deflate' : 'identity',
    columns: columns.map((index) => ({ index, dtype: 'F32', bytes: each })),
  });
  const shuffled = columns.map((_, k) => shuffle(plain.subarray(k * each, (k + 1) * each), 4));
  const sent = packed ? new Uint8Array(deflateSync(Buffer.concat(shuffled))) : plain.slice();
  if (!packed) sent[0]! ^= spoil;
  const frame = { id, type: 'shard.data', sequence: 0, last: true, bytes: sent.buffer };
  room.host.say(frame);
  const sha256 = createHash('sha256').update(plain).digest('hex');
  room.host.say({ id, type: 'shard.end', frames: 1, bytes: plain.length, sha256 });
}

/** As PROTOCOL.md says it. */
function shuffle(from: Uint8Array, width: number): Uint8Array {
  const count = from.length / width;
  return from.map((_, i) => from[(i % count) * width + Math.floor(i / count)]!);
}

const fed = (): number[][] => [...room.core.sessions.values()].at(-1)!.fed;
const EXPECTED = [0, 1].map((index) => column(index, 0, Math.min(ROWS, MOST_ROWS)));

test('is imported on the host, with its progress, and trained on', async () => {
  const seen: unknown[] = [];
  const opened = room.ask(open);
  await room.until(({ reading, phase }) => {
    if (reading !== null && reading.bytes > 0) seen.push([reading.bytes, reading.rows]);
    return phase === 'ready';
  });
  expect(await opened).toMatchObject({ ok: true });
  expect(asked('dataset.manifest').length).toBeGreaterThan(2);
  expect(asked('dataset.import')[0]).toMatchObject({ path: PATH });
  const { imports, source } = await room.until(() => true);
  expect(imports).toMatchObject([{ kind: 'host', path: PATH, rows: ROWS, bytes: 0 }]);
  expect(source).toMatchObject({ kind: 'host', imported: imports[0]!.id });

  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  expect(fed()).toEqual(EXPECTED);
  expect(asked('shard.read').map((one) => [one['shard'], one['columns']])).toEqual([
    [0, [0, 1]],
    [1, [0, 1]],
    [2, [0, 1]],
  ]);
});

test('packed columns are unpacked', async () => {
  packed = true;
  await room.do(open);
  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  expect(fed()).toEqual(EXPECTED);
});

test('what has come is kept: later runs, and the next start, ask the host for nothing', async () => {
  await room.do(open);
  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  expect(asked('shard.read')).toHaveLength(3);
  const restarted = new Room(room.disk);
  restarted.noHost();
  await restarted.training.begin();
  const { imports } = await restarted.until(() => true);
  expect(imports[0]!.bytes).toBeGreaterThan(2 * 4 * ROWS);
  await restarted.do({ type: 'dataset.open', source: { kind: 'imported', id: imports[0]!.id } });
  await restarted.do({ type: 'run.start', config });
  await restarted.finished();
  expect([...restarted.core.sessions.values()].at(-1)!.fed).toEqual(EXPECTED);
  restarted.host.close();
});

test('the same file is known again by both ends, and not imported', async () => {
  await room.do(open);
  await room.do({ type: 'dataset.close' });
  await room.do(open);
  expect(asked('dataset.import')).toHaveLength(1);
});

test('a transfer that breaks goes on with the first shard that is not whole', async () => {
  onRead = (n, request) => {
    if (n !== 2) return false;
    room.host.reply(request, {
      ok: true,
      dataset: 'big-1',
      bytes: 32,
      encoding: 'identity',
      columns: [],
    });
    const frame = { id: request.id, type: 'shard.data', sequence: 0, last: false };
    room.host.say({ ...frame, bytes: new ArrayBuffer(8) });
    room.host.tell({ type: 'relay.closed', end: 'exited', message: 'gone' });
    return true;
  };
  await room.do(open);
  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  expect(fed()).toEqual(EXPECTED);
  expect(asked('shard.read').map((one) => one['shard'])).toEqual([0, 1, 1, 2]);
});

test('values that are not those that were sent are asked for again, and never used', async () => {
  onRead = (n, request) => {
    if (n === 1) send(request, 1);
    return n === 1;
  };
  await room.do(open);
  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  expect(fed()).toEqual(EXPECTED);
  expect(asked('shard.read').map((one) => one['shard'])).toEqual([0, 0, 1, 2]);
});

test('what the host refuses is for the person to read, and not asked for again', async () => {
  onRead = (_, request) => {
    const message = 'The shard is not as it was imported.';
    room.host.reply(request, { ok: false, code: 'import.damaged', message, path: 'x' });
    return true;
  };
  await room.do(open);
  expect(await room.ask({ type: 'run.start', config })).toMatchObject({ code: 'import.damaged' });
  expect(asked('shard.read')).toHaveLength(1);
});

describe('without room for what comes', () => {
  const kept = (): string[] => {
    const [folder] = [...room.disk.folders.get('datasets')!.folders.values()];
    return [...folder!.files.keys()].filter((name) => /\.\d+\.|partial/.test(name));
  };
  beforeEach(async () => {
    await room.do(open);
    room.disk.disk.free = 10;
  });

  test('the run goes on, nothing half stays, and it is said how much is needed', async () => {
    await room.do({ type: 'run.start', config });
    const { notices } = await room.until(({ phase }) => phase === 'finished');
    expect(fed()).toEqual(EXPECTED);
    expect(kept()).toEqual([]);
    const said = notices.filter(({ code }) => code === 'storage.short');
    expect(said).toMatchObject([{ level: 'warning' }]);
    expect(said[0]!.message).toMatch(/columns of "big\.csv": about 1 MB are needed, and 1 MB are/);
    expect(said[0]!.message).toMatch(/Remove imported data/);
  });

  test('a shard is tried again once there is room, and kept', async () => {
    onRead = (_, request) => {
      if (request['shard'] === 2) room.disk.disk.free = 10_000;
      return false;
    };
    await room.do({ type: 'run.start', config });
    await room.until(({ phase }) => phase === 'finished');
    expect(kept()).toEqual(['000002.0.safetensors']);
  });
});

test('a manifest that finds no room is a shortage, told with what could go for it', async () => {
  room.estimate = () => ({ quota: 1e9, usage: 0 });
  room.disk.disk.free = 10;
  expect(await room.ask(open)).toMatchObject({ ok: false, code: 'storage.short' });
  expect((await room.until(() => true)).shortage).toMatchObject({ name: 'big.csv' });
  expect([...room.disk.folders.get('datasets')!.folders.keys()]).toEqual([]);
});

test('a kept file that is damaged is fetched anew', async () => {
  await room.do(open);
  await room.do({ type: 'run.start', config });
  await room.until(({ phase }) => phase === 'finished');
  const folder = [...room.disk.folders.get('datasets')!.folders.values()][0]!;
  const kept = folder.files.get('000001.0.safetensors')!;
  kept.bytes[kept.bytes.length - 1]! ^= 1;
  const restarted = new Room(room.disk);
  const before = room;
  room = restarted;
  restarted.host.onRequest = serve;
  await restarted.training.begin();
  await restarted.do(open);
  await restarted.do({ type: 'run.start', config });
  await restarted.until(({ phase }) => phase === 'finished');
  expect(fed()).toEqual(EXPECTED);
  expect(asked('shard.read').map((one) => one['shard'])).toEqual([1]);
  before.host.close();
});

describe('an import on the host', () => {
  test('is called off there, and nothing is kept', async () => {
    room.host.onRequest = (request) => {
      if (request.type === 'request.cancel') {
        const failed = { ok: false, code: 'request.cancelled', message: 'x' };
        room.host.say({ id: request['target'], ...failed });
      } else if (request.type !== 'dataset.import') serve(request);
    };
    const opened = room.ask(open);
    await room.until(({ phase }) => phase === 'reading');
    while (asked('dataset.import').length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await room.do({ type: 'dataset.close' });
    expect(await opened).toMatchObject({ code: 'dataset.cancelled' });
    expect(asked('request.cancel')[0]).toMatchObject({ target: asked('dataset.import')[0]!.id });
  });

  test('of what the host does not read is made here from its bytes', async () => {
    room.host.onRequest = (request) => {
      const failed = { ok: false, code: 'import.unsupported', message: 'x' };
      if (request.type === 'dataset.import') room.host.reply(request, failed);
      else serve(request);
    };
    await room.ask(open);
    expect(asked('dataset.read').some((one) => one['offset'] === 65_536)).toBe(true);
  });
});

test('unshuffling is the inverse of what the protocol says, block by block', () => {
  const plain = Uint8Array.from({ length: 65_536 + 24 }, (_, i) => (i * 7) % 251);
  const blocks = [plain.subarray(0, 65_536), plain.subarray(65_536)];
  const shuffled = Buffer.concat(blocks.map((block) => shuffle(block, 8)));
  const back = new Uint8Array(plain.length);
  unshuffle(shuffled, 8, back);
  expect(Buffer.compare(back, plain)).toBe(0);
});
