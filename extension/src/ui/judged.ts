// What the core measures of a finished run on a table: asked for once by a page, and again when the model has changed.

import type { Evaluation } from '../messages/evaluation.ts';
import { isSearching } from '../messages/search.ts';
import type { RunState } from '../messages/state.ts';
import { taskOfRun } from './metric.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { inLanguage } from './said.ts';
import { isOfTables } from './tasks.ts';

export interface Judgement {
  evaluation: Evaluation | null;
  /** Why there is none; null also while it is measured. */
  problem: string | null;
}

const NONE: Judgement = { evaluation: null, problem: null };

export class Judged {
  readonly #actions: Pick<Actions, 'ask'>;
  readonly #listeners: (() => void)[] = [];
  #key = '';
  #now = NONE;

  constructor(actions: Pick<Actions, 'ask'>) {
    this.#actions = actions;
  }

  get now(): Judgement {
    return this.#now;
  }

  /** Called when an answer has come. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  update(state: RunState): void {
    const key = keyOf(state);
    if (key === this.#key) return;
    this.#key = key;
    this.#now = NONE;
    if (key !== '') void this.#measure(key);
  }

  /** After a failure. */
  again(): void {
    this.#now = NONE;
    if (this.#key !== '') void this.#measure(this.#key);
  }

  async #measure(key: string): Promise<void> {
    const answer = await this.#ask();
    if (key !== this.#key) return;
    this.#now = answer;
    for (const listener of this.#listeners) listener();
  }

  async #ask(): Promise<Judgement> {
    try {
      return { evaluation: await this.#actions.ask({ type: 'evaluation.get' }), problem: null };
    } catch (error) {
      const { code, message } = reasonOf(error);
      return { evaluation: null, problem: inLanguage(code, message).text };
    }
  }
}

/** Tells one model from another; '' where there is none to judge. */
function keyOf(state: RunState): string {
  const { phase, run, progress } = state;
  // Between two candidates of a search there is no time for it.
  if (phase !== 'finished' || isSearching(state) || !isOfTables(taskOfRun(state))) return '';
  return JSON.stringify([run, progress?.step]);
}
