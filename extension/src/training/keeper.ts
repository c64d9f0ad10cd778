// Keeps what a run has reached: takes its checkpoint, saves it, remembers the run for the next start of the browser,
// removes what the run's settings say may go, and keeps the pages' list.
import { runOf } from '../messages/checkpoint_names.ts';
import { isActive, keptBest } from '../messages/state.ts';
import type { CheckpointEntry, EpochSummary, SourceInfo, StoreName } from '../messages/state.ts';
import type { RunWords } from '../storage/checkpoint_store.ts';
import type { Runs } from '../storage/runs.ts';
import type { ActiveRun } from './active_run.ts';
import { failureOf } from './errors.ts';
import { isDue, isOverdue, superfluous } from './retention.ts';
import { checkpointId } from './run_names.ts';
import type { Saving } from './saving.ts';
import type { Snapshot } from './snapshot.ts';

export interface KeeperParts {
  saving: Saving;
  runs: Runs;
  snapshot: Snapshot;
}

export class Keeper {
  readonly #parts: KeeperParts;
  readonly #changed: () => void;
  #open = 0;
  #savedAt = 0;
  #savingMs = 0;
  #savedStep = 0;
  #bestLoss = Infinity;

  /** `changed` is called when `busy` may have changed. */
  constructor(parts: KeeperParts, changed: () => void) {
    this.#parts = parts;
    this.#changed = changed;
  }

  get busy(): boolean {
    return this.#open > 0;
  }

  /** A run starts, or goes on from a checkpoint with these epochs behind it. */
  begin(epochs: readonly EpochSummary[], step: number): void {
    this.#savedAt = Date.now();
    this.#savedStep = step;
    this.#savingMs = 0;
    this.#bestLoss = Math.min(Infinity, ...epochs.flatMap(({ validationLoss: l }) => l ?? []));
  }

  /** What a person asked for is kept until a person removes it. */
  save(run: ActiveRun, source: SourceInfo, store: StoreName | undefined): Promise<CheckpointEntry> {
    return this.#saveAndList(run, source, store, true);
  }

  /** An epoch is done: time to save, perhaps. */
  async epochDone(run: ActiveRun, source: SourceInfo, summary: EpochSummary): Promise<void> {
    const { epoch, validationLoss } = summary;
    const best = validationLoss !== null && validationLoss < this.#bestLoss;
    if (best) this.#bestLoss = validationLoss;
    const due = isDue(run.plan, { epoch, best, ...this.#unsaved });
    if (due && !this.busy) await this.saveAutomatic(run, source);
  }

  /** A step is done: time to save in the middle of a long epoch, perhaps. */
  async stepDone(run: ActiveRun, source: SourceInfo): Promise<void> {
    if (isOverdue(run.plan, this.#unsaved) && !this.busy) await this.saveAutomatic(run, source);
  }

  /** The run rests, perhaps for good: the browser may be closed before it goes on. */
  async paused(run: ActiveRun, source: SourceInfo): Promise<void> {
    const step = this.#parts.snapshot.state.progress?.step ?? 0;
    if (step > this.#savedStep && !this.busy) await this.saveAutomatic(run, source);
  }

  get #unsaved(): { unsavedMs: number; savingMs: number } {
    return { unsavedMs: Date.now() - this.#savedAt, savingMs: this.#savingMs };
  }

  /** A failure is a notice: nobody waits for this checkpoint, and training goes on without it. */
  async saveAutomatic(run: ActiveRun, source: SourceInfo): Promise<void> {
    const { snapshot } = this.#parts;
    try {
      await this.#whileBusy(async () => {
        const saved = await this.#saveAndList(run, source, undefined, false);
        await this.#removeSuperfluous(run, saved);
      });
    } catch (error) {
      const { code, message } = failureOf(error);
      snapshot.notice('error', code, `No checkpoint was saved: ${message}`);
    }
  }

  async refresh(): Promise<CheckpointEntry[]> {
    const { saving, snapshot } = this.#parts;
    const [checkpoints, runs] = [await saving.list(), await saving.runs()];
    snapshot.update({ checkpoints, runs });
    return checkpoints;
  }

  async remove(store: StoreName, id: string): Promise<void> {
    await this.#parts.saving.remove(store, id);
    await this.#forgetLast((last) => last.store === store && last.id === id);
    await this.refresh();
  }

  async describeRun(store: StoreName, run: string, words: RunWords): Promise<void> {
    await this.#parts.saving.describeRun(store, run, words);
    await this.refresh();
  }

  async removeRun(store: StoreName, run: string): Promise<void> {
    await this.#parts.saving.removeRun(store, run);
    await this.#forgetLast((last) => last.store === store && runOf(last.id) === run);
    await this.refresh();
  }

  async #forgetLast(gone: (last: { store: StoreName; id: string }) => boolean): Promise<void> {
    const { runs, snapshot } = this.#parts;
    const last = snapshot.state.lastRun?.checkpoint;
    if (last === undefined || !gone(last)) return;
    await runs.forget();
    snapshot.update({ lastRun: null });
  }

  async #saveAndList(
    run: ActiveRun,
    source: SourceInfo,
    store: StoreName | undefined,
    asked: boolean,
  ): Promise<CheckpointEntry> {
    const began = Date.now();
    this.#savedAt = began;
    return this.#whileBusy(async () => {
      const entry = await this.#save(run, source, store, asked);
      this.#savingMs = Date.now() - began;
      await this.refresh();
      return entry;
    });
  }

  async #whileBusy<T>(work: () => Promise<T>): Promise<T> {
    this.#open += 1;
    this.#changed();
    try {
      return await work();
    } finally {
      this.#open -= 1;
      this.#changed();
    }
  }

  /** One that cannot be removed stays, and is tried again after the next save. */
  async #removeSuperfluous(run: ActiveRun, saved: CheckpointEntry): Promise<void> {
    const { saving, snapshot } = this.#parts;
    const gone = superfluous(snapshot.state.checkpoints, saved, run.plan);
    for (const { store, id } of gone) await saving.remove(store, id).catch(() => undefined);
    if (gone.length > 0) await this.refresh();
  }

  async #save(
    run: ActiveRun,
    source: SourceInfo,
    store: StoreName | undefined,
    asked: boolean,
  ): Promise<CheckpointEntry> {
    const { saving, runs, snapshot } = this.#parts;
    const { bytes, step, epoch } = await run.capture();
    const { history, description, device } = snapshot.state;
    const last = history.epochs.at(-1)?.validationLoss ?? null;
    const loss = keptBest(snapshot.state)?.loss ?? last;
    const { name, size } = source;
    const data = { name, size, rows: description?.rows ?? null };
    const summary = { step, epoch, loss, device, data };
    const entry = await saving.save(checkpointId(run.id, step, asked), bytes, summary, store);
    this.#savedStep = step;
    // A search goes on as a whole, and leaves the offer of a person's own run as it was.
    if (run.until !== null) return entry;
    const checkpoint = { store: entry.store, id: entry.id };
    const { epochs } = run;
    const { time } = entry;
    const reached = { step, epoch, epochs, loss, device, time };
    const interrupted = isActive(snapshot.state.phase);
    const lastRun = { source, checkpoint, ...reached, interrupted };
    snapshot.update({ lastRun });
    await runs.remember(lastRun);
    return entry;
  }
}
