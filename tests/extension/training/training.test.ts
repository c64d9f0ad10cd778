import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lossAt } from '../fake_core.ts';
import { config, CSV, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

describe('a run from file to checkpoint', () => {
  test('trains all epochs, validates each, saves at the end, and pages saw it all', async () => {
    await room.do(example);
    await room.do({ type: 'run.start', config });
    const state = await room.finished();
    expect(state.history.epochs.map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
    expect(state.history.epochs.at(-1)?.validationLoss).toBe(lossAt(30));
    expect(state.progress).toMatchObject({ step: 30, epoch: 3, epochs: 3 });
    expect(state.history.steps).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect(state).toMatchObject({
      outcome: 'completed',
      baselines: { naive: 0.5 },
      predictions: { count: 5 },
    });
    expect(state.lastRun).toMatchObject({
      step: 30,
      epoch: 3,
      source: { kind: 'example', name: 'x.csv' },
    });
    expect(room.checkpoints()).toHaveLength(1);
    expect(room.page).toEqual(state);
    expect(room.phases).toEqual(
      expect.arrayContaining(['ready', 'preparing', 'training', 'finished']),
    );
  });

  test('losses that arrive late are waited for at an epoch’s end and before a checkpoint', async () => {
    room.core.lag = 3;
    await room.do(example);
    await room.do({ type: 'run.start', config });
    const state = await room.finished();
    expect(state.history.steps).toHaveLength(30);
    expect(state.notices).toEqual([]);
  });

  test('a second run is refused while one is active, and the first goes on', async () => {
    await room.do(example);
    await room.do({
      type: 'run.start',
      config: { ...config, training: { epochs: 1000 } },
    });
    for (const command of [{ type: 'run.start', config }, example, { type: 'dataset.close' }]) {
      expect(await room.ask(command)).toMatchObject({
        ok: false,
        code: 'run.active',
      });
    }
    await room.until(({ progress }) => (progress?.step ?? 0) > 20);
    await room.do({ type: 'run.stop' });
  });

  test('a request that is sent twice is carried out once', async () => {
    await room.do(example);
    const start = room.ask({ type: 'run.start', config }, 'same');
    const repeated = room.ask({ type: 'run.start', config }, 'same');
    expect(await Promise.race([start, repeated])).toMatchObject({ ok: true });
    await room.finished();
    expect(room.core.sessions.size).toBe(1);
  });
});

describe('pause, resume, stop', () => {
  beforeEach(async () => {
    await room.do(example);
    await room.do({
      type: 'run.start',
      config: { ...config, training: { epochs: 100_000 } },
    });
  });

  test('a paused run makes no step, and goes on from there', async () => {
    await room.until(({ progress }) => (progress?.step ?? 0) > 5);
    await room.do({ type: 'run.pause' });
    const before = await room.until(({ phase }) => phase === 'paused');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const after = await room.until(() => true);
    expect(after.progress?.step).toBe(before.progress?.step);
    expect(await room.ask({ type: 'checkpoint.save' })).toMatchObject({
      ok: true,
    });
    await room.do({ type: 'run.resume' });
    await room.until(({ progress }) => (progress?.step ?? 0) > (before.progress?.step ?? 0));
    await room.do({ type: 'run.stop' });
  });

  test('a stopped run keeps what it reached', async () => {
    await room.until(({ progress }) => (progress?.step ?? 0) > 5);
    await room.do({ type: 'run.stop' });
    const state = await room.finished();
    expect(state.outcome).toBe('stopped');
    expect(room.checkpoints()).toHaveLength(1);
    expect(await room.ask({ type: 'predictions.get', first: 0, count: 2 })).toMatchObject({
      ok: true,
    });
    expect(await room.ask({ type: 'run.resume' })).toMatchObject({
      ok: false,
      code: 'run.inactive',
    });
  });
});

describe('resuming from a checkpoint', () => {
  test('goes on from its step and its curve for one more epoch', async () => {
    await room.do(example);
    await room.do({ type: 'run.start', config });
    const { checkpoints } = await room.finished();
    const [{ store, id } = { store: 'browser' as const, id: '' }] = checkpoints;
    await room.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
    const state = await room.until(
      ({ phase, progress }) => phase === 'finished' && progress?.step === 40,
    );
    expect(state.progress).toMatchObject({ step: 40, epoch: 4, epochs: 4 });
    expect(state.history.steps).toHaveLength(40);
    expect(state.history.epochs.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4]);
    expect(room.checkpoints()).toContain(id);
  });

  test('a finished run needs to be told how many more', async () => {
    await room.do(example);
    await room.do({ type: 'run.start', config });
    const { checkpoints } = await room.finished();
    const { store, id } = checkpoints[0]!;
    const reply = await room.ask({ type: 'checkpoint.resume', store, id });
    expect(reply).toMatchObject({ ok: false, code: 'checkpoint.finished' });
    expect((await room.until(() => true)).phase).toBe('finished');
  });

  test('after a restart of the browser the example is read again by itself', async () => {
    await room.do(example);
    await room.do({ type: 'run.start', config });
    await room.finished();
    const restarted = new Room(room.disk);
    restarted.noHost();
    await restarted.training.begin();
    const { lastRun, phase } = await restarted.until(() => true);
    expect(phase).toBe('empty');
    const { store, id } = lastRun!.checkpoint;
    await restarted.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
    await restarted.until(({ progress }) => progress?.step === 40);
    restarted.host.close();
  });

  test('after a restart a picked file is there from its import, and without that must be picked again', async () => {
    await room.do({
      type: 'dataset.open',
      source: { kind: 'file', file: new File([CSV], 'mine.csv') },
    });
    await room.do({ type: 'run.start', config });
    const { checkpoints } = await room.finished();
    const { store, id } = checkpoints[0]!;
    const restarted = new Room(room.disk);
    restarted.noHost();
    await restarted.training.begin();
    await restarted.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
    const { source, imports } = await restarted.finished();
    expect(source).toMatchObject({ kind: 'file', name: 'mine.csv', imported: imports[0]?.id });
    restarted.host.close();

    const forgetful = new Room(room.disk);
    forgetful.noHost();
    await forgetful.training.begin();
    await forgetful.do({ type: 'import.remove', id: imports[0]!.id });
    const reply = await forgetful.ask({ type: 'checkpoint.resume', store, id, epochs: 1 });
    forgetful.host.close();
    expect(reply).toMatchObject({
      code: 'dataset.missing',
      message: expect.stringMatching(/"mine\.csv".*pick it again/),
    });
  });
});

test('something would be lost from the moment a file is open', async () => {
  await room.do(example);
  expect(room.busy.at(-1)).toBe(true);
  await room.do({ type: 'dataset.close' });
  expect(room.busy.at(-1)).toBe(false);
  expect(room.core.datasets.size).toBe(0);
});
