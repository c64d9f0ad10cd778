// A search by successive halving in the worker: its rungs, what it leaves, and what fails in it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunMark } from '../../../extension/src/messages/run_mark.ts';
import { bestTrial, configOf, ranked } from '../../../extension/src/messages/search.ts';
import type { Search } from '../../../extension/src/messages/search.ts';
import type { RunConfig } from '../../../extension/src/messages/state.ts';
import { CoreError } from '../../../extension/src/training/core.ts';
import { Marks } from '../../../extension/src/training/marks.ts';
import { config as small, example, Room } from './room.ts';
import { config, ended, held, rateOf, start, watch } from './search_room.ts';
import type { Tally } from './search_room.ts';

let room: Room;
let tally: Tally;
beforeEach(async () => {
  room = await Room.begun();
  tally = watch(room);
});
afterEach(() => {
  room.host.close();
});

const result = async (command: object): Promise<unknown> => {
  const reply = await room.ask(command);
  return reply.ok ? reply.result : reply.code;
};

describe('a search', () => {
  test('trains all for an epoch, the best third for three, and the best to the end, each from where it was', async () => {
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    expect(search.outcome).toBe('completed');
    const order = ranked(search.trials).map((i) => search.trials[i]!);
    expect(order.map((one) => one.epochs)).toEqual([9, 3, 3, 1, 1, 1, 1, 1, 1]);
    expect(order.map(({ outcome }) => outcome)).toEqual(['done', ...Array<string>(8).fill('out')]);
    expect(tally.epochs).toBe(9 + 3 * 2 + 6);
    expect(tally.begun).toHaveLength(9);
  });

  test('judges by the validation loss: the best learning rate wins, wherever it stands', async () => {
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    const off = ({ values }: Search['trials'][number]): number =>
      Math.abs(Math.log10(values['learningRate']!) + 1);
    const nearest = Math.min(...search.trials.map(off));
    const best = bestTrial(search)!;
    expect(best).toBeGreaterThan(0);
    expect(off(search.trials[best]!)).toBe(nearest);
    expect(search.trials[best]!.loss).toBeCloseTo(nearest + 1 / 90, 10);
  });

  test('gives every candidate the same data, seed and plan, and the first one the values as they were set', async () => {
    await room.do(example);
    await room.do(start);
    await ended(room);
    expect(rateOf(tally.begun[0]!)).toBe(0.001);
    expect(new Set(tally.begun.map(rateOf)).size).toBe(9);
    for (const one of tally.begun)
      expect(one).toEqual({
        ...config,
        training: { ...config.training, learningRate: rateOf(one) },
      });
  });

  test('names its runs, and tags them and the best of them', async () => {
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    const { runs } = await room.until(() => true);
    expect(runs).toHaveLength(9);
    for (const [i, { run, values }] of search.trials.entries()) {
      const note = i === bestTrial(search) ? `${search.tag} #best` : search.tag;
      const name = `Learning rate ${String(values['learningRate'])}`;
      expect(runs.find((one) => one.run === run)).toMatchObject({ name, note });
    }
    expect(search.tag).toMatch(/^#search-[0-9a-f]{8}$/);
  });

  test("leaves a person's own run and its offer as they were", async () => {
    await room.do(example);
    await room.do({ type: 'run.start', config: small });
    const { lastRun, run } = await room.finished();
    await room.until(() => !room.training.keeper.busy);
    await room.do(start);
    await ended(room);
    const after = await room.until(() => true);
    expect(after.lastRun).toEqual(lastRun);
    expect(room.checkpoints().some((id) => id.startsWith(`${run!}/`))).toBe(true);
  });

  test('refuses what would come between its runs, and is not tally.begun twice or beside a run', async () => {
    await room.do(example);
    const { reached } = held(room);
    await room.do(start);
    await reached();
    const commands = [
      start,
      example,
      { type: 'search.forget' },
      { type: 'search.continue' },
      { type: 'dataset.close' },
      { type: 'run.start', config },
      { type: 'run.trial', config },
    ];
    for (const command of commands) expect(await result(command)).toBe('search.active');
    await room.do({ type: 'search.stop' });
    await ended(room);
    await room.do({ type: 'run.start', config: { ...config, training: { epochs: 100_000 } } });
    expect(await result(start)).toBe('run.active');
    expect(await result({ type: 'search.continue' })).toBe('run.active');
    await room.do({ type: 'run.stop' });
    await room.do({ type: 'search.forget' });
    expect(await result({ type: 'search.continue' })).toBe('search.missing');
    expect((await Room.begun(room.disk)).searching.running).toBe(false);
  });

  test('needs data', async () => {
    expect(await result(start)).toBe('dataset.missing');
    expect((await room.until(() => true)).search).toBeNull();
  });
});

describe('a candidate that fails', () => {
  const diverges = (wanted: (given: RunConfig) => boolean): void => {
    const step = room.core.sessionStep.bind(room.core);
    room.core.sessionStep = (session, most) => {
      const given = room.core.sessions.get(session)?.config;
      if (most > 0 && given !== undefined && wanted(given))
        throw new CoreError('train.diverged', 'The loss is NaN.');
      return step(session, most);
    };
  };

  test('ranks last, keeps its reason, and does not end the search', async () => {
    diverges((given) => rateOf(given) > 0.05);
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    expect(search.outcome).toBe('completed');
    const fast = search.trials.filter(({ values }) => values['learningRate']! > 0.05);
    expect(fast.length).toBeGreaterThan(0);
    for (const one of fast)
      expect(one).toMatchObject({
        outcome: 'failed',
        loss: null,
        failure: { code: 'train.diverged', message: 'The loss is NaN.' },
      });
    const order = ranked(search.trials).map((i) => search.trials[i]!.outcome);
    expect(order.slice(-fast.length)).toEqual(fast.map(() => 'failed'));
    expect(search.trials[bestTrial(search)!]!.epochs).toBe(9);
  });

  test('only in its second rung loses what it had, and another one wins', async () => {
    const at = (session: number): number => room.core.sessions.get(session)?.epoch ?? 0;
    const step = room.core.sessionStep.bind(room.core);
    let victim: number | null = null;
    room.core.sessionStep = (session, most) => {
      const given = room.core.sessions.get(session)!.config;
      if (most > 0 && at(session) >= 1) {
        victim ??= rateOf(given);
        if (rateOf(given) === victim) throw new CoreError('train.diverged', 'The loss is NaN.');
      }
      return step(session, most);
    };
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    expect(search.outcome).toBe('completed');
    const fell = search.trials.find(({ values }) => values['learningRate'] === victim)!;
    expect(fell).toMatchObject({ outcome: 'failed', loss: null, rung: 1 });
    expect(search.trials[bestTrial(search)!]!.values['learningRate']).not.toBe(victim);
  });

  test.each([NaN, null])('whose validation loss is %s has failed', async (loss) => {
    const judged = room.core.validationLoss;
    room.core.validationLoss = (step, given) =>
      rateOf(given) === 0.001 ? loss : judged(step, given);
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    expect(search.outcome).toBe('completed');
    expect(search.trials[0]).toMatchObject({ outcome: 'failed', loss: null });
  });

  test('like all others ends the search as failed, with the reason', async () => {
    diverges(() => true);
    await room.do(example);
    await room.do(start);
    expect(await ended(room)).toMatchObject({
      outcome: 'failed',
      rung: 0,
      failure: { code: 'train.diverged' },
    });
  });

  test('to begin is one of several, and the others go on', async () => {
    const create = room.core.sessionCreate.bind(room.core);
    room.core.sessionCreate = (dataset, given) => {
      if (rateOf(given) === 0.001) throw new CoreError('memory.exhausted', 'No room.');
      return create(dataset, given);
    };
    await room.do(example);
    await room.do(start);
    const search = await ended(room);
    expect(search.outcome).toBe('completed');
    expect(search.trials[0]).toMatchObject({
      outcome: 'failed',
      run: null,
      failure: { code: 'memory.exhausted' },
    });
  });
});

test('a candidate that ends early by itself is judged by what it has and trained no further', async () => {
  const next = room.core.sessionNextEpoch.bind(room.core);
  room.core.sessionNextEpoch = (session) => {
    const { config: given } = room.core.sessions.get(session)!;
    if (rateOf(given) > 0.05 && rateOf(given) < 0.2) given.training['epochs'] = 1;
    return next(session);
  };
  await room.do(example);
  await room.do(start);
  const search = await ended(room);
  expect(search.outcome).toBe('completed');
  const early = search.trials.filter(({ values }) => {
    const own = values['learningRate']!;
    return own > 0.05 && own < 0.2;
  });
  expect(early.length).toBeGreaterThan(0);
  for (const one of early) expect(one).toMatchObject({ ended: true, epochs: 1 });
  expect(search.trials[bestTrial(search)!]).toMatchObject({ ended: true, outcome: 'done' });
});

test('marks tell of a search as one thing, and its end is news once', async () => {
  const told: RunMark[] = [];
  const marks = new Marks((mark) => told.push(mark));
  await room.do(example);
  room.heard = (event, page) => {
    if (page !== null) marks.see(event, page);
  };
  await room.do(start);
  const search = await ended(room);
  expect([...new Set(told.map(({ kind }) => kind))]).toEqual(['training', 'done']);
  expect(told.filter(({ news }) => news !== null)).toMatchObject([
    { kind: 'done', news: { what: 'searched' }, percent: 100 },
  ]);
  const parts = told.map(({ percent }) => percent!);
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
  expect(configOf(search, bestTrial(search)!).training['epochs']).toBe(9);
});
