// What the worker does while a GPU has all the steps that it may have at once.
import { afterEach, expect, test, vi } from 'vitest';
import { config, example, Room } from './room.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function restsOfARun(lag: number): Promise<number> {
  const wait = vi.spyOn(Atomics, 'wait');
  const room = new Room();
  room.core.lag = lag;
  room.noHost();
  await room.training.begin();
  await room.do(example);
  await room.do({ type: 'run.start', config });
  await room.finished();
  return wait.mock.calls.length;
}

test('it rests between two looks for losses that are still on the device', async () => {
  expect(await restsOfARun(5)).toBeGreaterThanOrEqual(3 * config.training.epochs);
});

test('it never rests where losses come at once', async () => {
  expect(await restsOfARun(1)).toBe(0);
});
