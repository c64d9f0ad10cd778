// Carries out a search, candidate after candidate, in the worker: each is a run like any other, with the search's tag in
// its note. All of them have the same plan, of all the epochs, and rest at the end of a rung until they go on from their
// checkpoint, so that the best one is in the end the run that a person would have got with its settings. How far the
// search is stands in the snapshot and in one file, and nowhere else: it goes on from there.
import type { CommandOf } from '../messages/commands.ts';
import { runOf, RUN_NAME_LENGTH } from '../messages/checkpoint_names.ts';
import { lastOf } from '../messages/runs.ts';
import {
  bestTrial,
  canContinue,
  configOf,
  isSearching,
  ranked,
  rungsFor,
} from '../messages/search.ts';
import type { Search, SearchTrial } from '../messages/search.ts';
import type { CheckpointEntry, RunConfig, SourceInfo } from '../messages/state.ts';
import type { Searches } from '../storage/searches.ts';
import { candidates } from './candidates.ts';
import { failureOf, TrainingError } from './errors.ts';
import type { Snapshot } from './snapshot.ts';
import type { Training } from './training.ts';

const BEST = '#best';

export class Searching {
  readonly #training: Training;
  readonly #snapshot: Snapshot;
  readonly #searches: Searches;
  #stopping = false;

  constructor(training: Training, snapshot: Snapshot, searches: Searches) {
    this.#training = training;
    this.#snapshot = snapshot;
    this.#searches = searches;
  }

  /** Of an earlier session: one that was under way has ended with it. */
  async begin(): Promise<void> {
    const search = await this.#searches.last();
    if (search === null) return;
    const cutOff = search.outcome === 'running';
    await this.#tell(cutOff ? { ...rested(search), outcome: 'interrupted' } : search);
  }

  get running(): boolean {
    return isSearching(this.#snapshot.state);
  }

  /** What a person may not do while it goes on. */
  refuse(): void {
    if (!this.running) return;
    const message = 'A search is under way: stop it first.';
    throw new TrainingError('search.active', message);
  }

  start({ config, ranges, trials }: CommandOf<'search.start'>): Search {
    this.refuse();
    this.#training.refuseWhileActive('begin a search');
    this.#training.data.refuseWhileReading();
    const { source } = this.#training.data.need();
    const tried = candidates(ranges, trials, this.#setting(config, 'seed'));
    const search: Search = {
      tag: `#search-${crypto.randomUUID().slice(0, 8)}`,
      outcome: 'running',
      source,
      config,
      ranges,
      rungs: rungsFor(tried.length, this.#setting(config, 'epochs')),
      rung: 0,
      trials: tried,
      failure: null,
    };
    return this.#goOn(search);
  }

  /** Its data is opened again where another, or none, is open. */
  async continue(): Promise<Search> {
    this.refuse();
    this.#training.refuseWhileActive('go on with a search');
    const { search, source } = this.#snapshot.state;
    if (search === null || !canContinue(search))
      throw new TrainingError('search.missing', 'There is no search to go on with.');
    if (!this.#isOf(search, source)) await this.#training.data.reopen(search.source);
    this.refuse();
    this.#training.refuseWhileActive('go on with a search');
    this.#training.data.need();
    return this.#goOn({ ...search, outcome: 'running', failure: null });
  }

  /** Of one file there may be several imports, of other arrays each. */
  #isOf({ source: { name, size, imported } }: Search, open: SourceInfo | null): boolean {
    const { imports } = this.#snapshot.state;
    if (open?.name !== name || open.size !== size) return false;
    return open.imported === imported || !imports.some(({ id }) => id === imported);
  }

  /** What the candidate under way has reached is saved. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.#stopping = true;
    if (this.#training.canStop) await this.#training.stop();
  }

  async forget(): Promise<void> {
    this.refuse();
    this.#snapshot.update({ search: null });
    await this.#searches.forget();
  }

  /** Of the configuration, or the core's default. */
  #setting(config: RunConfig, name: string): number {
    const { settings } = this.#snapshot.state;
    const field = settings.find((one) => one.group === 'training' && one.name === name);
    return Number(config.training[name] ?? field?.default ?? 1);
  }

  #goOn(search: Search): Search {
    this.#stopping = false;
    this.#snapshot.update({ search });
    void this.#carryOut(search);
    return search;
  }

  async #carryOut(search: Search): Promise<void> {
    let now = search;
    try {
      now = await this.#tell(now);
      for (;;) {
        const next = now.trials.findIndex(({ outcome }) => outcome === 'waiting');
        if (next >= 0) now = await this.#train(now, next);
        if (this.#stopping) break;
        if (next >= 0) continue;
        const promoted = afterRung(now);
        if (promoted === null) break;
        now = await this.#tell(promoted);
      }
      await this.#end(rested(now));
    } catch (error) {
      await this.#tell({ ...rested(now), outcome: 'failed', failure: failureOf(error) });
    }
  }

  /** To the end of the rung. One that fails does not end the search. */
  async #train(search: Search, index: number): Promise<Search> {
    const trial = search.trials[index];
    const epochs = search.rungs[search.rung]?.epochs ?? 0;
    if (trial === undefined || trial.ended) return withTrial(search, index, { outcome: 'done' });
    let now = await this.#tell(withTrial(search, index, { outcome: 'training' }));
    try {
      await this.#begin(now, index, epochs);
      const ended = this.#training.ends.next();
      const { run } = this.#snapshot.state;
      if (run !== trial.run) now = await this.#tell(withTrial(now, index, { run }));
      if (this.#stopping && this.#training.canStop) await this.#training.stop();
      await ended;
    } catch (error) {
      if (this.#stopping) return this.#tell(withTrial(now, index, { outcome: 'waiting' }));
      return this.#tell(withTrial(now, index, failed(failureOf(error))));
    }
    now = await this.#tell(withTrial(now, index, this.#reached(epochs, trial.loss)));
    await this.#describe(
      now,
      index,
      (stored) => stored ?? { name: nameOf(now, index), note: now.tag },
    );
    return now;
  }

  /** From its last checkpoint; anew where there is none, or where the search was cut off before it knew of the end. */
  async #begin(search: Search, index: number, epochs: number): Promise<void> {
    const run = search.trials[index]?.run ?? null;
    const last = run === null ? null : lastOf(this.#checkpointsOf(run));
    try {
      if (last !== null) {
        const { store, id } = last;
        await this.#training.resumeCheckpoint({ type: 'checkpoint.resume', store, id }, epochs);
        return;
      }
    } catch (error) {
      if (failureOf(error).code !== 'checkpoint.finished') throw error;
    }
    const config = configOf(search, index);
    await this.#training.startRun({ type: 'run.start', config }, epochs);
  }

  /** What the run that has ended leaves. One that was stopped before the rung's end was stopped with its search. */
  #reached(epochs: number, before: number | null): Partial<SearchTrial> {
    const { phase, outcome, failure, history, progress } = this.#snapshot.state;
    const known = [before, ...history.epochs.map(({ validationLoss }) => validationLoss)];
    const losses = known.flatMap((loss) => (loss !== null && Number.isFinite(loss) ? [loss] : []));
    if (phase === 'failed')
      return failed(failure ?? { code: 'train.failed', message: 'The run has failed.' });
    const epoch = progress?.epoch ?? 0;
    const ended = outcome === 'completed';
    const loss = losses.length === 0 ? null : Math.min(...losses);
    if (!ended && epoch < epochs) {
      this.#stopping = true;
      return { outcome: 'waiting', epochs: epoch, loss };
    }
    if (loss !== null) return { outcome: 'done', epochs: epoch, loss, ended };
    const message = 'No epoch of it had a validation loss that is a number.';
    return { epochs: epoch, ...failed({ code: 'train.not_finite', message }) };
  }

  #checkpointsOf(run: string): CheckpointEntry[] {
    return this.#snapshot.state.checkpoints.filter(({ id }) => runOf(id) === run);
  }

  /** `words` are given what the run is called so far, and null for a run that nobody has named. */
  async #describe(
    { trials }: Search,
    index: number,
    words: (stored: Words | null) => Words,
  ): Promise<void> {
    const run = trials[index]?.run;
    const last = run == null ? null : lastOf(this.#checkpointsOf(run));
    if (run == null || last === null) return;
    const stored = this.#snapshot.state.runs.find(
      (one) => one.run === run && one.store === last.store,
    );
    const named = stored !== undefined && stored.name + stored.note !== '';
    const { name, note } = words(named ? stored : null);
    if (named && stored.name === name && stored.note === note) return;
    try {
      await this.#training.keeper.describeRun(last.store, run, { name, note });
    } catch (error) {
      const { code, message } = failureOf(error);
      this.#snapshot.notice('warning', code, message);
    }
  }

  async #end(search: Search): Promise<void> {
    if (this.#stopping) {
      await this.#tell({ ...search, outcome: 'stopped' });
      return;
    }
    const best = bestTrial(search);
    if (best === null) {
      const { failure } = search.trials.find((one) => one.failure !== null) ?? { failure: null };
      await this.#tell({ ...search, outcome: 'failed', failure });
      return;
    }
    await this.#describe(search, best, (stored) => ({
      name: stored?.name ?? nameOf(search, best),
      note: `${stored?.note ?? search.tag} ${BEST}`,
    }));
    await this.#tell({ ...search, outcome: 'completed' });
  }

  async #tell(search: Search): Promise<Search> {
    this.#snapshot.update({ search });
    await this.#searches.remember(search);
    return search;
  }
}

interface Words {
  name: string;
  note: string;
}

function nameOf({ ranges, trials }: Search, index: number): string {
  const values = trials[index]?.values ?? {};
  const words = ranges.map(({ field, label }) => `${label} ${String(values[field])}`);
  return words.join(', ').slice(0, RUN_NAME_LENGTH);
}

function withTrial(search: Search, index: number, change: Partial<SearchTrial>): Search {
  const trials = search.trials.map((one, at) => (at === index ? { ...one, ...change } : one));
  return { ...search, trials };
}

function failed(failure: SearchTrial['failure']): Partial<SearchTrial> {
  return { outcome: 'failed', loss: null, failure };
}

/** The best of the rung wait for the next one; null after the last, and where none is left. */
function afterRung(search: Search): Search | null {
  const { trials, rungs, rung } = search;
  const next = rungs[rung + 1];
  const done = trials.flatMap(({ outcome }, i) => (outcome === 'done' ? [i] : []));
  if (next === undefined || done.length === 0) return null;
  const going = new Set(ranked(trials, done).slice(0, next.trials));
  const sorted = trials.map((one, i): SearchTrial => {
    if (going.has(i)) return { ...one, outcome: 'waiting', rung: rung + 1 };
    return one.outcome === 'done' ? { ...one, outcome: 'out' } : one;
  });
  return { ...search, rung: rung + 1, trials: sorted };
}

/** Nothing of it is under way. */
function rested(search: Search): Search {
  const trials = search.trials.map((one): SearchTrial =>
    one.outcome === 'training' ? { ...one, outcome: 'waiting' } : one,
  );
  return { ...search, trials };
}
