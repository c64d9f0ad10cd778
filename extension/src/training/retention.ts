// When a run is saved by itself and which of its checkpoints then go: kept are the best, the last few and every so many
// epochs, as the run's own settings say, and all that a person asked for.
import { runOf } from '../messages/checkpoint_names.ts';
import { bestOf } from '../messages/runs.ts';
import type { CheckpointEntry, TrainingConfig } from '../messages/state.ts';
import { isAutomatic } from './run_names.ts';

/** Of the time that a run takes, saving gets at most a tenth. */
const PATIENCE = 10;

export interface SavingPlan {
  /** 0: only where the validation loss is a new best, and at the end. */
  everyEpochs: number;
  leastSeconds: number;
  keepLast: number;
  /** 0: none for their epoch alone. */
  keepEvery: number;
}

/** The core names the fields and gives their defaults (wasm/train/config.cpp). */
export function savingPlan(training: TrainingConfig): SavingPlan {
  const whole = (name: string, least: number): number => {
    const value = training[name];
    return typeof value === 'number' ? Math.max(least, value) : least;
  };
  return {
    everyEpochs: whole('saveEvery', 0),
    leastSeconds: whole('saveSeconds', 0),
    keepLast: whole('keepLast', 1),
    keepEvery: whole('keepEvery', 0),
  };
}

export interface Moment {
  /** Finished epochs. */
  epoch: number;
  /** No epoch before had so small a validation loss. */
  best: boolean;
  /** Since the last save was begun, and what that one took. */
  unsavedMs: number;
  savingMs: number;
}

export function isDue(plan: SavingPlan, { epoch, best, unsavedMs, savingMs }: Moment): boolean {
  const soon = unsavedMs < Math.max(1000 * plan.leastSeconds, PATIENCE * savingMs);
  return !soon && (best || (plan.everyEpochs > 0 && epoch % plan.everyEpochs === 0));
}

/**
 * Where an epoch takes longer than this it is saved on the way: a browser whose last window is closed ends at once, and
 * nothing that is begun then is still written.
 */
const LONG_MS = 60_000;

/** Time to save in the middle of an epoch. */
export function isOverdue(
  plan: SavingPlan,
  { unsavedMs, savingMs }: Pick<Moment, 'unsavedMs' | 'savingMs'>,
): boolean {
  const longest = Math.max(LONG_MS, 1000 * plan.leastSeconds, PATIENCE * savingMs);
  return plan.everyEpochs > 0 && unsavedMs >= longest;
}

/** Those that may go now that `saved` is safe: automatic ones of its run in its store, never the best nor itself. */
export function superfluous(
  entries: readonly CheckpointEntry[],
  saved: CheckpointEntry,
  plan: SavingPlan,
): CheckpointEntry[] {
  const run = entries.filter(
    ({ store, id }) => store === saved.store && runOf(id) === runOf(saved.id),
  );
  const automatic = run
    .filter(({ id, ok, step }) => isAutomatic(id) && ok && step !== null)
    .sort((a, b) => (b.step ?? 0) - (a.step ?? 0));
  const kept = new Set([saved.id, bestOf(run)?.id]);
  for (const { id } of automatic.slice(0, plan.keepLast)) kept.add(id);
  if (plan.keepEvery > 0) {
    // The first of an epoch is the one at its end; later ones of that epoch were taken on the way to the next.
    const firsts = new Map(automatic.map(({ epoch, id }) => [epoch, id]));
    for (const [epoch, id] of firsts)
      if (epoch !== null && epoch % plan.keepEvery === 0) kept.add(id);
  }
  return automatic.filter(({ id }) => !kept.has(id));
}
