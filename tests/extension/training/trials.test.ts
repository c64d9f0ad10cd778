import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Trial } from '../../../extension/src/messages/trial.ts';
import { trialKey } from '../../../extension/src/messages/trial.ts';
import { CoreError } from '../../../extension/src/training/core.ts';
import { config, example, Room } from './room.ts';

const trial = { type: 'run.trial', config } as const;
let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

const result = async (command: object): Promise<unknown> => {
  const reply = await room.ask(command);
  return reply.ok ? reply.result : reply.code;
};

describe('a trial', () => {
  test('measures real steps, closes its session, and leaves nothing in the stores', async () => {
    await room.do(example);
    const { outcome, measured } = (await room.do(trial)) as Trial;
    expect(outcome).toBe('measured');
    expect(measured).toMatchObject({ device: 'cpu', stepsPerEpoch: 10, epochs: 3 });
    expect(measured?.steps).toBeGreaterThan(0);
    expect(measured?.secondsPerEpoch).toBeGreaterThan(0);
    expect(room.core.sessions.size).toBe(0);
    expect(room.checkpoints()).toEqual([]);
    const state = await room.until(() => true);
    expect(state).toMatchObject({ phase: 'ready', run: null, config: null, lastRun: null });
    expect(state.trials.map(({ key }) => key)).toEqual([trialKey(config)]);
  });

  test('runs its race first, and waits for losses that are still on the device', async () => {
    room.core.raceTurns = 3;
    room.core.lag = 3;
    await room.do(example);
    expect(await room.do(trial)).toMatchObject({ outcome: 'measured' });
  });

  test('is not made again for the same configuration in another order of fields', async () => {
    await room.do(example);
    await room.do(trial);
    room.core.failure = { call: 'sessionCreate', error: new Error('another session') };
    const { model, data, training } = config;
    const same = { training, data: { target: 'a', features: ['a'] }, model };
    expect(await room.do({ type: 'run.trial', config: same } as never)).toMatchObject({
      outcome: 'measured',
    });
    expect(data.target).toBe('a');
  });

  test('that does not fit says so, and such a run does not begin', async () => {
    await room.do(example);
    room.core.failure = {
      call: 'sessionStep',
      error: new CoreError('memory.exhausted', 'No room.'),
    };
    expect(await room.do(trial)).toMatchObject({
      outcome: 'unfit',
      failure: { code: 'memory.exhausted' },
    });
    expect(room.core.sessions.size).toBe(0);
    expect(await result({ type: 'run.start', config })).toBe('run.unfit');
    expect((await room.until(() => true)).phase).toBe('ready');
    const smaller = { ...config, training: { epochs: 1 } };
    await room.do({ type: 'run.start', config: smaller });
    await room.finished();
  });

  test('that fails otherwise tells why, and does not stand against a run', async () => {
    await room.do(example);
    room.core.failure = { call: 'sessionCreate', error: new CoreError('config.bad_field', 'No.') };
    expect(await room.do(trial)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'config.bad_field' },
    });
    await room.do({ type: 'run.start', config });
    await room.finished();
  });

  test('whose device is lost in it fails, and its notice is not shown as that of a run', async () => {
    await room.do(example);
    const step = room.core.sessionStep.bind(room.core);
    room.core.sessionStep = (...given) => ({
      ...step(...given),
      device: 'webgl',
      notices: [{ code: 'device.moved', message: 'Gone.' }],
    });
    expect(await room.do(trial)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'device.moved', message: 'Gone.' },
    });
    expect((await room.until(() => true)).notices).toEqual([]);
  });
});

describe('a trial that is under way', () => {
  beforeEach(async () => {
    room.core.raceTurns = 1_000_000;
    await room.do(example);
  });

  test('gives way to a run at once, and its session is closed before the run has one', async () => {
    const asked = result(trial);
    await room.until(({ trials }) => trials[0]?.outcome === 'measuring');
    await room.until(() => room.core.sessions.size === 1);
    room.core.raceTurns = 0;
    const created = room.core.sessionCreate.bind(room.core);
    const open: number[] = [];
    room.core.sessionCreate = (...given) => {
      open.push(room.core.sessions.size);
      return created(...given);
    };
    await room.do({ type: 'run.start', config });
    expect(open).toEqual([0]);
    expect(await asked).toMatchObject({ outcome: 'cancelled' });
    const state = await room.finished();
    expect(state.trials.map(({ outcome }) => outcome)).toEqual(['cancelled']);
    expect(state.progress?.step).toBe(30);
  });

  test('is called off by a person, and can be asked for again', async () => {
    const asked = result(trial);
    await room.until(({ trials }) => trials.length > 0);
    await room.do({ type: 'trial.stop' });
    expect(await asked).toMatchObject({ outcome: 'cancelled' });
    expect(room.core.sessions.size).toBe(0);
    room.core.raceTurns = 0;
    expect(await room.do(trial)).toMatchObject({ outcome: 'measured' });
  });

  test('gives way to one of another configuration, and to other data', async () => {
    const asked = result(trial);
    const other = { ...config, training: { epochs: 5 } };
    const next = result({ type: 'run.trial', config: other });
    expect(await asked).toMatchObject({ outcome: 'cancelled' });
    await room.do({ type: 'dataset.close' });
    expect(await next).toMatchObject({ outcome: 'cancelled' });
    expect(room.core.sessions.size).toBe(0);
    expect((await room.until(() => true)).trials).toEqual([]);
  });
});

test('none is made while a run is under way, nor without data', async () => {
  expect(await result(trial)).toBe('dataset.missing');
  await room.do(example);
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  expect(await result(trial)).toBe('run.active');
  await room.do({ type: 'run.stop' });
});
