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

/** What is under way of a run's model, and is called off when the run makes steps again: its weights are then others. */
export class Judging {
  readonly #learning: () => boolean;
  readonly #rested: () => Promise<void>;
  readonly #underway = new Set<AbortController>();
  #evaluating: Promise<Evaluation> | null = null;

  /** `rested` is fulfilled once nothing else is done with the session. */
  constructor(learning: () => boolean, rested: () => Promise<void>) {
    this.#learning = learning;
    this.#rested = rested;
  }

  /** All who ask meanwhile get the one answer. */
  once(work: (signal: AbortSignal) => Promise<Evaluation>): Promise<Evaluation> {
    if (this.#evaluating !== null) return this.#evaluating;
    const evaluating = this.judged(work).finally(() => {
      if (this.#evaluating === evaluating) this.#evaluating = null;
    });
    this.#evaluating = evaluating;
    return evaluating;
  }

  async judged<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#learning()) {
      const message = 'The model still learns: pause or stop the run first.';
      throw new TrainingError('run.active', message);
    }
    const judging = new AbortController();
    this.#underway.add(judging);
    try {
      await this.#rested();
      return await work(judging.signal);
    } finally {
      this.#underway.delete(judging);
    }
  }

  end(): void {
    this.#evaluating = null;
    const message = 'The run went on, and its model is another one by now: pause it and ask again.';
    for (const judging of this.#underway) judging.abort(new TrainingError('run.active', message));
  }
}

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
