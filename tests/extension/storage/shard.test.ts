import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { openToRead } from '../../../extension/src/storage/files.ts';
import { manifest as checkManifest } from '../../../extension/src/storage/manifest.ts';
import type { ManifestColumn } from '../../../extension/src/storage/manifest.ts';
import { headerOf, readColumn } from '../../../extension/src/storage/shard.ts';
import { ShardRows } from '../../../extension/src/storage/shard_rows.ts';
import { ShardStore } from '../../../extension/src/storage/shard_store.ts';
import { FakeFolder } from '../fake_opfs.ts';
import { f32, f64, i32, manifestOf, shardOf, u8 } from '../fake_shards.ts';
import type { FakeShard } from '../fake_shards.ts';

const GOLDEN = fileURLToPath(new URL('../../golden/io/plain_shard.safetensors', import.meta.url));

let folder: FakeFolder;
beforeEach(() => {
  folder = new FakeFolder();
});

const column = (index: number, change: Partial<ManifestColumn> = {}): ManifestColumn => ({
  index,
  name: `column ${String(index)}`,
  dtype: 'F32',
  shape: [],
  dayFirst: false,
  ...change,
});

async function put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  (await folder.getFileHandle(name, { create: true })).bytes = bytes;
}

async function opened(bytes: Uint8Array<ArrayBuffer>): Promise<Parameters<typeof readColumn>[0]> {
  await put('x', bytes);
  const access = await openToRead(await folder.asHandle().getFileHandle('x'));
  return { access, tensors: headerOf(access).tensors };
}

describe('a column of a shard', () => {
  const read = async (
    tensors: Parameters<typeof shardOf>[0],
    which: ManifestColumn,
    first: number,
    count: number,
  ): Promise<number[]> => {
    const values = new Float32Array(count);
    expect(readColumn(await opened(shardOf(tensors)), which, first, values)).toBe(true);
    return [...values];
  };

  test('of float32 is read from the row that is asked for', async () => {
    const tensors = { c0: f32([9, 9, 9]), c3: f32([1, NaN, 3, 4]) };
    expect(await read(tensors, column(3), 1, 3)).toEqual([NaN, 3, 4]);
  });

  test('of dates, codes and bytes comes as numbers, missing as NaN', async () => {
    const tensors = {
      c0: f64([0, 60, NaN]),
      'c0.day_first': f64([7, 8, 9]),
      c1: i32([2, -1, 0]),
      c2: u8([1, 2, 3, 4, 5, 6], 2),
      'c2.null': u8([0b10]),
    };
    const date = column(0, { dtype: 'F64' });
    expect(await read(tensors, date, 0, 3)).toEqual([0, 60, NaN]);
    expect(await read(tensors, { ...date, dayFirst: true }, 1, 2)).toEqual([8, 9]);
    expect(await read(tensors, column(1, { dtype: 'I32' }), 0, 3)).toEqual([2, NaN, 0]);
    const bytes = column(2, { dtype: 'U8', shape: [2] });
    expect(await read(tensors, bytes, 0, 6)).toEqual([1, 2, NaN, NaN, 5, 6]);
  });

  test('longer than the buffer is converted piece by piece', async () => {
    const codes = Array.from({ length: 40_000 }, (_, i) => i);
    const values = await read({ c0: i32(codes) }, column(0, { dtype: 'I32' }), 3, 39_000);
    expect(values).toEqual(codes.slice(3, 39_003));
  });

  test('that is not in the shard has no value in any row', async () => {
    expect(await read({ c0: f32([1, 2]) }, column(1), 0, 2)).toEqual([NaN, NaN]);
  });

  test('of another type than the manifest says is not read', async () => {
    const file = await opened(shardOf({ c0: i32([1, 2]) }));
    expect(readColumn(file, column(0), 0, new Float32Array(2))).toBe(false);
  });

  test('of fewer rows than are asked for is not read', async () => {
    const file = await opened(shardOf({ c0: f32([1, 2]) }));
    expect(readColumn(file, column(0), 1, new Float32Array(2))).toBe(false);
  });
});

describe('a header that does not fit its file', () => {
  const spoilt = (change: (header: string) => string): Uint8Array<ArrayBuffer> => {
    const bytes = shardOf({ c0: f32([1, 2]) });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    const header = new TextDecoder().decode(bytes.subarray(8, 8 + length));
    const text = new TextEncoder().encode(change(header.trimEnd()).padEnd(length));
    expect(text).toHaveLength(length);
    bytes.set(text, 8);
    return bytes;
  };
  test.each([
    ['more values than there are bytes', (header: string) => header.replace('[2]', '[3]')],
    ['values beyond the end', (header: string) => header.replace('[0,8]', '[4,12]')],
    ['an unknown type', (header: string) => header.replace('F32', 'F31')],
    ['an offset below zero', (header: string) => header.replace('[0,8]', '[-8,0]')],
    ['no JSON', () => '{'],
  ])('is refused: %s', async (_, change) => {
    await expect(opened(spoilt(change))).rejects.toThrow(/^its /);
  });

  test('is refused: longer than the file', async () => {
    const bytes = shardOf({ c0: f32([1]) });
    new DataView(bytes.buffer).setBigUint64(0, 2n ** 40n, true);
    await expect(opened(bytes)).rejects.toThrow(/header of 1099511627776 bytes/);
  });
});

const print = {
  name: 'a.csv',
  size: 9,
  mtime: 5,
  head: '0'.repeat(64),
  tail: '0'.repeat(64),
};

/** 10 rows in shards of 4, the second column's in shards of their own. */
async function dataset(): Promise<{ rows: ShardRows; store: ShardStore }> {
  const all = Array.from({ length: 10 }, (_, i) => i);
  const shards: FakeShard[] = [];
  for (const first of [0, 4, 8]) {
    for (const part of [0, 1]) {
      const values = all.slice(first, first + 4).map((value) => value + 100 * part);
      const file = `${String(shards.length).padStart(6, '0')}.safetensors`;
      const bytes = shardOf({ [`c${String(part)}`]: f32(values) });
      shards.push({
        file,
        bytes,
        first,
        rows: values.length,
        columns: [part, 1],
      });
      await put(file, bytes);
    }
  }
  const columns = [
    { name: 'a', dtype: 'F32' },
    { name: 'b', dtype: 'F32' },
    { name: 'c', dtype: null },
  ];
  const checked = checkManifest(manifestOf(print, 10, columns, shards), 'manifest');
  const store = new ShardStore(folder.asHandle(), checked);
  return { rows: new ShardRows(checked, store), store };
}

test('a shard as the core writes it, without hashes inside, is checked by that of the whole', async () => {
  const bytes = new Uint8Array(readFileSync(GOLDEN));
  const file = '000000.safetensors';
  await put(file, bytes);
  const column = { name: 'a', dtype: 'F32' };
  const stored = manifestOf(print, 9, Array(3).fill(column) as (typeof column)[], [
    { file, bytes, first: 6, rows: 3 },
  ]);
  const checked = checkManifest(stored, 'manifest');
  const rows = new ShardRows(checked, new ShardStore(folder.asHandle(), checked));
  const memory = new Uint8Array(12);
  const signal = new AbortController().signal;
  await rows.read(
    { first: 6, rows: 3, columns: [2] },
    { pointer: 0, memory: () => memory },
    { signal },
  );
  expect([...new Float32Array(memory.buffer)]).toEqual([1, NaN, -2.5]);
});

describe('rows of a data set', () => {
  const signal = new AbortController().signal;
  let memory: Uint8Array;
  const target = { pointer: 16, memory: (): Uint8Array => memory };
  const values = (count: number): number[] => [...new Float32Array(memory.buffer, 16, count)];
  beforeEach(() => {
    memory = new Uint8Array(256);
  });

  test('come column after column from all shards that have some', async () => {
    const { rows } = await dataset();
    const done: number[] = [];
    await rows.read({ first: 2, rows: 7, columns: [1, 0] }, target, {
      signal,
      progress: (count) => done.push(count),
    });
    expect(values(15)).toEqual([102, 103, 104, 105, 106, 107, 108, 2, 3, 4, 5, 6, 7, 8, 0]);
    expect(done.at(-1)).toBe(7);
  });

  test('go where the memory lies at that moment, be it shared', async () => {
    const { rows } = await dataset();
    memory = new Uint8Array(new SharedArrayBuffer(256));
    await rows.read({ first: 9, rows: 1, columns: [0] }, target, { signal });
    expect(values(1)).toEqual([9]);
  });

  test('a shard is compared with its checksum once, and touched only for its rows', async () => {
    const { rows } = await dataset();
    const reads = (): number[] => [...folder.files.values()].map((file) => file.reads);
    await rows.read({ first: 0, rows: 1, columns: [0] }, target, { signal });
    const first = reads();
    expect(first.slice(1)).toEqual([0, 0, 0, 0, 0]);
    await rows.read({ first: 0, rows: 1, columns: [0] }, target, { signal });
    const again = reads()[0]! - first[0]!;
    expect(again).toBeLessThan(first[0]!);
  });

  test.each([
    ['with another byte', (bytes: Uint8Array) => (bytes[bytes.length - 1]! ^= 1)],
    ['cut short', () => undefined],
    ['that is gone', () => undefined],
  ])('a shard %s is noticed and named, and nothing is written', async (what, change) => {
    const { rows, store } = await dataset();
    const file = folder.files.get('000002.safetensors')!;
    change(file.bytes);
    if (what === 'cut short') file.bytes = file.bytes.slice(0, -1);
    if (what === 'that is gone') folder.files.delete('000002.safetensors');
    await expect(
      rows.read({ first: 4, rows: 4, columns: [0] }, target, { signal }),
    ).rejects.toMatchObject({
      code: 'dataset.damaged',
      message: expect.stringMatching(
        /"a\.csv" is damaged: 000002\.safetensors.*Import the file again/,
      ),
    });
    expect(memory.every((byte) => byte === 0)).toBe(true);
    expect(store.problem).toMatch(/000002/);
  });

  test('rows that no shard has are damage, columns without values are refused', async () => {
    const { rows } = await dataset();
    await expect(
      rows.read({ first: 8, rows: 3, columns: [0] }, target, { signal }),
    ).rejects.toMatchObject({ code: 'dataset.damaged' });
    await expect(
      rows.read({ first: 0, rows: 1, columns: [2] }, target, { signal }),
    ).rejects.toMatchObject({ code: 'dataset.no_values' });
  });

  test('nothing is written once the asker has let go', async () => {
    const { rows } = await dataset();
    const closing = new AbortController();
    const reading = rows.read({ first: 0, rows: 4, columns: [0] }, target, {
      signal: closing.signal,
    });
    closing.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    expect(memory.every((byte) => byte === 0)).toBe(true);
  });
});

describe('a manifest', () => {
  const good = manifestOf(
    print,
    4,
    [{ name: 'a', dtype: 'F32' }],
    [{ file: '000000.safetensors', bytes: shardOf({}), first: 0, rows: 4 }],
  );
  test.each([
    ['another format', { ...good, format: 'x' }],
    ['rows beyond its own', { ...good, rows: 3 }],
    [
      'a shard elsewhere',
      {
        ...good,
        shards: [{ ...(good['shards'] as object[])[0], file: '../x' }],
      },
    ],
    ['no source', { ...good, source: undefined }],
  ])('with %s is refused', (_, value) => {
    expect(() => checkManifest(value, 'manifest')).toThrow(/manifest/);
  });
});
