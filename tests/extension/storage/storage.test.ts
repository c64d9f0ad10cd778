import { beforeEach, describe, expect, test } from 'vitest';
import { BrowserStore } from '../../../extension/src/storage/browser_store.ts';
import { Runs } from '../../../extension/src/storage/runs.ts';
import type { LastRun } from '../../../extension/src/messages/state.ts';
import { safetensors } from '../fake_shards.ts';
import { FakeFolder } from '../fake_opfs.ts';

let root: FakeFolder;
let store: BrowserStore;
const open = async (): Promise<FileSystemDirectoryHandle> => root.asHandle();
const folder = (run = 'lstm-1'): FakeFolder => root.folders.get('checkpoints')!.folders.get(run)!;

const checkpoint = safetensors({
  format: 'shadegrad/2',
  state: JSON.stringify({
    step: 120,
    epoch: 3,
    stepInEpoch: 0,
    lossSum: 0,
    lossCount: 0,
    validationLoss: 0.25,
  }),
  device: JSON.stringify({
    device: 'webgl',
    how: 'forced',
    detail: '',
    cpu: null,
    webgl: null,
  }),
});
const id = 'lstm-1/auto-120.safetensors';

beforeEach(() => {
  root = new FakeFolder();
  store = new BrowserStore(open);
});

describe('checkpoints in the browser', () => {
  test('are listed with their place in the run and read back as they were', async () => {
    await store.save(id, checkpoint);
    const expected = {
      id,
      store: 'browser',
      size: checkpoint.length,
      step: 120,
      epoch: 3,
      loss: 0.25,
      device: 'webgl',
      ok: true,
    };
    expect(await store.list()).toMatchObject([expected]);
    expect(Buffer.compare(await store.read(id), checkpoint)).toBe(0);
    expect([...folder().files.keys()]).toEqual(['auto-120.safetensors']);
  });

  test('one that is removed while they are listed hides no other', async () => {
    await store.save(id, checkpoint);
    await store.save('lstm-1/auto-80.safetensors', checkpoint);
    folder().files.get('auto-80.safetensors')!.getFile = () =>
      Promise.reject(new DOMException('gone', 'NotFoundError'));
    expect((await store.list()).map((entry) => entry.id)).toEqual([id]);
  });

  test('a file that is being replaced is read when that is done', async () => {
    await store.save(id, checkpoint);
    const newer = safetensors({
      format: 'shadegrad/2',
      state: JSON.stringify({ step: 121 }),
    });
    const [, read] = await Promise.all([store.save(id, newer), store.read(id)]);
    expect(Buffer.compare(read, newer)).toBe(0);
  });

  test('a full disk leaves the older file and nothing partial', async () => {
    await store.save(id, checkpoint);
    for (const free of [0, 10, checkpoint.length - 1]) {
      root.disk.free = free;
      const saving = store.save(id, new Uint8Array(checkpoint.length));
      await expect(saving).rejects.toMatchObject({
        code: 'store.disk_full',
        message: expect.stringMatching(
          /no room for lstm-1\/auto-120\.safetensors .*nothing was saved.*Free disk space/,
        ),
      });
    }
    expect([...folder().files.keys()]).toEqual(['auto-120.safetensors']);
    expect(Buffer.compare(await store.read(id), checkpoint)).toBe(0);
  });

  test('a name that is none is refused, and no folder is made for it', async () => {
    for (const name of [
      'a.safetensors',
      '../x/a.safetensors',
      'con/a.safetensors',
      'r/x/a.safetensors',
    ]) {
      await expect(store.save(name, checkpoint)).rejects.toMatchObject({
        code: 'store.name_refused',
      });
    }
    expect(root.folders.get('checkpoints')?.folders.size ?? 0).toBe(0);
  });

  test('what a dead worker left half written is neither listed nor kept, nor its empty folder', async () => {
    const before = await root.getDirectoryHandle('checkpoints', {
      create: true,
    });
    const run = await before.getDirectoryHandle('gru-1', { create: true });
    await run.getFileHandle('x.safetensors.partial', { create: true });
    expect(await store.list()).toEqual([]);
    expect(before.folders.size).toBe(0);
  });

  test('a run’s folder goes with its last checkpoint, or as a whole', async () => {
    const runs = (): string[] => [...root.folders.get('checkpoints')!.folders.keys()];
    await store.save(id, checkpoint);
    await store.save('gru-1/auto-1.safetensors', checkpoint);
    await store.save('gru-1/auto-2.safetensors', checkpoint);
    await store.describeRun('gru-1', { name: 'a', note: '' });
    await store.remove(id);
    expect(runs()).toEqual(['gru-1']);
    await store.removeRun('gru-1');
    expect(runs()).toEqual([]);
    await expect(store.removeRun('gru-1')).rejects.toMatchObject({
      code: 'store.not_found',
    });
  });

  test('a run keeps its name and note; a damaged run.json is said and replaced', async () => {
    await store.save(id, checkpoint);
    const run = { store: 'browser', run: 'lstm-1' };
    expect(await store.runs()).toEqual([{ ...run, name: '', note: '', reason: null }]);
    await store.describeRun('lstm-1', { name: 'Load', note: 'first\nsecond' });
    const reopened = new BrowserStore(open);
    const named = { ...run, name: 'Load', note: 'first\nsecond', reason: null };
    expect(await reopened.runs()).toEqual([named]);
    expect((await store.list()).map((entry) => entry.id)).toEqual([id]);
    folder().files.get('run.json')!.bytes = new TextEncoder().encode('{"format":"x"}');
    expect(await store.runs()).toMatchObject([
      { name: '', reason: expect.stringMatching(/format/) },
    ]);
    await store.describeRun('lstm-1', { name: 'Load', note: '' });
    expect(await store.runs()).toMatchObject([{ name: 'Load', reason: null }]);
  });

  test.each([
    ['cut short', checkpoint.slice(0, 40), /does not fit into the file/],
    ['of a few bytes', checkpoint.slice(0, 5), /ends after 5 bytes/],
    ['too long', Uint8Array.from([...checkpoint, 0]), /where \d+ belong/],
    [
      'with a changed header',
      checkpoint.map((byte, i) => (i === 30 ? byte ^ 1 : byte)),
      /format|header/,
    ],
    [
      'of another version',
      safetensors({ format: 'shadegrad/1' }),
      /format is "shadegrad\/1", and this version reads "shadegrad\/2"/,
    ],
    ['of noise', new Uint8Array(100).fill(255), /does not fit/],
    [
      'with a header that is no JSON',
      Uint8Array.from([2, 0, 0, 0, 0, 0, 0, 0, 91, 91]),
      /not a JSON object/,
    ],
  ])('a file %s is listed as damaged, with the reason', async (_, bytes, reason) => {
    await store.save(id, bytes);
    const [entry] = await store.list();
    expect(entry).toMatchObject({
      ok: false,
      step: null,
      reason: expect.stringMatching(reason),
    });
  });

  test('removing and reading what is not there says so', async () => {
    await expect(store.remove(id)).rejects.toMatchObject({
      code: 'store.not_found',
    });
    await expect(store.read(id)).rejects.toMatchObject({
      code: 'store.not_found',
    });
  });
});

describe('the last run', () => {
  const run: LastRun = {
    source: { kind: 'example', name: 'a.csv', size: 3, path: null, imported: null },
    checkpoint: { store: 'browser', id },
    step: 120,
    epoch: 3,
    epochs: 5,
    loss: 0.25,
    device: 'webgl',
    interrupted: false,
    time: 1,
  };

  test('is there after the browser was closed', async () => {
    await new Runs(open).remember(run);
    expect(await new Runs(open).last()).toEqual(run);
  });

  test('can be forgotten', async () => {
    const runs = new Runs(open);
    await runs.remember(run);
    await runs.forget();
    expect(await runs.last()).toBeNull();
  });

  test.each([
    '',
    '{',
    'null',
    '{"step":1}',
    JSON.stringify({ ...run, checkpoint: { store: 'host', id: '../x' } }),
  ])('is nothing when its file holds %j', async (text) => {
    const file = await (
      await root.getDirectoryHandle('runs', { create: true })
    ).getFileHandle('last.json', {
      create: true,
    });
    file.bytes = new TextEncoder().encode(text);
    expect(await new Runs(open).last()).toBeNull();
  });
});
