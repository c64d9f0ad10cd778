// The run's history on its way into a checkpoint and out of it. It comes back from a file, so it is checked; a history
// that does not fit is left out, since nothing but a curve depends on it.
import { emptyHistory, HISTORY_POINTS } from '../messages/state.ts';
import type { EpochSummary, History } from '../messages/state.ts';
import * as v from '../messages/validate.ts';
import type { ValidateReply } from './core_replies.ts';

const loss = v.nullable(v.anyNumber);

const epoch: v.Check<EpochSummary> = v.object({
  epoch: v.integer(0),
  trainLoss: loss,
  validationLoss: loss,
  stepsPerSecond: loss,
  mae: loss,
  rmse: loss,
  r2: loss,
  accuracy: loss,
});

const history: v.Check<History> = v.object({
  steps: v.list(v.integer(0), HISTORY_POINTS),
  losses: v.list(v.numberOrNaN, HISTORY_POINTS),
  stride: v.integer(1),
  pendingCount: v.integer(0),
  pendingSum: v.numberOrNaN,
  epochs: v.list(epoch, HISTORY_POINTS),
});

export function restoredHistory(value: unknown): History {
  try {
    const restored = history(value, 'history');
    return restored.steps.length === restored.losses.length ? restored : emptyHistory();
  } catch {
    return emptyHistory();
  }
}

export function summaryOfEpoch(
  trained: Pick<EpochSummary, 'epoch' | 'trainLoss' | 'stepsPerSecond'>,
  { loss: validationLoss, mae, rmse, r2, accuracy }: ValidateReply,
): EpochSummary {
  return { ...trained, validationLoss, mae, rmse, r2, accuracy };
}

/** Keeps at most as many epochs as points: of too many, every other one goes, but never the newest. */
export function addEpoch(target: History, summary: EpochSummary): void {
  if (target.epochs.length >= HISTORY_POINTS) {
    target.epochs = target.epochs.filter((_, i) => (target.epochs.length - 1 - i) % 2 === 0);
  }
  target.epochs.push(summary);
}
