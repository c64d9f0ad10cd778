// Rows that a session asks for, brought from the shards: before the race, at the start, on resume, and never to a run that
// is closed.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MOST_ROWS } from '../fake_rows.ts';
import type { FakeFolder } from '../fake_opfs.ts';
import { config, Room } from './room.ts';

let room: Room;
const ROWS = Array.from({ length: 14 }, (_, i) => [i, i * i]);
const TEXT = `a,b\n${ROWS.map((row) => row.join(',')).join('\n')}\n`;
const COLUMNS = [0, 1].map((c) => ROWS.slice(0, MOST_ROWS).map((row) => row[c]));
beforeEach(async () => {
  room = await Room.begun();
  await room.do({
    type: 'dataset.open',
    source: { kind: 'file', file: new File([TEXT], 'mine.csv', { lastModified: 7 }) },
  });
});
afterEach(() => {
  room.host.close();
});
const fed = (): number[][] => [...room.core.sessions.values()].at(-1)!.fed;
const shards = (): FakeFolder['files'] =>
  [...room.disk.folders.get('datasets')!.folders.values()][0]!.files;

test('a run gets the rows of its file before its first step, and trains', async () => {
  await room.do({ type: 'run.start', config });
  const state = await room.finished();
  expect(fed()).toEqual(COLUMNS);
  expect(state).toMatchObject({ progress: { step: 30 }, preparing: null, outcome: 'completed' });
});

test('rows that take long to load are shown with how many there are, and can be called off', async () => {
  let goOn = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const second = shards().get('000001.safetensors')!;
  const open = second.createSyncAccessHandle.bind(second);
  second.createSyncAccessHandle = () => ready.then(open);
  const started = room.ask({ type: 'run.start', config });
  const { phase } = await room.until(({ preparing }) => (preparing?.done ?? 0) > 0);
  expect(phase).toBe('preparing');
  expect(room.training.state.preparing).toEqual({ what: 'rows', done: 3, total: MOST_ROWS });
  await room.do({ type: 'run.stop' });
  goOn();
  expect(await started).toMatchObject({ ok: false, code: 'run.cancelled' });
  expect(room.core.sessions.size).toBe(0);
  expect((await room.until(() => true)).phase).toBe('ready');
  await room.do({ type: 'run.start', config });
  await room.finished();
});

test('others are answered while rows load: no turn takes more than a shard, a request and what it gives', async () => {
  const opened: number[] = [];
  const fedAt: number[] = [];
  let turn = 0;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    turn += 1;
    port2.postMessage(null);
  };
  port2.postMessage(null);
  for (const file of shards().values()) {
    const open = file.createSyncAccessHandle.bind(file);
    file.createSyncAccessHandle = () => {
      opened.push(turn);
      return open();
    };
  }
  const sessionFed = room.core.sessionFed.bind(room.core);
  room.core.sessionFed = (session) => {
    fedAt.push(turn);
    return sessionFed(session);
  };
  await room.do({ type: 'run.start', config });
  await room.finished();
  port1.close();
  const most = (turns: number[]): number =>
    Math.max(...turns.map((at) => turns.filter((other) => other === at).length));
  expect(opened.length).toBeGreaterThan(4);
  expect(fedAt.length).toBeGreaterThan(2);
  expect([most(opened), most(fedAt)]).toEqual([1, 1]);
});

test('a run that needs other rows for each epoch gets them between its steps', async () => {
  room.core.blocks = true;
  await room.do({ type: 'run.start', config });
  const state = await room.finished();
  expect(state).toMatchObject({ progress: { step: 30 }, outcome: 'completed', preparing: null });
  expect(state.history.steps).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  // Before the first epoch, between two, and for the forecasts after the last one.
  expect(fed()[1]).toEqual([1, 2, 3, 4].flatMap(() => COLUMNS[1]));
});

test('a race waits for the rows, and is run once they are there', async () => {
  room.core.raceTurns = 3;
  await room.do({ type: 'run.start', config });
  await room.finished();
  expect(fed()).toEqual(COLUMNS);
});

test('a resumed run gets them again', async () => {
  await room.do({ type: 'run.start', config });
  const { checkpoints } = await room.finished();
  const { store, id } = checkpoints[0]!;
  await room.do({ type: 'checkpoint.resume', store, id, epochs: 1 });
  await room.until(({ progress, phase }) => progress?.step === 40 && phase === 'finished');
  expect(room.core.sessions.size).toBe(1);
  expect(fed()).toEqual(COLUMNS);
});

test('a shard that is damaged ends the run by name, and the file can be imported again', async () => {
  const second = shards().get('000001.safetensors')!;
  second.bytes[second.bytes.length - 1]! ^= 1;
  expect(await room.ask({ type: 'run.start', config })).toMatchObject({
    code: 'dataset.damaged',
    message: expect.stringMatching(/"mine\.csv" is damaged: 000001\.safetensors/),
  });
  expect(await room.until(() => true)).toMatchObject({
    phase: 'ready',
    failure: { code: 'dataset.damaged' },
    imports: [{ problem: expect.stringMatching(/000001/) }],
  });

  await room.do({
    type: 'dataset.open',
    source: { kind: 'file', file: new File([TEXT], 'mine.csv', { lastModified: 7 }) },
  });
  await room.do({ type: 'run.start', config });
  const state = await room.finished();
  expect(state.imports).toMatchObject([{ problem: null }]);
  expect(fed()).toEqual(COLUMNS);
});

test('a run that is stopped while rows are loaded is stopped, and its checkpoint is taken', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 1000 } } });
  await room.do({ type: 'run.stop' });
  const state = await room.finished();
  expect(state).toMatchObject({ outcome: 'stopped', failure: null });
  expect(state.checkpoints).toHaveLength(1);
});

test('a data set that is closed with its run gets no rows any more', async () => {
  await room.do({ type: 'run.start', config: { ...config, training: { epochs: 1000 } } });
  await room.do({ type: 'run.stop' });
  await room.do({ type: 'dataset.close' });
  room.core.heap.fill(7);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(room.core.heap.every((byte) => byte === 7)).toBe(true);
  expect((await room.until(() => true)).failure).toBeNull();
});
