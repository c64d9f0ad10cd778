// Runs that lie in a store, as a person wants them beside resuming: what one was trained with and how it went, and a
// whole run as one file that can be taken elsewhere.
import type { RunInspected } from '../messages/commands.ts';
import { partsOf, runOf } from '../messages/checkpoint_names.ts';
import { runConfig } from '../messages/run_config.ts';
import { lastOf } from '../messages/runs.ts';
import type { CheckpointEntry, StoreName } from '../messages/state.ts';
import { headerSize, readMetadata } from '../storage/summary.ts';
import { failureOf, TrainingError } from './errors.ts';
import { restoredHistory } from './history.ts';
import type { Keeper } from './keeper.ts';
import { packRun, unpackRun } from './run_archive.ts';
import type { ArchivedCheckpoint } from './run_archive.ts';
import { runName } from './run_names.ts';
import type { Saving } from './saving.ts';

export class Library {
  readonly #saving: Saving;
  readonly #keeper: Keeper;

  constructor(saving: Saving, keeper: Keeper) {
    this.#saving = saving;
    this.#keeper = keeper;
  }

  /** Configuration and curves of a run, from its last checkpoint. */
  async inspect(store: StoreName, run: string): Promise<RunInspected> {
    const last = lastOf(await this.#checkpoints(store, run));
    if (last === null) throw missing(run);
    const bytes = await this.#saving.read(store, last.id);
    try {
      const header = bytes.subarray(0, headerSize(bytes, bytes.length));
      const { config, history } = readMetadata(header, bytes.length);
      const { steps, losses, epochs } = restoredHistory(JSON.parse(String(history)));
      return { config: runConfig(JSON.parse(String(config)), 'config'), steps, losses, epochs };
    } catch (error) {
      const why = failureOf(error).message;
      throw new TrainingError('checkpoint.damaged', `${last.id} cannot be read: ${why}`);
    }
  }

  async export(store: StoreName, run: string): Promise<{ name: string; blob: Blob }> {
    const whole = (await this.#checkpoints(store, run)).filter(({ ok }) => ok);
    if (whole.length === 0) throw missing(run);
    const stored = (await this.#saving.runs()).find(
      (one) => one.store === store && one.run === run,
    );
    const words = { name: stored?.name ?? '', note: stored?.note ?? '' };
    const blob = await packRun(run, words, this.#read(whole));
    return { name: `${run}.zip`, blob };
  }

  /** Under its own name, or another one where a run of that name is here already. */
  async import(file: File): Promise<{ store: StoreName; run: string }> {
    const { run: wanted, name, note, checkpoints } = await unpackRun(file);
    if (checkpoints.length === 0) throw missing(wanted);
    const taken = new Set((await this.#saving.list()).map(({ id }) => runOf(id)));
    for (const { run } of await this.#saving.runs()) taken.add(run);
    const run = taken.has(wanted) ? runName(wanted.split('-')[0] ?? '', new Date()) : wanted;
    let store: StoreName | undefined;
    try {
      for (const { file: one, bytes, summary } of checkpoints)
        ({ store } = await this.#saving.save(`${run}/${one}`, bytes, summary, store));
      if (store !== undefined && name + note !== '')
        await this.#saving.describeRun(store, run, { name, note });
    } catch (error) {
      if (store !== undefined) await this.#saving.removeRun(store, run).catch(() => undefined);
      throw error;
    } finally {
      await this.#keeper.refresh();
    }
    return { store: store ?? 'browser', run };
  }

  async #checkpoints(store: StoreName, run: string): Promise<CheckpointEntry[]> {
    const all = await this.#saving.list();
    return all.filter((entry) => entry.store === store && runOf(entry.id) === run);
  }

  async *#read(entries: CheckpointEntry[]): AsyncGenerator<ArchivedCheckpoint> {
    for (const { store, id } of entries) {
      const bytes = await this.#saving.read(store, id);
      yield { file: partsOf(id)?.file ?? '', bytes };
    }
  }
}

function missing(run: string): TrainingError {
  return new TrainingError('run.empty', `The run "${run}" has no checkpoint that can be used.`);
}
