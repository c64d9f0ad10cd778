// What a turn of a run asks of the core: no more steps than the device makes in a few milliseconds, and nothing of a
// session that has just failed.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CoreError } from '../../../extension/src/training/core.ts';
import { Pace } from '../../../extension/src/training/loop.ts';
import { config, example, Room } from './room.ts';

const long = { ...config, training: { epochs: 100_000 } };

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
  await room.do(example);
});

afterEach(() => {
  vi.restoreAllMocks();
  room.host.close();
});

describe('the pace', () => {
  test('follows the steps that a device makes, and begins anew on another one', async () => {
    const MOST_AT_ONCE = 3;
    const GPU_TURNS = 100;
    const asked: number[] = [];
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    room.core.device = 'webgl';
    const step = room.core.sessionStep.bind(room.core);
    vi.spyOn(room.core, 'sessionStep').mockImplementation((session, maxSteps) => {
      const onGpu = asked.push(maxSteps) <= GPU_TURNS;
      if (asked.length === GPU_TURNS) room.core.device = 'cpu';
      const before = room.core.sessions.get(session)!.step;
      const reply = step(session, onGpu ? Math.min(maxSteps, MOST_AT_ONCE) : maxSteps);
      clock += (reply.step - before) * (onGpu ? 0.01 : 50);
      return reply;
    });
    await room.do({ type: 'run.start', config: long });
    await vi.waitFor(() => {
      expect(asked.length).toBeGreaterThan(GPU_TURNS + 10);
    });
    const onGpu = Math.max(...asked.slice(0, GPU_TURNS));
    const onCpu = asked.slice(GPU_TURNS);
    await room.do({ type: 'run.stop' });
    expect(onGpu).toBeGreaterThanOrEqual(MOST_AT_ONCE);
    expect(onGpu).toBeLessThanOrEqual(4 * MOST_AT_ONCE);
    expect(new Set(onCpu)).toEqual(new Set([1]));
  });

  test('is neither lost nor found in the last turn of an epoch', () => {
    const pace = new Pace();
    for (const steps of [1, 2, 4, 8]) pace.took(steps, steps / 10, false);
    expect(pace.steps).toBe(16);
    pace.took(1, 0.4, true);
    expect(pace.steps).toBe(30);
    pace.took(1, 24, true);
    expect(pace.steps).toBe(1);
  });
});

describe('a checkpoint that fails', () => {
  const crash = new CoreError('core.crashed', 'A trap.');

  /** How many steps are asked for after `call` throws in a turn: the next turn comes after a message sent in this one. */
  async function stepsOfTheTurn(call: string, error: Error): Promise<number> {
    await room.do({ type: 'run.start', config: long });
    const { core } = room;
    const step = core.sessionStep.bind(core);
    const checkpoint = core.sessionCheckpoint.bind(core);
    let steps = 0;
    let counting = false;
    const thrown = (): void => {
      counting = true;
      core.failure = { call, error };
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        counting = false;
        port1.close();
      };
      port2.postMessage(null);
    };
    vi.spyOn(core, 'sessionStep').mockImplementation((session, maxSteps) => {
      if (counting) steps += 1;
      if (call === 'sessionStep' && maxSteps === 0 && !counting) thrown();
      return step(session, maxSteps);
    });
    vi.spyOn(core, 'sessionCheckpoint').mockImplementation((session, history) => {
      if (call === 'sessionCheckpoint' && !counting) thrown();
      return checkpoint(session, history);
    });
    expect(await room.ask({ type: 'checkpoint.save' })).toMatchObject({
      ok: false,
      message: error.message,
    });
    return steps;
  }

  test('as the step before it fails ends the run, and no other step is asked for', async () => {
    expect(await stepsOfTheTurn('sessionStep', crash)).toBe(0);
    const { phase, failure } = await room.until(() => true);
    expect({ phase, failure }).toEqual({
      phase: 'failed',
      failure: { code: 'core.crashed', message: 'A trap.' },
    });
  });

  test('as the core crashes ends the run, and no other step is asked for', async () => {
    expect(await stepsOfTheTurn('sessionCheckpoint', crash)).toBe(0);
    expect(await room.until(() => true)).toMatchObject({ phase: 'failed' });
  });

  test('as it is refused ends the turn, and training goes on', async () => {
    const refused = new CoreError('train.not_finite', 'Not a number.');
    expect(await stepsOfTheTurn('sessionCheckpoint', refused)).toBe(0);
    const { phase, progress } = await room.until(() => true);
    expect(phase).not.toBe('failed');
    await room.until((state) => (state.progress?.step ?? 0) > (progress?.step ?? 0));
    await room.do({ type: 'run.stop' });
  });

  test('as the step before it diverges is made up for where the run stood', async () => {
    const diverged = new CoreError('train.diverged', 'Not finite.');
    expect(await stepsOfTheTurn('sessionStep', diverged)).toBe(0);
    const state = await room.until(({ checkpoints }) => checkpoints.length > 0);
    expect(state).toMatchObject({ phase: 'failed', failure: { code: 'train.diverged' } });
  });

  test('in a run that has ended leaves the run as it was', async () => {
    await room.do({ type: 'run.start', config });
    await room.finished();
    room.core.failure = { call: 'sessionStep', error: crash };
    expect(await room.ask({ type: 'checkpoint.save' })).toMatchObject({ code: 'core.crashed' });
    expect(await room.until(() => true)).toMatchObject({ phase: 'finished', failure: null });
  });
});
