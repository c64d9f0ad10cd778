// What the core says of its device, of a step that was not applied, and of its best weights, on its way to the pages.
import { beforeEach, expect, test } from 'vitest';
import { CoreError } from '../../../extension/src/training/core.ts';
import { lossAt } from '../fake_core.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
  await room.do(example);
});

test('a device that was replaced is told as a warning, and the run shows the one it goes on with', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  room.core.device = 'webgl';
  room.core.notices = [{ code: 'device.lost', message: 'The GPU went away.' }];
  const lost = await room.until(({ device }) => device === 'webgl');
  expect(lost.notices).toMatchObject([{ level: 'warning', code: 'device.lost' }]);
  expect(lost.choice).toMatchObject({ device: 'webgl', how: 'lost', detail: 'The GPU went away.' });
  room.core.device = 'cpu';
  room.core.notices = [{ code: 'device.taken_over', message: 'The processor has taken over.' }];
  const over = await room.until(({ device }) => device === 'cpu');
  expect(over.notices.map(({ code }) => code)).toEqual(['device.lost', 'device.taken_over']);
  await room.do({ type: 'run.stop' });
});

test('a run that diverged is saved where it stood before the step that was not applied', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  await room.until(({ progress }) => (progress?.step ?? 0) > 5);
  const error = new CoreError('train.diverged', "It arose in layer 'head'.");
  room.core.failure = { call: 'sessionStep', error };
  const failed = await room.until(
    ({ phase, checkpoints }) => phase === 'failed' && checkpoints.length > 0,
  );
  expect(failed.failure).toEqual({ code: 'train.diverged', message: "It arose in layer 'head'." });
  expect(failed.lastRun).toMatchObject({ step: failed.progress?.step });
});

test('any other failure leaves nothing behind', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  room.core.failure = { call: 'sessionStep', error: new CoreError('core.crashed', 'A trap.') };
  await room.until(({ phase }) => phase === 'failed');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(room.checkpoints()).toEqual([]);
});

test('a checkpoint waits for steps that a lost device took with it', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
  const error = new CoreError('train.pending', 'Losses are still on the device.');
  room.core.failure = { call: 'sessionCheckpoint', error };
  const reply = await room.ask({ type: 'checkpoint.save' });
  expect(reply.ok).toBe(true);
  expect(room.core.failure).toBeNull();
  await room.do({ type: 'run.stop' });
});

test('a run that ended with its best weights is listed with their loss', async () => {
  room.core.best = { epoch: 2, loss: 0.125 };
  room.core.notices = [{ code: 'run.best', message: 'Those of epoch 2.' }];
  await room.do({ type: 'run.start', config });
  const state = await room.finished();
  expect(state.best).toEqual({ epoch: 2, loss: 0.125 });
  expect(state.lastRun?.loss).toBe(0.125);
  expect(state.history.epochs.at(-1)?.validationLoss).toBe(lossAt(30));
  expect(state.notices).toMatchObject([{ level: 'info', code: 'run.best' }]);
});
