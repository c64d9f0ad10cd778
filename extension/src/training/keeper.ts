// Keeps what a run has reached: takes its checkpoint, saves it, remembers the run for the next start of the browser, and
// keeps the pages' list. Of checkpoints that nobody asked for, the newest of a run takes the place of the one before.
import { keptBest } from '../messages/state.ts';
import type { CheckpointEntry, SourceInfo, StoreName } from '../messages/state.ts';
import type { Runs } from '../storage/runs.ts';
import type { ActiveRun } from './active_run.ts';
import { failureOf } from './errors.ts';
import { checkpointName } from './run_names.ts';
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
  /** Checkpoints that a person asked for. */
  readonly #asked = new Set<string>();
  #automatic: { run: string; store: StoreName; id: string } | null = null;
  #savedAt = 0;

  /** `changed` is called when `busy` may have changed. */
  constructor(parts: KeeperParts, changed: () => void) {
    this.#parts = parts;
    this.#changed = changed;
  }

  get busy(): boolean {
    return this.#open > 0;
  }

  /** Milliseconds since a checkpoint was last begun, or a run started. */
  get unsavedMs(): number {
    return Date.now() - this.#savedAt;
  }

  /** A run starts: what an earlier one left stays. */
  begin(): void {
    this.#savedAt = Date.now();
    this.#automatic = null;
  }

  /** What a person asked for is kept until a person removes it. */
  async save(
    run: ActiveRun,
    source: SourceInfo,
    store: StoreName | undefined,
  ): Promise<CheckpointEntry> {
    const entry = await this.#saveAndList(run, source, store);
    this.#asked.add(`${entry.store}/${entry.id}`);
    if (this.#automatic?.id === entry.id && this.#automatic.store === entry.store) {
      this.#automatic = null;
    }
    return entry;
  }

  async #saveAndList(
    run: ActiveRun,
    source: SourceInfo,
    store: StoreName | undefined,
  ): Promise<CheckpointEntry> {
    this.#savedAt = Date.now();
    this.#open += 1;
    this.#changed();
    try {
      const entry = await this.#save(run, source, store);
      await this.refresh();
      return entry;
    } finally {
      this.#open -= 1;
      this.#changed();
    }
  }

  /** A failure is a notice: nobody waits for this checkpoint, and training goes on without it. */
  async saveAutomatic(run: ActiveRun, source: SourceInfo): Promise<void> {
    const before = this.#automatic;
    try {
      const { store, id } = await this.#saveAndList(run, source, undefined);
      const asked = this.#asked.has(`${store}/${id}`);
      this.#automatic = asked ? null : { run: run.id, store, id };
      if (before?.run !== run.id || (before.id === id && before.store === store)) return;
      await this.#parts.saving.remove(before.store, before.id).catch(() => undefined);
      await this.refresh();
    } catch (error) {
      const { code, message } = failureOf(error);
      this.#parts.snapshot.notice('error', code, `No checkpoint was saved: ${message}`);
    }
  }

  async refresh(): Promise<CheckpointEntry[]> {
    const checkpoints = await this.#parts.saving.list();
    this.#parts.snapshot.update({ checkpoints });
    return checkpoints;
  }

  async remove(store: StoreName, id: string): Promise<void> {
    const { saving, runs, snapshot } = this.#parts;
    await saving.remove(store, id);
    const last = snapshot.state.lastRun?.checkpoint;
    if (last?.store === store && last.id === id) {
      await runs.forget();
      snapshot.update({ lastRun: null });
    }
    await this.refresh();
  }

  async #save(
    run: ActiveRun,
    source: SourceInfo,
    store: StoreName | undefined,
  ): Promise<CheckpointEntry> {
    const { saving, runs, snapshot } = this.#parts;
    const { bytes, step, epoch } = await run.capture();
    const { history } = snapshot.state;
    const last = history.epochs.at(-1)?.validationLoss ?? null;
    const loss = keptBest(snapshot.state)?.loss ?? last;
    const { device } = snapshot.state;
    const summary = { step, epoch, loss, device };
    const entry = await saving.save(checkpointName(run.id, step), bytes, summary, store);
    const checkpoint = { store: entry.store, id: entry.id };
    const { epochs } = run;
    const lastRun = { source, checkpoint, step, epoch, epochs, loss, device, time: entry.time };
    snapshot.update({ lastRun });
    await runs.remember(lastRun);
    return entry;
  }
}
