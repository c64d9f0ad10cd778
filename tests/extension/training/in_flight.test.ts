// Commands for a run that come while another one is still being answered, from several pages at once.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Command } from '../../../extension/src/messages/commands.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
  await room.do(example);
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  await room.until(({ progress }) => (progress?.step ?? 0) > 0);
});
afterEach(() => {
  room.host.close();
});

const slow: Command[] = [
  { type: 'checkpoint.save' },
  { type: 'predictions.get', first: 0, count: 2 },
  { type: 'checkpoint.list' },
];

test.each(slow)(
  'pause, resume, effort and stop are answered while $type is under way',
  async (command) => {
    const replies = await Promise.all([
      room.ask(command),
      room.ask({ type: 'run.pause' }),
      room.ask(command),
      room.ask({ type: 'run.effort', effort: 'background' }),
      room.ask({ type: 'run.resume' }),
      room.ask(command),
    ]);
    expect(replies.map(({ ok }) => ok)).toEqual(replies.map(() => true));
    const { phase, config: now, progress } = await room.until(() => true);
    expect(['training', 'validating']).toContain(phase);
    expect(now?.training['effort']).toBe('background');
    await room.until(({ progress: later }) => (later?.step ?? 0) > (progress?.step ?? 0));
    const [saved, stopped] = await Promise.all([room.ask(command), room.ask({ type: 'run.stop' })]);
    expect([saved.ok, stopped.ok]).toEqual([true, true]);
    expect((await room.finished()).outcome).toBe('stopped');
  },
);

test('a save that is asked for in a pause is of the step that the pause shows, and the run stays paused', async () => {
  await room.do({ type: 'run.pause' });
  const { progress } = await room.until(({ phase }) => phase === 'paused');
  const saved = (await room.do({ type: 'checkpoint.save' })) as { step: number };
  expect(saved.step).toBeGreaterThanOrEqual(progress!.step);
  const later = await room.until(() => !room.training.keeper.busy);
  expect(later.phase).toBe('paused');
  expect(later.progress?.step).toBe(saved.step);
  await room.do({ type: 'run.stop' });
});
