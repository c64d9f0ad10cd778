// What a run's model is worth and what it says of other data, asked of the core turn by turn, so that commands are
// answered in between.
import type { Evaluation, NewPredictions } from '../messages/evaluation.ts';
import { ShardRows } from '../storage/shard_rows.ts';
import type { Core } from './core.ts';
import type { Needs } from './core_replies.ts';
import type { OpenDataset } from './dataset.ts';
import { TrainingError } from './errors.ts';
import type { EvaluateReply } from './judging_replies.ts';
import { nextTask } from './preparing.ts';

const TURN_MS = 12;

/** `bring` gets the session the rows that it needs. */
export async function evaluate(
  core: Core,
  session: number,
  signal: AbortSignal,
  bring: (needs: Needs) => Promise<unknown>,
): Promise<Evaluation> {
  for (;;) {
    signal.throwIfAborted();
    const began = performance.now();
    let reply: EvaluateReply;
    do reply = core.sessionEvaluate(session);
    while (!reply.done && reply.needs === null && performance.now() - began < TURN_MS);
    if (reply.evaluation !== null) return reply.evaluation;
    if (reply.needs !== null) await bring(reply.needs);
    else await nextTask();
  }
}

/** All of its rows; the pieces of CSV are handed to the browser one by one, which keeps large ones on disk. */
export async function predictOn(
  core: Core,
  session: number,
  { handle, stored, source }: OpenDataset,
  signal: AbortSignal,
): Promise<NewPredictions> {
  const prediction = core.predictionOpen(session, handle);
  try {
    const rows = stored && new ShardRows(stored.manifest, stored.shards);
    const parts: Blob[] = [];
    let turn = core.predictionTurn(prediction);
    for (;;) {
      parts.push(new Blob([turn.text]));
      if (turn.done) break;
      if (turn.needs === null) {
        await nextTask();
        signal.throwIfAborted();
        turn = core.predictionTurn(prediction);
        continue;
      }
      if (rows === null)
        throw new TrainingError('dataset.no_rows', 'The model asks for rows of a file in memory.');
      const target = { pointer: turn.needs.pointer, memory: () => core.memory() };
      await rows.read(turn.needs, target, { signal });
      signal.throwIfAborted();
      turn = core.predictionFed(prediction);
    }
    const blob = new Blob(parts, { type: 'text/csv' });
    const name = `${source.name.replace(/\.[^.]+$/, '')}-predictions.csv`;
    return { name, blob, rows: turn.rows, unseen: turn.unseen };
  } finally {
    core.predictionClose(prediction);
  }
}
