// A run's checkpoints over its life: saved by themselves, thinned out, resumed from any of them, removed with it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRun } from '../../../extension/src/messages/checkpoint_names.ts';
import { runName } from '../../../extension/src/training/run_names.ts';
import { lossAt, STEPS_PER_EPOCH } from '../fake_core.ts';
import { config, CSV, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

const files = (): string[] =>
  room
    .checkpoints()
    .map((id) => id.slice(id.indexOf('/') + 1))
    .sort();
const runs = (): Set<string> => new Set(room.checkpoints().map((id) => id.split('/')[0]!));

async function trainAll(training: Record<string, number>): Promise<void> {
  await room.do(example);
  await room.do({ type: 'run.start', config: { ...config, training } });
  await room.finished();
  await room.until(() => !room.training.keeper.busy);
}

test('the best, the last and every so many epochs stay of what was saved by itself', async () => {
  // The fourth epoch is the best.
  room.core.validationLoss = (step) => 1 + Math.abs(step - 4 * STEPS_PER_EPOCH);
  await trainAll({ epochs: 1, saveSeconds: 1000, keepLast: 2, keepEvery: 5 });
  for (let epoch = 1; epoch < 12; epoch += 1) {
    const { store, id } = (await room.until(() => true)).lastRun!.checkpoint;
    await room.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
    await room.finished();
    await room.until(() => !room.training.keeper.busy);
  }
  const { checkpoints } = await room.until(() => true);
  const epochs = checkpoints.map(({ epoch }) => epoch ?? 0).sort((a, b) => a - b);
  expect(epochs).toEqual([4, 5, 10, 11, 12]);
  expect(runs().size).toBe(1);
});

test('a run saves by itself at a new best, and not otherwise where no epochs are given', async () => {
  room.core.validationLoss = (step) => (step > 5 * STEPS_PER_EPOCH ? 9 : lossAt(step));
  await room.do(example);
  const training = { epochs: 100_000, saveEvery: 0, saveSeconds: 0 };
  await room.do({ type: 'run.start', config: { ...config, training } });
  const saved = await room.until(({ checkpoints }) => checkpoints.length > 0);
  expect(saved.checkpoints[0]?.epoch).toBeLessThanOrEqual(5);
  await room.until(({ history }) => history.epochs.length > 40);
  const { checkpoints } = await room.until(() => !room.training.keeper.busy);
  for (const { epoch } of checkpoints) expect(epoch).toBeLessThanOrEqual(6);
  await room.do({ type: 'run.stop' });
});

test('a pause saves what was reached, once', async () => {
  await room.do(example);
  const training = { epochs: 100_000, saveEvery: 0, saveSeconds: 1000 };
  await room.do({ type: 'run.start', config: { ...config, training } });
  await room.until(({ progress }) => (progress?.step ?? 0) > 0);
  await room.do({ type: 'run.pause' });
  const { progress, lastRun } = await room.until(
    ({ lastRun: last, progress: now }) => last !== null && last.step === now?.step,
  );
  expect(lastRun).toMatchObject({ step: progress?.step, interrupted: true });
  const saved = files();
  await room.do({ type: 'run.pause' });
  await room.until(() => !room.training.keeper.busy);
  expect(files()).toEqual(saved);
  await room.do({ type: 'run.stop' });
  expect((await room.finished()).lastRun).toMatchObject({ interrupted: false });
});

test('what a person saves stays, and its name says so', async () => {
  await room.do(example);
  await room.do({
    type: 'run.start',
    config: { ...config, training: { epochs: 100_000 } },
  });
  const { id } = (await room.do({ type: 'checkpoint.save' })) as { id: string };
  expect(id).toMatch(/^lstm-\d{8}-\d{6}-[0-9a-z]{8}\/step-\d+\.safetensors$/);
  await room.do({ type: 'run.stop' });
  await room.finished();
  expect(room.checkpoints()).toContain(id);
});

test('from its last checkpoint a run goes on in its folder, from an earlier one another run does', async () => {
  await trainAll({ epochs: 2, saveSeconds: 1000, keepLast: 5 });
  const [run] = runs();
  expect(files()).toEqual(['auto-20.safetensors']);
  const resume = async (step: number, epochs: number): Promise<void> => {
    const id = `${run!}/auto-${String(step)}.safetensors`;
    await room.do({ type: 'checkpoint.resume', store: 'browser', id, epochs });
    await room.finished();
    await room.until(() => !room.training.keeper.busy);
  };
  await resume(20, 1);
  expect(files()).toEqual(['auto-20.safetensors', 'auto-30.safetensors']);
  expect(runs()).toEqual(new Set([run]));
  await resume(20, 2);
  expect(files()).toEqual(['auto-20.safetensors', 'auto-30.safetensors', 'auto-40.safetensors']);
  expect(runs().size).toBe(2);
});

test('a checkpoint whose data is not there says which data it wants', async () => {
  const source = { kind: 'file' as const, file: new File([CSV], 'load.csv') };
  await room.do({ type: 'dataset.open', source });
  await room.do({ type: 'run.start', config });
  await room.finished();
  const elsewhere = await copied([...runs()][0]!);
  const { store, id, data } = (await elsewhere.until(() => true)).checkpoints[0]!;
  expect(data).toMatchObject({ name: 'load.csv' });
  const resume = { type: 'checkpoint.resume' as const, store, id, epochs: 1 };
  expect(await elsewhere.ask(resume)).toMatchObject({
    code: 'dataset.missing',
    message: expect.stringMatching(
      /was trained on "load\.csv" \(10 rows, 100 bytes\): pick it, then resume/,
    ),
  });
  await elsewhere.do({ type: 'dataset.open', source });
  await elsewhere.do(resume);
  await elsewhere.until(({ progress }) => progress?.step === 4 * STEPS_PER_EPOCH);
  elsewhere.host.close();
});

/** Another machine, into which a run's folder was copied. */
async function copied(run: string): Promise<Room> {
  const elsewhere = new Room();
  elsewhere.noHost();
  const folder = await elsewhere.disk.getDirectoryHandle('checkpoints', { create: true });
  folder.folders.set(run, room.disk.folders.get('checkpoints')!.folders.get(run)!);
  await elsewhere.training.begin();
  return elsewhere;
}

test('a run copied to another machine is listed and resumed there, its example opened by itself', async () => {
  await trainAll({ epochs: 2, saveSeconds: 1000 });
  const [run] = runs();
  await room.do({
    type: 'run.describe',
    store: 'browser',
    run: run!,
    name: 'Load',
    note: 'n',
  });
  const elsewhere = await copied(run!);
  const { checkpoints, runs: listed, lastRun } = await elsewhere.until(() => true);
  expect(lastRun).toBeNull();
  expect(listed).toMatchObject([{ run, name: 'Load', note: 'n' }]);
  const { store, id } = checkpoints[0]!;
  await elsewhere.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
  await elsewhere.until(({ progress }) => progress?.step === 3 * STEPS_PER_EPOCH);
  elsewhere.host.close();
});

test('a run is removed as a whole, and is offered for resuming no longer; one that trains is not', async () => {
  await trainAll({ epochs: 2, saveSeconds: 1000 });
  const [run] = runs();
  const remove = {
    type: 'run.remove' as const,
    store: 'browser' as const,
    run: run!,
  };
  await room.do(remove);
  expect(room.checkpoints()).toEqual([]);
  expect((await room.until(() => true)).lastRun).toBeNull();
  await room.do({
    type: 'run.start',
    config: { ...config, training: { epochs: 100_000 } },
  });
  const { id } = (await room.do({ type: 'checkpoint.save' })) as { id: string };
  const reply = await room.ask({ ...remove, run: id.split('/')[0]! });
  expect(reply).toMatchObject({ ok: false, code: 'run.active' });
  expect(room.checkpoints()).toEqual([id]);
  await room.do({ type: 'run.stop' });
});

test('a thousand runs of one second have a thousand names', () => {
  const time = new Date('2026-05-14T09:41:00Z');
  const names = Array.from({ length: 1000 }, () => runName('transformer', time));
  expect(new Set(names).size).toBe(1000);
  expect(names[0]).toMatch(/^transformer-20260514-094100-[0-9a-z]{8}$/);
  for (const model of ['a'.repeat(100), '../x', '', 'con'])
    expect(isRun(runName(model, time)), model).toBe(true);
});
