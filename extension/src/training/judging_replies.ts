// Checks of the core's replies about how good a run is and what it says of other data.
import { evaluation, unseenValues } from '../messages/evaluation.ts';
import type { Evaluation, Unseen } from '../messages/evaluation.ts';
import * as v from '../messages/validate.ts';
import { needs } from './core_replies.ts';
import type { Needs } from './core_replies.ts';

export interface EvaluateReply {
  done: boolean;
  fraction: number;
  /** Once it is done. */
  evaluation: Evaluation | null;
  needs: Needs | null;
}

const rawEvaluate = v.object({
  done: v.boolean,
  fraction: v.number(0, 1),
  evaluation: v.nullable(evaluation),
});

export const evaluateReply: v.Check<EvaluateReply> = (value, path) => {
  const waits = v.object({ needs })(value, path).needs;
  if (waits !== null) return { done: false, fraction: 0, evaluation: null, needs: waits };
  return { ...rawEvaluate(value, path), needs: null };
};

export interface PredictionTurn {
  needs: Needs | null;
  /** The next piece of CSV. */
  text: string;
  done: boolean;
  rows: number;
  unseen: Unseen[];
}

export const predictionTurn: v.Check<PredictionTurn> = v.object({
  needs,
  text: v.text(1e9),
  done: v.boolean,
  rows: v.integer(0),
  unseen: unseenValues,
});
