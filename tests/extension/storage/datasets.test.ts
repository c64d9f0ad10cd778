import { beforeEach, describe, expect, test } from 'vitest';
import { Datasets, entryOf } from '../../../extension/src/storage/datasets.ts';
import type { StoredDataset } from '../../../extension/src/storage/datasets.ts';
import { FakeFolder } from '../fake_opfs.ts';
import { f32, manifestOf, shardOf } from '../fake_shards.ts';

let root: FakeFolder;
let quota: number | undefined;
let datasets: Datasets;
const open = (): Datasets =>
  new Datasets(
    async () => root.asHandle(),
    async () => (quota === undefined ? {} : { quota, usage: 10 }),
    () => Promise.reject(new Error('There is no host.')),
    () => undefined,
  );
beforeEach(() => {
  root = new FakeFolder();
  quota = 1000;
  datasets = open();
});

const print = {
  name: 'a.csv',
  size: 9,
  mtime: 5 as number | null,
  head: '0'.repeat(64),
  tail: '1'.repeat(64),
};
const file = '000000.safetensors';
const shard = shardOf({ c0: f32([1, 2, 3]) });
const origin = { kind: 'file', path: null } as const;

async function importOne(change: Partial<typeof print> = {}): Promise<StoredDataset> {
  const writer = await datasets.begin();
  await writer.writeShard(file, shard.slice());
  const shards = [{ file, bytes: shard, first: 0, rows: 3 }];
  const columns = [{ name: 'a', dtype: 'F32' }];
  return writer.finish(manifestOf({ ...print, ...change }, 3, columns, shards), origin);
}
const folders = (): FakeFolder[] => [...(root.folders.get('datasets')?.folders.values() ?? [])];

describe('imported data sets', () => {
  test('have the hash of each shard as it was written', async () => {
    const writer = await datasets.begin();
    await writer.writeShard(file, shard.slice());
    const manifest = manifestOf(
      print,
      3,
      [{ name: 'a', dtype: 'F32' }],
      [{ file, bytes: shard, first: 0, rows: 3 }],
    );
    const [told] = manifest['shards'] as Record<string, unknown>[];
    const expected = told!['sha256'];
    delete told!['sha256'];
    const stored = await writer.finish(manifest, origin);
    expect(stored.manifest.shards[0]!.sha256).toBe(expected);
    expect((await open().list())[0]!.manifest.json['shards']).toEqual([
      { ...told, sha256: expected },
    ]);
  });

  test('with a shard that was never written are not kept', async () => {
    const writer = await datasets.begin();
    await writer.writeShard(file, shard.slice());
    const second = {
      file: '000001.safetensors',
      bytes: shard,
      first: 3,
      rows: 3,
    };
    const manifest = manifestOf(
      print,
      6,
      [{ name: 'a', dtype: 'F32' }],
      [{ file, bytes: shard, first: 0, rows: 3 }, second],
    );
    await expect(writer.finish(manifest, origin)).rejects.toThrow(/sha256/);
  });

  test('are listed with what they take, and found after a restart', async () => {
    const { id } = await importOne();
    datasets = open();
    const [stored] = await datasets.list();
    expect(entryOf(stored!)).toEqual({
      id,
      ...origin,
      name: 'a.csv',
      size: 9,
      rows: 3,
      bytes: shard.length,
      used: expect.any(Number),
      problem: null,
    });
    expect((await datasets.find(print, {}, origin))?.id).toBe(id);
  });

  test.each([
    ['size', { size: 10 }],
    ['time of change', { mtime: 6 }],
    ['beginning', { head: '2'.repeat(64) }],
    ['end', { tail: '2'.repeat(64) }],
    ['name', { name: 'b.csv' }],
  ])('are not those of a source with another %s', async (_, change) => {
    await importOne();
    expect(await datasets.find({ ...print, ...change }, {}, origin)).toBeUndefined();
  });

  test('are not those of other options, of another door, or damaged', async () => {
    const stored = await importOne();
    expect(await datasets.find(print, { delimiter: ';' }, origin)).toBeUndefined();
    expect(await datasets.find(print, {}, { kind: 'host', path: 'D/a.csv' })).toBeUndefined();
    stored.shards.problem = 'gone';
    expect(await datasets.find(print, {}, origin)).toBeUndefined();
    expect((await datasets.of(print, origin)).map(({ id }) => id)).toEqual([stored.id]);
  });

  test.each([
    ['is missing', (files: FakeFolder['files']) => files.delete(file)],
    [
      'was cut short',
      (files: FakeFolder['files']) => {
        files.get(file)!.bytes = shard.slice(0, -1);
      },
    ],
  ])('of which a shard %s are not found again, and listed with that', async (_, harm) => {
    await importOne();
    harm(folders()[0]!.files);
    expect(await datasets.find(print, {}, origin)).toBeUndefined();
    const [stored] = await open().list();
    expect(stored!.shards.problem).toContain(file);
    const { id } = await importOne();
    expect((await datasets.find(print, {}, origin))?.id).toBe(id);
  });

  test('that never ended are gone at the next start, with all of their shards', async () => {
    const kept = await importOne();
    const writer = await datasets.begin();
    await writer.writeShard(file, shard.slice());
    expect(folders()).toHaveLength(2);
    expect((await open().list()).map(({ id }) => id)).toEqual([kept.id]);
    expect(folders().map(({ name }) => name)).toEqual([kept.id]);
  });

  test('whose manifest does not fit are gone, too', async () => {
    await importOne();
    folders()[0]!.files.get('manifest.json')!.bytes = new TextEncoder().encode('{"format":1}');
    expect(await open().list()).toEqual([]);
    expect(folders()).toEqual([]);
  });

  test('are aborted and removed without a rest', async () => {
    const writer = await datasets.begin();
    await writer.writeShard(file, shard.slice());
    await writer.abort();
    expect(folders()).toEqual([]);
    const { id } = await importOne();
    await datasets.remove(id);
    expect(folders()).toEqual([]);
    await expect(datasets.get(id)).rejects.toMatchObject({
      code: 'dataset.gone',
    });
  });

  test('a manifest that the core would not have written is not kept', async () => {
    const writer = await datasets.begin();
    await expect(writer.finish({ format: 'x' }, origin)).rejects.toThrow(/manifest/);
    expect(await open().list()).toEqual([]);
  });

  test('of those used longest ago as many are offered as the room takes, and never the open one', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await importOne({ name })).id);
    const [a, b, c, d] = ids as [string, string, string, string];
    const all = await datasets.list();
    all.forEach((stored) => (stored.used = ids.indexOf(stored.id)));
    await datasets.touch(a);
    const oldest = async (bytes: number, except: string | null = null): Promise<string[]> =>
      (await datasets.oldest(bytes, except)).map(({ id }) => id);
    expect(await oldest(1)).toEqual([b]);
    expect(await oldest(shard.length + 1)).toEqual([b, c]);
    expect(await oldest(shard.length + 1, c)).toEqual([b, d]);
    expect(await oldest(4 * shard.length + 1)).toEqual([]);
    expect((await open().list())[0]?.id).toBe(a);
  });
});

describe('the room', () => {
  test('that is free is what the browser gives and does not use', async () => {
    expect(await datasets.free()).toBe(990);
    quota = undefined;
    expect(await datasets.free()).toBeNull();
    expect(await datasets.unavailable()).toBeNull();
    quota = 0;
    expect(await datasets.unavailable()).toMatch(/no room/);
  });

  test('that is not given at all is said with the browser’s reason', async () => {
    datasets = new Datasets(
      () => Promise.reject(new DOMException('private', 'SecurityError')),
      async () => ({}),
      () => Promise.reject(new Error('There is no host.')),
      () => undefined,
    );
    expect(await datasets.unavailable()).toMatch(/SecurityError: private/);
  });

  test('that is full is an error by name', async () => {
    const writer = await datasets.begin();
    root.disk.free = 10;
    await expect(writer.writeShard(file, shard.slice())).rejects.toMatchObject({
      code: 'storage.full',
    });
  });
});
