// From a picked file to shards and back: imported once, opened at once from then on, never half.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CommandOf } from '../../../extension/src/messages/commands.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { CoreError } from '../../../extension/src/training/core.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

const TEXT = `a,b\n${Array.from({ length: 10 }, (_, i) => `${String(i)},${String(10 * i)}`).join('\n')}\n`;
const csv = (text = TEXT, name = 'mine.csv', lastModified = 7): File =>
  new File([text], name, { lastModified });
const picked = (file: File): CommandOf<'dataset.open'> => ({
  type: 'dataset.open',
  source: { kind: 'file', file },
});
const state = (): Promise<RunState> => room.until(() => true);
const folders = (): string[] => [...(room.disk.folders.get('datasets')?.folders.keys() ?? [])];

/** Counts what of a file is read, in the pieces that are asked for. */
function watched(file: File): { file: File; pieces: [number, number][] } {
  const pieces: [number, number][] = [];
  const slice = file.slice.bind(file);
  file.slice = (start, end) => {
    pieces.push([start!, end!]);
    return slice(start, end);
  };
  return { file, pieces };
}

/** Bytes so many that they come in several pieces; the second waits until `goOn` is called. */
function slow(name = 'slow.csv'): { file: File; goOn: () => void } {
  const file = csv(`a,b\n${'1,2\n'.repeat(300_000)}`, name);
  const slice = file.slice.bind(file);
  let goOn = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  file.slice = (start, end) => {
    const piece = slice(start, end);
    const bytes = piece.arrayBuffer.bind(piece);
    if (start === 262_144) piece.arrayBuffer = () => ready.then(bytes);
    return piece;
  };
  return { file, goOn };
}

describe('a picked file', () => {
  test('is imported, listed, and opened at once when it is picked again', async () => {
    await room.do(picked(csv()));
    const { source, imports, description, phase } = await state();
    expect(phase).toBe('ready');
    expect(description?.rows).toBe(10);
    expect(imports).toMatchObject([{ name: 'mine.csv', rows: 10, problem: null, kind: 'file' }]);
    expect(source).toMatchObject({ kind: 'file', imported: imports[0]?.id });
    expect(room.core.parts).toEqual(['mine.csv']);
    await room.do({ type: 'dataset.close' });

    const { file, pieces } = watched(csv());
    await room.do(picked(file));
    // Both ends tell that it is the same; nothing else was read, and nothing imported.
    expect(pieces).toEqual([
      [0, 16],
      [0, 65_536],
      [0, 65_536],
    ]);
    expect(room.core.parts).toHaveLength(1);
    expect((await state()).source?.imported).toBe(imports[0]?.id);
  });

  test('is opened from the list after a restart, and trained on', async () => {
    await room.do(picked(csv()));
    const restarted = new Room(room.disk);
    restarted.noHost();
    await restarted.training.begin();
    const { imports } = await restarted.until(() => true);
    await restarted.do({ type: 'dataset.open', source: { kind: 'imported', id: imports[0]!.id } });
    await restarted.do({ type: 'run.start', config });
    expect((await restarted.finished()).source?.name).toBe('mine.csv');
    restarted.host.close();
  });

  test('that has changed is imported anew, which is said, and takes the old one’s place', async () => {
    await room.do(picked(csv()));
    const [before] = folders();
    await room.do(picked(csv(TEXT.replace('9,90', '9,91'))));
    const { notices, imports } = await state();
    expect(notices).toMatchObject([
      { code: 'dataset.changed', message: expect.stringMatching(/"mine\.csv" has changed/) },
    ]);
    expect(imports).toHaveLength(1);
    expect(folders()).toHaveLength(1);
    expect(folders()).not.toEqual([before]);
  });

  test('shows how far its import is, and how fast', async () => {
    const { file, goOn } = slow();
    const opened = room.ask(picked(file));
    const { reading } = await room.until((one) => (one.reading?.bytes ?? 0) > 0);
    expect(reading).toMatchObject({ bytes: 262_144, total: file.size });
    expect(reading!.rows).toBeGreaterThan(65_000);
    goOn();
    expect(await opened).toMatchObject({ ok: true });
    expect((await state()).reading).toBeNull();
  });

  test('shows its first rows and what its columns hold before the rest is there', async () => {
    const { file, goOn } = slow();
    const opened = room.ask(picked(file));
    const { firstRows, phase } = await room.until((one) => one.firstRows !== null);
    expect(phase).toBe('reading');
    expect(firstRows?.columns).toEqual([
      { name: 'a', type: 'number' },
      { name: 'b', type: 'number' },
    ]);
    expect(firstRows?.rows).toEqual(Array(20).fill(['1', '2']));
    // Nothing of the reader that found them is left.
    expect(room.core.datasets.size).toBe(0);
    goOn();
    expect(await opened).toMatchObject({ ok: true });
    expect((await state()).firstRows).toBeNull();
  });

  test('whose beginning tells nothing by itself is imported all the same', async () => {
    room.core.failure = { call: 'datasetFeed', error: new CoreError('npy.truncated', 'Short.') };
    await room.do(picked(csv()));
    expect(await state()).toMatchObject({ phase: 'ready', firstRows: null });
    expect(room.core.datasets.size).toBe(1);
  });

  test('whose import is called off while a piece does not come leaves nothing', async () => {
    await room.do(picked(csv()));
    const before = folders();
    const { file } = slow();
    const opened = room.ask(picked(file));
    await room.until((one) => (one.reading?.bytes ?? 0) > 0);
    expect(folders()).toHaveLength(2);
    await room.do({ type: 'dataset.close' });
    expect(await opened).toMatchObject({ ok: false, code: 'dataset.cancelled' });
    expect(folders()).toEqual(before);
    expect(room.core.imports.size).toBe(0);
  });

  test('that the core refuses leaves nothing, and the data set of before stays', async () => {
    await room.do(picked(csv()));
    const before = folders();
    expect(await room.ask(picked(csv('', 'empty.csv')))).toMatchObject({ code: 'csv.empty' });
    expect(folders()).toEqual(before);
    expect(await state()).toMatchObject({ phase: 'ready', source: { name: 'mine.csv' } });
    expect(room.core.imports.size).toBe(0);
  });

  test('whose import the core no longer understands is imported anew', async () => {
    await room.do(picked(csv()));
    await room.do({ type: 'dataset.close' });
    room.core.failure = { call: 'datasetAttach', error: new Error('manifest of the future') };
    await room.do(picked(csv()));
    expect(room.core.parts).toHaveLength(2);
    expect(await state()).toMatchObject({ phase: 'ready', imports: [{ problem: null }] });
  });
});

test('the example is in the package, and is not imported', async () => {
  await room.do(example);
  expect(folders()).toEqual([]);
  expect((await state()).source?.imported).toBeNull();
});

describe('imported data', () => {
  test('is removed by its id, unless it is open', async () => {
    await room.do(picked(csv()));
    const { id } = (await state()).imports[0]!;
    const refused = await room.ask({ type: 'import.remove', id });
    expect(refused).toMatchObject({ ok: false, code: 'dataset.open' });
    await room.do({ type: 'dataset.close' });
    await room.do({ type: 'import.remove', id });
    expect(await state()).toMatchObject({ imports: [] });
    expect(folders()).toEqual([]);
    expect(await room.ask({ type: 'import.remove', id })).toMatchObject({ code: 'dataset.gone' });
  });

  test('takes another one’s place only when it is asked for', async () => {
    await room.do(picked(csv(TEXT, 'old.csv')));
    await room.do(picked(csv(TEXT, 'open.csv')));
    const [, old] = (await state()).imports;
    room.estimate = () => ({ quota: folders().length > 1 ? 20 : 1e6 });
    const file = csv(TEXT.repeat(3), 'new.csv');
    const refused = await room.ask(picked(file));
    expect(refused).toMatchObject({
      ok: false,
      code: 'storage.short',
      message: expect.stringMatching(/"new\.csv" needs about 1 MB .* 1 MB are free\. Remove/),
    });
    const { shortage, phase, source } = await state();
    expect(shortage).toMatchObject({ name: 'new.csv', free: 20, offered: [{ id: old!.id }] });
    expect(shortage!.needed).toBeCloseTo(file.size / 4);
    expect({ phase, name: source?.name }).toEqual({ phase: 'ready', name: 'open.csv' });
    expect(folders()).toHaveLength(2);

    await room.do({ type: 'import.makeRoom' });
    const after = await state();
    expect(after.imports.map(({ name }) => name).sort()).toEqual(['new.csv', 'open.csv']);
    expect(after).toMatchObject({ phase: 'ready', shortage: null, source: { name: 'new.csv' } });
    expect(await room.ask({ type: 'import.makeRoom' })).toMatchObject({ code: 'storage.no_offer' });
  });

  test('is kept when the person keeps it', async () => {
    await room.do(picked(csv(TEXT, 'old.csv')));
    await room.do({ type: 'dataset.close' });
    room.estimate = () => ({ quota: 1 });
    await room.ask(picked(csv(TEXT, 'new.csv')));
    await room.do({ type: 'import.giveUp' });
    expect(await state()).toMatchObject({ shortage: null, imports: [{ name: 'old.csv' }] });
    expect(await room.ask({ type: 'import.makeRoom' })).toMatchObject({ code: 'storage.no_offer' });
  });
});

describe('a disk that is full', () => {
  test('before the end ends the import with what it needs, and nothing of it stays', async () => {
    room.estimate = () => ({});
    room.disk.disk.free = 300;
    const reply = await room.ask(picked(csv()));
    expect(reply).toMatchObject({ code: 'storage.short' });
    expect(folders()).toEqual([]);
    expect(room.core.imports.size).toBe(0);
    expect(room.disk.disk.free).toBe(300);
  });

  test('is foreseen from the first shards', async () => {
    const file = csv(`a,b\n${'1,2\n'.repeat(300_000)}`, 'long.csv');
    // Enough for the least that it could take, too little for what its first rows take.
    room.estimate = () => ({ quota: file.size / 2 });
    const reply = await room.ask(picked(file));
    expect(reply).toMatchObject({ code: 'storage.short' });
    expect((await state()).shortage!.needed).toBeGreaterThan(file.size);
    expect(folders()).toEqual([]);
  });
});

describe('without a place to keep shards', () => {
  beforeEach(() => {
    room.estimate = () => ({ quota: 0 });
  });

  test('a small file is read into memory, and the core is told which it is', async () => {
    const datasetOpen = vi.spyOn(room.core, 'datasetOpen');
    await room.do(picked(csv()));
    const digest = createHash('sha256').update(TEXT).digest('hex');
    const source = { size: TEXT.length, head: digest, tail: digest };
    expect(datasetOpen.mock.calls[0]![0]).toEqual({ name: 'mine.csv', source });
    expect((await state()).source).toMatchObject({ imported: null });
    expect(folders()).toEqual([]);
    await room.do({ type: 'run.start', config });
    await room.finished();
  });

  test('a large one says what is missing', async () => {
    const file = csv();
    Object.defineProperty(file, 'size', { value: 300e6 });
    expect(await room.ask(picked(file))).toMatchObject({
      code: 'storage.missing',
      message: expect.stringMatching(/"mine\.csv" has 300 MB.*no room.*ordinary window/),
    });
  });
});
