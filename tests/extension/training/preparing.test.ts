// From "Train" to the first step: the race for a device goes turn by turn and can be seen, a device prepares its programs,
// and how hard a run works changes nothing but its pace.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CoreError } from '../../../extension/src/training/core.ts';
import { Loop, Rests } from '../../../extension/src/training/loop.ts';
import { STEPS_PER_EPOCH } from '../fake_core.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
  await room.do(example);
});

afterEach(() => {
  vi.restoreAllMocks();
  room.host.close();
});

const long = { ...config, training: { epochs: 100_000 } };

describe('the race', () => {
  test('goes on between commands, is shown, and ends in a run at its first step', async () => {
    room.core.raceTurns = 1_000_000;
    const started = room.ask({ type: 'run.start', config });
    const racing = await room.until(({ preparing }) => (preparing?.done ?? 0) > 0);
    expect(racing.phase).toBe('preparing');
    expect(racing.preparing).toMatchObject({ what: 'race', total: 1 });
    expect(room.core.sessions.size).toBe(1);
    expect(await room.ask({ type: 'run.stop' })).toMatchObject({ code: 'run.preparing' });
    expect(await room.ask({ type: 'run.start', config })).toMatchObject({ code: 'run.active' });
    for (const session of room.core.sessions.values()) session.racing = 1;
    expect(await started).toMatchObject({ ok: true, result: { choice: { device: 'cpu' } } });
    const state = await room.finished();
    expect(state.preparing).toBeNull();
    expect(state.choice).toMatchObject({ device: 'cpu', how: 'forced' });
    expect(state.history.steps[0]).toBe(1);
    expect(state.history.steps).toHaveLength(3 * STEPS_PER_EPOCH);
  });

  test('that fails leaves nothing behind, and the next run starts', async () => {
    room.core.raceTurns = 5;
    room.core.failure = { call: 'sessionRace', error: new CoreError('memory.exhausted', 'Full.') };
    expect(await room.ask({ type: 'run.start', config })).toMatchObject({
      ok: false,
      code: 'memory.exhausted',
    });
    const state = await room.until(() => true);
    expect(state).toMatchObject({ phase: 'ready', preparing: null, device: null });
    expect(room.core.sessions.size).toBe(0);
    await room.do({ type: 'run.start', config });
    await room.finished();
  });

  test('is not run again by a resume, and the run remembers its device', async () => {
    room.core.raceTurns = 3;
    await room.do({ type: 'run.start', config });
    const { lastRun } = await room.finished();
    expect(lastRun?.device).toBe('cpu');
    const raced = vi.spyOn(room.core, 'sessionRace');
    await room.do({ type: 'checkpoint.resume', ...lastRun!.checkpoint, epochs: 1 });
    await room.until(({ phase, progress }) => phase === 'finished' && progress?.epoch === 4);
    expect(raced).not.toHaveBeenCalled();
  });
});

test('programs that a device prepares are shown until they are there, and the run can be stopped meanwhile', async () => {
  room.core.preparing = { done: 3, total: 12 };
  await room.do({ type: 'run.start', config: long });
  const state = await room.until(({ preparing }) => preparing !== null);
  expect(['training', 'validating']).toContain(state.phase);
  expect(state).toMatchObject({
    preparing: { what: 'programs', done: 3, total: 12 },
  });
  room.core.preparing = null;
  const ready = await room.until(({ preparing }) => preparing === null);
  expect(ready.progress?.peakBytes).toBe(4096);
  await room.do({ type: 'run.stop' });
});

describe('how hard a run works', () => {
  const losses = async (effort: string, lag: number): Promise<unknown> => {
    room.core.lag = lag;
    await room.do({ type: 'run.start', config: { ...config, training: { epochs: 3, effort } } });
    const { history } = await room.finished();
    return [history.steps, history.losses, history.epochs.map(({ trainLoss }) => trainLoss)];
  };

  test.each([0, 3])('changes no loss (losses that come %s calls late)', async (lag) => {
    const full = await losses('full', lag);
    expect(await losses('leave_room', lag)).toEqual(full);
    expect(await losses('background', lag)).toEqual(full);
  });

  test('can be changed while it runs, and is refused by name', async () => {
    await room.do({ type: 'run.start', config: long });
    await room.do({ type: 'run.effort', effort: 'background' });
    const state = await room.until(({ progress }) => (progress?.step ?? 0) > 5);
    expect(state.config?.training['effort']).toBe('background');
    expect(await room.ask({ type: 'run.effort', effort: 'hardly' })).toMatchObject({
      ok: false,
      code: 'config.bad_field',
    });
    expect((await room.until(() => true)).config?.training['effort']).toBe('background');
    await room.do({ type: 'run.stop' });
    expect(await room.ask({ type: 'run.effort', effort: 'full' })).toMatchObject({
      code: 'run.inactive',
    });
  });

  test('rests only when nothing is on the device', async () => {
    room.core.lag = 2;
    const pending: number[] = [];
    vi.spyOn(Rests.prototype, 'take').mockImplementation(() => {
      pending.push([...room.core.sessions.values()].at(-1)?.onDevice.length ?? -1);
      return 0;
    });
    const due = vi.spyOn(Rests.prototype, 'due').mockReturnValue(true);
    due.mockReturnValueOnce(false).mockReturnValueOnce(false);
    await room.do({
      type: 'run.start',
      config: { ...long, training: { ...long.training, effort: 'background' } },
    });
    await vi.waitFor(() => {
      expect(pending.length).toBeGreaterThan(0);
    });
    expect(Math.max(...pending)).toBe(0);
    vi.restoreAllMocks();
    await room.do({ type: 'run.stop' });
  });
});

describe('rests', () => {
  test('make the share of work what it should be', () => {
    const rests = new Rests();
    rests.duty = 0.4;
    rests.working(1000);
    rests.working(1004);
    expect(rests.due(1004)).toBe(false);
    expect(rests.due(1020)).toBe(true);
    expect(rests.take(1020)).toBeCloseTo(30); // 20 of 50
    expect(rests.due(2000)).toBe(false);
    rests.working(2000);
    expect(rests.due(2012)).toBe(true);
  });

  test('are not made at full speed', () => {
    const rests = new Rests();
    rests.working(0);
    expect(rests.due(1e6)).toBe(false);
  });

  test('end when the loop is started again, and no turn is made twice', async () => {
    const turns: number[] = [];
    const rest = [1_000_000, null];
    const loop = new Loop(() => {
      turns.push(turns.length);
      return rest.shift() ?? null;
    });
    loop.start();
    await vi.waitFor(() => {
      expect(turns).toHaveLength(1);
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(turns).toHaveLength(1);
    loop.start();
    await vi.waitFor(() => {
      expect(turns).toHaveLength(2);
    });
    loop.close();
  });
});
