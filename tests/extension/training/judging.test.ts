// What a page gets of a run that has ended: how good its model is, and what it says of another file, which is opened beside
// the run's own data and closed again.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewPredictions } from '../../../extension/src/messages/evaluation.ts';
import { EVALUATION } from '../fake_judging.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = new Room();
  room.noHost();
  await room.training.begin();
  await room.do(example);
});
afterEach(() => {
  room.host.close();
});

const other = (text: string): object => ({
  type: 'predictions.make',
  source: { kind: 'file', file: new File([text], 'new.rows.csv') },
});

test('a run that has ended is evaluated, in turns', async () => {
  expect(await room.ask({ type: 'evaluation.get' })).toMatchObject({
    code: 'run.missing',
  });
  await room.do({ type: 'run.start', config });
  await room.finished();
  expect(await room.do({ type: 'evaluation.get' })).toEqual(EVALUATION);
  expect(room.core.evaluated).toBe(3);
});

test('a run is evaluated while a checkpoint of it is on its way, once for all who ask', async () => {
  await room.do({ type: 'run.start', config });
  await room.finished();
  const saved = room.do({ type: 'checkpoint.save' });
  const asked = [room.do({ type: 'evaluation.get' }), room.do({ type: 'evaluation.get' })];
  expect(await Promise.all(asked)).toEqual([EVALUATION, EVALUATION]);
  expect(room.core.evaluated).toBe(3);
  await saved;
});

test('a run that still learns is not', async () => {
  await room.do({
    type: 'run.start',
    config: { ...config, training: { epochs: 1000 } },
  });
  expect(await room.ask({ type: 'evaluation.get' })).toMatchObject({
    code: 'run.active',
  });
  await room.do({ type: 'run.pause' });
  expect(await room.do({ type: 'evaluation.get' })).toEqual(EVALUATION);
  const late = room.ask({ type: 'evaluation.get' });
  await room.do({ type: 'run.resume' });
  expect(await late).toMatchObject({ code: 'run.active' });
  await room.do({ type: 'run.stop' });
});

test('another file is predicted row by row, and the data of the run stays open', async () => {
  await room.do({ type: 'run.start', config });
  await room.finished();
  const before = room.core.datasets.size;
  const reply = await room.ask(other('a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n'));
  expect(reply).toMatchObject({
    ok: true,
    result: { rows: 5, name: 'new.rows-predictions.csv' },
  });
  const { blob } = (reply as unknown as { result: NewPredictions }).result;
  expect(await blob.text()).toBe('row,prediction\n1,0\n2,0\n3,0\n4,0\n5,0\n');
  expect(room.core.datasets.size).toBe(before);
  expect(room.core.predictions.size).toBe(0);
  expect(room.page?.source?.name).toBe('x.csv');
  expect(room.page?.phase).toBe('finished');
});

test('a column that a file lacks is named, and nothing is left open', async () => {
  await room.do({ type: 'run.start', config });
  await room.finished();
  const before = room.core.datasets.size;
  expect(await room.ask(other('b\n1\n'))).toMatchObject({
    ok: false,
    code: 'predict.missing_column',
  });
  expect(room.core.datasets.size).toBe(before);
  expect(room.page?.phase).toBe('finished');
});
