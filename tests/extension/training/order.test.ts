// Commands that come at a moment when they make no sense: from two pages at once, or from one that has not heard yet.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CoreError } from '../../../extension/src/training/core.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
  await room.do(example);
});
afterEach(() => {
  room.host.close();
});

/** A file whose second piece is not there before `goOn` is called. */
function slowFile(): { file: File; goOn: () => void } {
  const file = new File([`a,b\n${'1,2\n'.repeat(300_000)}`], 'slow.csv');
  const slice = file.slice.bind(file);
  let goOn = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  file.slice = (start, end) => {
    const piece = slice(start, end);
    const bytes = piece.arrayBuffer.bind(piece);
    if (start! > 0) piece.arrayBuffer = () => ready.then(bytes);
    return piece;
  };
  return { file, goOn };
}

describe('while another file is read', () => {
  test('no run is started on the data that it will replace', async () => {
    const { file, goOn } = slowFile();
    const opened = room.ask({ type: 'dataset.open', source: { kind: 'file', file } });
    await room.until(({ phase }) => phase === 'reading');
    const start = await room.ask({ type: 'run.start', config });
    expect(start).toMatchObject({ ok: false, code: 'dataset.busy' });
    goOn();
    expect(await opened).toMatchObject({ ok: true });
    expect(await room.until(() => true)).toMatchObject({
      phase: 'ready',
      source: { name: 'slow.csv' },
      failure: null,
    });
    await room.do({ type: 'run.start', config });
    await room.finished();
  });

  test('no checkpoint is resumed', async () => {
    await room.do({ type: 'run.start', config });
    const { checkpoints } = await room.finished();
    const { store, id } = checkpoints[0]!;
    const { file, goOn } = slowFile();
    const opened = room.ask({ type: 'dataset.open', source: { kind: 'file', file } });
    await room.until(({ phase }) => phase === 'reading');
    const resume = await room.ask({ type: 'checkpoint.resume', store, id, epochs: 1 });
    expect(resume).toMatchObject({ ok: false, code: 'dataset.busy' });
    goOn();
    expect(await opened).toMatchObject({ ok: true });
    expect((await room.until(() => true)).phase).toBe('ready');
  });
});

test('a data set that is closed while a checkpoint is fetched is missed by its name', async () => {
  await room.do({ type: 'run.start', config });
  const { checkpoints } = await room.finished();
  const { store, id } = checkpoints[0]!;
  const resumed = room.ask({ type: 'checkpoint.resume', store, id, epochs: 1 });
  await room.do({ type: 'dataset.close' });
  expect(await resumed).toMatchObject({ ok: false, code: 'dataset.missing' });
  expect((await room.until(() => true)).phase).toBe('empty');
});

test('while a run is prepared, its forerunner is not stopped in its place', async () => {
  await room.do({ type: 'run.start', config });
  await room.finished();
  const started = room.ask({ type: 'run.start', config });
  for (const type of ['run.stop', 'run.pause', 'run.resume'])
    expect(await room.ask({ type })).toMatchObject({ ok: false, code: 'run.preparing' });
  expect(await started).toMatchObject({ ok: true });
  const state = await room.finished();
  expect(state.outcome).toBe('completed');
});

test('a run whose device was lost in a pause can be stopped, and another started', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  await room.until(({ progress }) => (progress?.step ?? 0) > 5);
  await room.do({ type: 'run.pause' });
  const error = new CoreError('webgl.lost', 'The GPU was lost.');
  room.core.failure = { call: 'sessionPredict', error };
  await room.do({ type: 'run.stop' });
  const stopped = await room.until(({ phase }) => phase === 'finished');
  expect(stopped.notices).toMatchObject([{ code: 'webgl.lost', message: 'The GPU was lost.' }]);
  await room.do({ type: 'run.start', config });
  await room.finished();
});
