import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CoreError } from '../../../extension/src/training/core.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

describe('bad input', () => {
  test('a file that vanishes mid-read names where, and the data set of before stays', async () => {
    await room.do(example);
    const file = new File([`a,b\n${'1,2\n'.repeat(400_000)}`], 'big.csv');
    const slice = file.slice.bind(file);
    file.slice = (start, end) => {
      if (start === 262_144) throw new DOMException('gone', 'NotReadableError');
      return slice(start, end);
    };
    const reply = await room.ask({
      type: 'dataset.open',
      source: { kind: 'file', file },
    });
    const message = expect.stringMatching(
      /"big\.csv" can no longer be read at byte 262144 of 1600004 \(NotReadableError\)/,
    );
    expect(reply).toMatchObject({
      ok: false,
      code: 'source.vanished',
      message,
    });
    const state = await room.until(() => true);
    expect(state).toMatchObject({
      phase: 'ready',
      source: { name: 'x.csv' },
      failure: { code: 'source.vanished' },
    });
    expect(room.core.datasets.size).toBe(1);
    await room.do({ type: 'run.start', config });
    await room.finished();
  });

  test('an empty file keeps the core’s sentence', async () => {
    const file = new File([], 'empty.csv');
    const reply = await room.ask({
      type: 'dataset.open',
      source: { kind: 'file', file },
    });
    expect(reply).toMatchObject({
      ok: false,
      code: 'csv.empty',
      message: 'empty.csv is empty.',
    });
    expect((await room.until(() => true)).phase).toBe('failed');
    expect(room.core.datasets.size).toBe(0);
  });

  test('a target that the core refuses leaves the data set ready', async () => {
    await room.do(example);
    const error = new CoreError('series.not_numeric', 'Column "b" is text.');
    room.core.failure = { call: 'sessionCreate', error };
    expect(await room.ask({ type: 'run.start', config })).toMatchObject({
      ok: false,
      code: 'series.not_numeric',
    });
    expect(await room.until(() => true)).toMatchObject({
      phase: 'ready',
      failure: { message: 'Column "b" is text.' },
    });
  });

  test('a run that diverges stops with the reason', async () => {
    await room.do(example);
    await room.do({
      type: 'run.start',
      config: { ...config, training: { epochs: 1000 } },
    });
    room.core.failure = {
      call: 'sessionStep',
      error: new CoreError('train.diverged', 'The loss is not finite.'),
    };
    const state = await room.until(({ phase }) => phase === 'failed');
    expect(state.failure).toEqual({
      code: 'train.diverged',
      message: 'The loss is not finite.',
    });
    await room.do({ type: 'run.start', config });
    await room.finished();
  });

  test('commands without what they need say what to do first', async () => {
    const [start, pause, save] = await Promise.all([
      room.ask({ type: 'run.start', config }),
      room.ask({ type: 'run.pause' }),
      room.ask({ type: 'checkpoint.save' }),
    ]);
    expect(start).toMatchObject({
      code: 'dataset.missing',
      message: expect.stringMatching(/pick one first/),
    });
    expect(pause).toMatchObject({ code: 'run.missing' });
    expect(save).toMatchObject({ code: 'run.missing' });
    expect(await room.ask({ type: 'nonsense' })).toMatchObject({
      code: 'message.invalid',
    });
  });

  test('a full disk at save is said, and training goes on', async () => {
    await room.do(example);
    await room.do({
      type: 'run.start',
      config: { ...config, training: { epochs: 100_000 } },
    });
    room.disk.disk.free = 10;
    const reply = await room.ask({ type: 'checkpoint.save' });
    expect(reply).toMatchObject({
      ok: false,
      code: 'store.disk_full',
      message: expect.stringMatching(/nothing was saved/),
    });
    expect(room.checkpoints()).toEqual([]);
    const { progress } = await room.until(() => true);
    await room.until((state) => (state.progress?.step ?? 0) > (progress?.step ?? 0));
    await room.do({ type: 'run.stop' });
    const { notices } = await room.until((state) => state.notices.length > 0);
    expect(notices).toMatchObject([{ level: 'error', code: 'store.disk_full' }]);
  });
});
