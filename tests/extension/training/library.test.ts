// Runs that lie in a store: looked into, taken elsewhere as one file, and brought in from there.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Uint8ArrayReader, BlobWriter, ZipWriter } from '@zip.js/zip.js';
import type { RunInspected } from '../../../extension/src/messages/commands.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
  await room.do(example);
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 2 } } });
  await room.finished();
  await room.until(() => !room.training.keeper.busy);
});
afterEach(() => {
  room.host.close();
});

const runs = (of: Room = room): string[] => [
  ...new Set(of.checkpoints().map((id) => id.split('/')[0]!)),
];
const store = 'browser' as const;

async function exported(): Promise<File> {
  const [run] = runs();
  const { name, blob } = (await room.do({ type: 'run.export', store, run: run! })) as {
    name: string;
    blob: Blob;
  };
  expect(name).toBe(`${run!}.zip`);
  return new File([blob], name);
}

test('a run tells what it was trained with, and its curves', async () => {
  const [run] = runs();
  const inspected = (await room.do({ type: 'run.inspect', store, run: run! })) as RunInspected;
  expect(inspected.config).toEqual({ ...config, training: { epochs: 2 } });
  expect(inspected.epochs.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(inspected.steps.length).toBe(inspected.losses.length);
  expect(await room.ask({ type: 'run.inspect', store, run: 'other' })).toMatchObject({
    code: 'run.empty',
  });
});

test('a run goes to another machine as one file, with its words and every byte', async () => {
  const [run] = runs();
  await room.do({ type: 'run.describe', store, run: run!, name: 'Mine', note: 'of #rain' });
  const file = await exported();
  const elsewhere = new Room();
  elsewhere.noHost();
  await elsewhere.training.begin();
  expect(await elsewhere.do({ type: 'run.import', file })).toEqual({ store, run });
  expect(elsewhere.checkpoints()).toEqual(room.checkpoints());
  const { runs: known, checkpoints } = await elsewhere.until(() => true);
  expect(known).toMatchObject([{ run, name: 'Mine', note: 'of #rain' }]);
  expect(checkpoints.every(({ ok }) => ok)).toBe(true);
  const { id } = checkpoints[0]!;
  const bytes = async (of: Room): Promise<ArrayBuffer> => {
    const { blob } = (await of.do({ type: 'checkpoint.fetch', store, id })) as { blob: Blob };
    return blob.arrayBuffer();
  };
  expect(await bytes(elsewhere)).toEqual(await bytes(room));
  await elsewhere.do(example);
  await elsewhere.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
  await elsewhere.finished();
  elsewhere.host.close();
});

test('a run that is here already comes in beside itself', async () => {
  const [run] = runs();
  const reply = (await room.do({ type: 'run.import', file: await exported() })) as { run: string };
  expect(reply.run).not.toBe(run);
  expect(runs().sort()).toEqual([run!, reply.run].sort());
});

describe('a file that is no exported run is refused by name, and nothing of it is kept', () => {
  const ABOUT = { format: 'shadegrad-run-file/1', run: 'lstm-9', name: '', note: '' };
  type Part = [string, Uint8Array | string];

  async function zip(parts: Part[], level = 0): Promise<File> {
    const archive = new ZipWriter(new BlobWriter(), { level, useWebWorkers: false });
    for (const [name, content] of parts) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      await archive.add(name, new Uint8ArrayReader(bytes));
    }
    return new File([await archive.close()], 'theirs.zip');
  }
  async function whole(): Promise<Uint8Array<ArrayBuffer>> {
    const id = room.checkpoints()[0]!;
    const { blob } = (await room.do({ type: 'checkpoint.fetch', store, id })) as { blob: Blob };
    return new Uint8Array(await blob.arrayBuffer());
  }
  const about = (change: object = {}): Part => [
    'run.json',
    JSON.stringify({ ...ABOUT, ...change }),
  ];

  async function refused(file: File, why: RegExp): Promise<void> {
    const before = room.checkpoints();
    const reply = await room.ask({ type: 'run.import', file });
    expect(reply).toMatchObject({ ok: false, message: expect.stringMatching(why) });
    expect(room.checkpoints()).toEqual(before);
  }

  test('no archive', async () => {
    await refused(new File(['hello'], 'theirs.zip'), /"theirs\.zip" is no run that was exported/);
  });
  test('without run.json', async () => {
    await refused(await zip([['auto-1.safetensors', await whole()]]), /it has no run\.json/);
  });
  test('with a run of a hostile name', async () => {
    await refused(await zip([about({ run: '../x' })]), /run\.json\.run must be a run's name/);
  });
  test.each([
    '../auto-1.safetensors',
    '/etc/passwd',
    'a/b.safetensors',
    'con.safetensors',
    'x.html',
  ])('with a file named %s', async (name) => {
    await refused(
      await zip([about(), [name, await whole()]]),
      /is not the name of a checkpoint|Unsafe filename/,
    );
  });
  test('with a checkpoint that was changed', async () => {
    const bytes = await whole();
    bytes[40]! ^= 1;
    const parts: Part[] = [about(), ['auto-1.safetensors', await whole()]];
    await refused(await zip([...parts, ['auto-2.safetensors', bytes]]), /auto-2.* is damaged/);
  });
  test('packed, as a bomb would be', async () => {
    const zeros = new Uint8Array(5_000_000);
    const file = await zip([about(), ['auto-1.safetensors', zeros]], 9);
    await refused(file, /was packed by another program/);
  });
  test('whose entries claim more than there is', async () => {
    const file = await exported();
    const bytes = new Uint8Array(await file.arrayBuffer());
    const view = new DataView(bytes.buffer);
    // The last entry of the table of contents: sizes as large as they can be.
    for (let at = bytes.length - 46; at > 0; at -= 1) {
      if (view.getUint32(at, true) !== 0x02014b50) continue;
      view.setUint32(at + 20, 0x7fffffff, true);
      view.setUint32(at + 24, 0x7fffffff, true);
      break;
    }
    await refused(new File([bytes], 'theirs.zip'), /claims to hold more than it is long/);
  });
  test('cut short anywhere', async () => {
    const file = await exported();
    for (const part of [0.1, 0.5, 0.9, 0.99])
      await refused(
        new File([file.slice(0, Math.floor(file.size * part))], 'theirs.zip'),
        /is no run that was exported/,
      );
  });
});
