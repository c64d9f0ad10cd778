// What is more than a plain file: packed, columnar, several at once, a folder of pictures.
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CommandOf } from '../../../extension/src/messages/commands.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { goldenBytes } from '../reading/golden.ts';
import { storedZip } from '../reading/stored_zip.ts';
import { Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

const state = (): Promise<RunState> => room.until(() => true);

function fileOf(name: string, bytes: Uint8Array): File {
  return new File([new Uint8Array(bytes)], name, { lastModified: 5 });
}

function together(name: string, files: File[], folder = ''): CommandOf<'dataset.open'> {
  const placed = files.map((file) => ({ path: folder + file.name, file }));
  return { type: 'dataset.open', source: { kind: 'files', name, files: placed } };
}

const TEXT = new TextEncoder().encode('a,b\n1,2\n3,4\n');

function array(rows: number): Uint8Array {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${String(rows)},), }`;
  const start = Buffer.from(`NUMPY\u0001\u0000${String.fromCharCode(header.length)}\u0000`);
  return Buffer.concat([Buffer.of(0x93), start, Buffer.from(header), Buffer.alloc(rows)]);
}

const ARCHIVE = storedZip({ 'x.npy': array(100), 'names.npy': array(3), 'y.npy': array(100) });

describe('what was picked', () => {
  test('a packed table is imported under the name inside, and found again', async () => {
    const file = fileOf('mine.csv.gz', gzipSync(TEXT));
    await room.do({ type: 'dataset.open', source: { kind: 'file', file } });
    expect(room.core.parts).toEqual(['mine.csv']);
    expect((await state()).imports).toMatchObject([{ name: 'mine.csv.gz', rows: 2 }]);
    await room.do({ type: 'dataset.open', source: { kind: 'file', file } });
    expect((await state()).imports).toHaveLength(1);
    expect(room.core.parts).toEqual(['mine.csv']);
  });

  test('arrays of an archive are parts of one data set', async () => {
    const file = fileOf('arrays.npz', goldenBytes('arrays.npz'));
    await room.do({ type: 'dataset.open', source: { kind: 'file', file } });
    expect(room.core.parts).toEqual(['x', 'y']);
  });

  test('an array of another length is left out, and the import is told so', async () => {
    const importOpen = vi.spyOn(room.core, 'importOpen');
    const file = fileOf('set.npz', ARCHIVE);
    await room.do({ type: 'dataset.open', source: { kind: 'file', file } });
    expect(room.core.parts).toEqual(['x', 'y']);
    expect(importOpen.mock.calls[0]![0].leftOut).toEqual([
      '"names" was left out: it has 3 rows, and the arrays that were read have 100',
    ]);
  });

  test('other arrays of the archive that is open take the place of those that were read', async () => {
    const importOpen = vi.spyOn(room.core, 'importOpen');
    await room.do({
      type: 'dataset.open',
      source: { kind: 'file', file: fileOf('set.npz', ARCHIVE) },
    });
    const read = async (): Promise<string[]> =>
      (await state()).arrays.filter((array) => array.read).map(({ name }) => name);
    expect((await state()).arrays).toEqual([
      { name: 'x', rows: 100, read: true },
      { name: 'names', rows: 3, read: false },
      { name: 'y', rows: 100, read: true },
    ]);
    await room.do({ type: 'dataset.arrays', arrays: ['names'] });
    expect(await read()).toEqual(['names']);
    expect(room.core.parts).toEqual(['x', 'y', 'names']);
    expect(importOpen.mock.calls[1]![0]).toMatchObject({
      options: { arrays: ['names'] },
      leftOut: ['"x" was left out: it was not chosen', '"y" was left out: it was not chosen'],
    });
    expect((await state()).imports).toHaveLength(1);
    // What is refused leaves what was open.
    await expect(room.do({ type: 'dataset.arrays', arrays: ['z'] })).rejects.toThrow(
      'npy.bad_option',
    );
    expect(await read()).toEqual(['names']);
    await room.do({ type: 'dataset.arrays', arrays: ['y'] });
    expect(await read()).toEqual(['y']);
  });

  test('arrays are chosen of an archive alone', async () => {
    const choose = (): Promise<unknown> => room.do({ type: 'dataset.arrays', arrays: ['x'] });
    await expect(choose()).rejects.toThrow('dataset.missing');
    await room.do({
      type: 'dataset.open',
      source: { kind: 'file', file: fileOf('set.npz', ARCHIVE) },
    });
    await room.do({ type: 'dataset.open', source: { kind: 'file', file: fileOf('a.csv', TEXT) } });
    expect((await state()).arrays).toEqual([]);
    await expect(choose()).rejects.toThrow('dataset.missing');
  });

  test('files picked together are parts of one data set', async () => {
    await room.do(together('images and 1 more', [fileOf('images', TEXT), fileOf('labels', TEXT)]));
    expect(room.core.parts).toEqual(['images', 'labels']);
    expect((await state()).source).toMatchObject({ kind: 'file', name: 'images and 1 more' });
  });

  test('another file among them is another data set', async () => {
    await room.do(together('two', [fileOf('a', TEXT), fileOf('b', TEXT)]));
    await room.do(together('two', [fileOf('a', TEXT), fileOf('c', TEXT)]));
    expect(room.core.parts).toEqual(['a', 'b', 'a', 'c']);
  });

  test('files of kinds that do not go together are refused', async () => {
    const files = [fileOf('a.csv', TEXT), fileOf('b.parquet', goldenBytes('snappy.parquet'))];
    await expect(room.do(together('two', files))).rejects.toThrow('files.mixed');
  });

  test('a folder without one usable picture says why', async () => {
    const files = [fileOf('a.png', new Uint8Array([1, 2, 3]))];
    await expect(room.do(together('pets', files, 'pets/cats/'))).rejects.toThrow(
      /images\.none.*pets.cats.a\.png/,
    );
    expect((await state()).imports).toEqual([]);
  });

  test('a damaged archive is told by its name and leaves nothing', async () => {
    const whole = gzipSync(TEXT);
    const file = fileOf('cut.csv.gz', whole.subarray(0, whole.length - 9));
    await expect(room.do({ type: 'dataset.open', source: { kind: 'file', file } })).rejects.toThrow(
      /container\.corrupt: "cut\.csv\.gz"/,
    );
    expect((await state()).imports).toEqual([]);
  });
});
