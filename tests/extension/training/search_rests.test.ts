// A search that does not come to its end at once: stopped by a person or by the end of the browser, and gone on with.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bestTrial } from '../../../extension/src/messages/search.ts';
import type { Search } from '../../../extension/src/messages/search.ts';
import type { FakeFolder } from '../fake_opfs.ts';
import { example, Room } from './room.ts';
import { ended, held, start, watch } from './search_room.ts';
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

describe('a search that is stopped', () => {
  /** What it comes to when nobody stops it. */
  const undisturbed = async (): Promise<Search> => {
    const other = await Room.begun();
    watch(other);
    await other.do(example);
    await other.do(start);
    const search = await ended(other);
    other.host.close();
    return search;
  };
  const outcomes = ({ trials }: Search): unknown =>
    trials.map(({ values, epochs: trained, loss, outcome }) => [values, trained, loss, outcome]);

  test.each(['search.stop', 'run.stop'])(
    'by %s keeps what it has reached, and goes on from there to the same end',
    async (type) => {
      const whole = await undisturbed();
      await room.do(example);
      const { reached, letGo } = held(room);
      await room.do(start);
      await reached();
      await room.do({ type } as never);
      const stopped = await ended(room);
      expect(stopped).toMatchObject({ outcome: 'stopped', rung: 1 });
      expect(stopped.trials.map(({ outcome }) => outcome)).not.toContain('training');
      expect((await room.until(() => true)).phase).toBe('finished');
      letGo();
      await room.do({ type: 'search.continue' });
      const search = await ended(room);
      expect(search.outcome).toBe('completed');
      expect(outcomes(search)).toEqual(outcomes(whole));
      expect(tally.begun).toHaveLength(9);
      expect(tally.epochs).toBe(21);
    },
  );

  test('while a candidate is prepared stops all the same', async () => {
    room.core.raceTurns = 50;
    await room.do(example);
    const { run } = await room.until(() => true);
    await room.do(start);
    await room.until(({ phase }) => phase === 'preparing');
    await room.do({ type: 'search.stop' });
    const stopped = await ended(room);
    expect(stopped.outcome).toBe('stopped');
    expect(stopped.trials.map(({ outcome }) => outcome)).toEqual(Array(9).fill('waiting'));
    expect(run).toBeNull();
  });

  test('by the end of the browser is offered, with its data, and comes to the same end', async () => {
    const whole = await undisturbed();
    await room.do(example);
    const { reached, letGo } = held(room);
    await room.do(start);
    await reached();
    // The worker is gone: nothing of it is written any more.
    const disk = room.disk.copy();
    const again = await Room.begun(disk);
    const asked = await again.until(() => true);
    expect(asked).toMatchObject({ phase: 'empty', search: { outcome: 'interrupted', rung: 1 } });
    expect(asked.search!.trials.map(({ outcome }) => outcome)).not.toContain('training');
    const others = watch(again);
    await again.do({ type: 'search.continue' });
    const search = await ended(again);
    expect(outcomes(search)).toEqual(outcomes(whole));
    expect(others.begun).toEqual([]);
    letGo();
    await ended(room);
    again.host.close();
  });

  test('goes on anew with a candidate whose checkpoints were removed meanwhile', async () => {
    await room.do(example);
    const { reached, letGo } = held(room);
    await room.do(start);
    await reached();
    await room.do({ type: 'search.stop' });
    letGo();
    const stopped = await ended(room);
    const { run } = stopped.trials.find(({ outcome }) => outcome === 'waiting')!;
    await room.do({ type: 'run.remove', store: 'browser', run: run! });
    await room.do({ type: 'search.continue' });
    const search = await ended(room);
    expect(search.outcome).toBe('completed');
    expect(tally.begun).toHaveLength(10);
    expect(search.trials.map((one) => one.run)).not.toContain(run);
  });

  /** The worker has ended between a candidate's last checkpoint and the word of it. */
  const forgetting = async (
    disk: FakeFolder,
    forget: (search: Search) => Search,
  ): Promise<[Room, Tally]> => {
    const file = disk.folders.get('runs')!.files.get('search.json')!;
    const known = JSON.parse(new TextDecoder().decode(file.bytes)) as Search;
    const told = JSON.stringify({ ...forget(known), outcome: 'running' });
    file.bytes = new TextEncoder().encode(told);
    const again = await Room.begun(disk);
    const others = watch(again);
    await again.do({ type: 'search.continue' });
    return [again, others];
  };

  test('at the end of a rung, before that was written, trains the candidate no further in it', async () => {
    const whole = await undisturbed();
    await room.do(example);
    const { reached, letGo } = held(room);
    await room.do(start);
    await reached();
    const [again, others] = await forgetting(room.disk.copy(), (search) => ({
      ...search,
      rung: 0,
      trials: search.trials.map((one, i) => ({
        ...one,
        rung: 0,
        ...(i === 4
          ? { outcome: 'training', epochs: 0, loss: null }
          : { outcome: 'done', epochs: 1 }),
      })),
    }));
    expect(outcomes(await ended(again))).toEqual(outcomes(whole));
    expect(others.begun).toEqual([]);
    letGo();
    await ended(room);
    again.host.close();
  });

  test('at the end of the best run, before that was written, trains that one anew', async () => {
    await room.do(example);
    await room.do(start);
    const whole = await ended(room);
    const best = bestTrial(whole)!;
    const [again, others] = await forgetting(room.disk.copy(), (search) => ({
      ...search,
      trials: search.trials.map((one, i) =>
        i === best ? { ...one, outcome: 'training', ended: false, epochs: 3 } : one,
      ),
    }));
    expect(outcomes(await ended(again))).toEqual(outcomes(whole));
    expect(others.begun).toHaveLength(1);
    again.host.close();
  });
});
