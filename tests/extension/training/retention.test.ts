// When a run is saved by itself, and which of its checkpoints stay.
import { describe, expect, test } from 'vitest';
import type { CheckpointEntry } from '../../../extension/src/messages/state.ts';
import {
  isDue,
  isOverdue,
  savingPlan,
  superfluous,
} from '../../../extension/src/training/retention.ts';
import type { Moment } from '../../../extension/src/training/retention.ts';

const plan = savingPlan({
  saveEvery: 5,
  saveSeconds: 10,
  keepLast: 2,
  keepEvery: 0,
});

function entry(
  name: string,
  epoch: number,
  loss: number | null,
  more: Partial<CheckpointEntry> = {},
): CheckpointEntry {
  const step = Number(/\d+$/.exec(name)?.[0]);
  return {
    id: `${more.id ?? 'run'}/${name}.safetensors`,
    ...{
      store: 'host',
      size: 1,
      time: 1,
      step,
      epoch,
      loss,
      device: 'cpu',
      data: null,
    },
    ...{ ok: true, reason: null },
    ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'id')),
  };
}

const names = (entries: CheckpointEntry[]): string[] =>
  entries.map(({ id }) => id.replace('.safetensors', '')).sort();

describe('saving by itself', () => {
  const at = (moment: Partial<Moment>): boolean =>
    isDue(plan, {
      epoch: 1,
      best: false,
      unsavedMs: 60_000,
      savingMs: 0,
      ...moment,
    });

  test('happens every so many epochs and at each new best', () => {
    expect([at({ epoch: 4 }), at({ epoch: 5 }), at({ epoch: 10 })]).toEqual([false, true, true]);
    expect(at({ epoch: 4, best: true })).toBe(true);
  });

  test('happens at a new best alone where no epochs are given', () => {
    const moment = { unsavedMs: 60_000, savingMs: 0 };
    const best = savingPlan({
      saveEvery: 0,
      saveSeconds: 0,
      keepLast: 1,
      keepEvery: 0,
    });
    expect(isDue(best, { ...moment, epoch: 5, best: false })).toBe(false);
    expect(isDue(best, { ...moment, epoch: 5, best: true })).toBe(true);
  });

  test('waits for the seconds that the settings say, and for ten times what the last save took', () => {
    expect([at({ epoch: 5, unsavedMs: 9999 }), at({ epoch: 5, unsavedMs: 10_000 })]).toEqual([
      false,
      true,
    ]);
    const slow = { epoch: 5, best: true, savingMs: 3000 };
    expect([at({ ...slow, unsavedMs: 29_999 }), at({ ...slow, unsavedMs: 30_000 })]).toEqual([
      false,
      true,
    ]);
  });
});

describe('what stays after a save', () => {
  const saved = entry('auto-70', 7, 0.7);
  const run = [
    entry('auto-10', 1, 0.9),
    entry('auto-20', 2, 0.2),
    entry('auto-30', 3, 0.3),
    entry('auto-40', 4, 0.4),
    entry('auto-45', 4, 0.4),
    entry('auto-50', 5, 0.5),
    entry('auto-60', 6, 0.6),
    saved,
  ];

  test('is the best and the last few', () => {
    expect(names(superfluous(run, saved, plan))).toEqual([
      'run/auto-10',
      'run/auto-30',
      'run/auto-40',
      'run/auto-45',
      'run/auto-50',
    ]);
  });

  test('is the first of every so many epochs as well', () => {
    const every = { ...plan, keepEvery: 2 };
    expect(names(superfluous(run, saved, every))).toEqual([
      'run/auto-10',
      'run/auto-30',
      'run/auto-45',
      'run/auto-50',
    ]);
  });

  test('is what a person saved, another run’s, another store’s and what is damaged', () => {
    const others = [
      entry('step-15', 1, 0.9),
      entry('auto-15', 1, 0.9, { id: 'other' }),
      entry('auto-16', 1, 0.9, { store: 'browser' }),
      entry('auto-17', 1, null, { ok: false }),
      entry('mine-18', 1, 0.9),
    ];
    const gone = superfluous([...others, ...run], saved, plan);
    expect(others.filter((other) => gone.includes(other))).toEqual([]);
  });

  test('is the one just saved, though others have more steps', () => {
    const old = entry('auto-5', 0, null);
    const gone = superfluous([...run, old], old, { ...plan, keepLast: 1 });
    expect(gone).not.toContain(old);
    expect(names(gone)).not.toContain('run/auto-70');
  });

  test('is the first of equally good ones, and one that a person saved may be the best', () => {
    const same = [entry('auto-10', 1, 0.5), entry('auto-20', 2, 0.5), entry('auto-30', 3, 0.6)];
    expect(names(superfluous(same, same[2]!, { ...plan, keepLast: 1 }))).toEqual(['run/auto-20']);
    const asked = [entry('step-10', 1, 0.1), ...same];
    expect(names(superfluous(asked, same[2]!, { ...plan, keepLast: 1 }))).toEqual([
      'run/auto-10',
      'run/auto-20',
    ]);
  });

  test('is nothing less before any loss is known', () => {
    const none = [entry('auto-1', 0, null), entry('auto-2', 0, null), entry('auto-3', 0, null)];
    expect(names(superfluous(none, none[2]!, plan))).toEqual(['run/auto-1']);
  });
});

test('an epoch that takes long is saved in its midst, where saving by itself is wanted at all', () => {
  const minutes = (unsaved: number, saving = 0, other = plan): boolean =>
    isOverdue(other, { unsavedMs: 60_000 * unsaved, savingMs: 60_000 * saving });
  expect(minutes(0.9)).toBe(false);
  expect(minutes(1)).toBe(true);
  expect(minutes(9, 1)).toBe(false);
  expect(minutes(10, 1)).toBe(true);
  expect(minutes(9, 0, savingPlan({ saveEvery: 5, saveSeconds: 600 }))).toBe(false);
  expect(minutes(600, 0, savingPlan({ saveEvery: 0 }))).toBe(false);
});
