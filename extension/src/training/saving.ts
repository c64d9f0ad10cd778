// Where checkpoints go and come from. The native host's folder is first choice while it is connected; when it goes away
// during a save the browser's own storage takes the checkpoint, and a notice says so. Saves happen one after the other.
import type { CheckpointEntry, NoticeLevel, StoredRun, StoreName } from '../messages/state.ts';
import type { CheckpointStore, RunWords } from '../storage/checkpoint_store.ts';
import type { Summary } from '../storage/summary.ts';
import { HostError } from './host_errors.ts';

export interface SavingEvents {
  notice: (level: NoticeLevel, code: string, message: string) => void;
}

export class Saving {
  readonly #stores: Record<StoreName, CheckpointStore>;
  readonly #hostConnected: () => boolean;
  readonly #events: SavingEvents;
  /** What this worker saved itself: the host's list leaves long metadata out. */
  readonly #summaries = new Map<string, Summary>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    stores: Record<StoreName, CheckpointStore>,
    hostConnected: () => boolean,
    events: SavingEvents,
  ) {
    this.#stores = stores;
    this.#hostConnected = hostConnected;
    this.#events = events;
  }

  /** Saves into the wanted store, or the best one there is; the entry says where it went. */
  save(
    id: string,
    bytes: Uint8Array<ArrayBuffer>,
    summary: Summary,
    wanted: StoreName | undefined,
  ): Promise<CheckpointEntry> {
    const saved = this.#queue.then(() => this.#save(id, bytes, summary, wanted));
    this.#queue = saved.catch(() => undefined);
    return saved;
  }

  async list(): Promise<CheckpointEntry[]> {
    const host = await this.#ofHost((store) => store.list());
    const all = [...host, ...(await this.#stores.browser.list())];
    const known = all.map((entry) => ({ ...entry, ...this.#knownSummary(entry) }));
    return known.sort((a, b) => b.time - a.time);
  }

  read(store: StoreName, id: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#stores[store].read(id);
  }

  async remove(store: StoreName, id: string): Promise<void> {
    await this.#stores[store].remove(id);
    this.#summaries.delete(key(store, id));
  }

  async runs(): Promise<StoredRun[]> {
    const host = await this.#ofHost((store) => store.runs());
    return [...host, ...(await this.#stores.browser.runs())];
  }

  describeRun(store: StoreName, run: string, words: RunWords): Promise<void> {
    return this.#stores[store].describeRun(run, words);
  }

  async removeRun(store: StoreName, run: string): Promise<void> {
    await this.#stores[store].removeRun(run);
    for (const known of this.#summaries.keys())
      if (known.startsWith(key(store, `${run}/`))) this.#summaries.delete(known);
  }

  async #save(
    id: string,
    bytes: Uint8Array<ArrayBuffer>,
    summary: Summary,
    wanted: StoreName | undefined,
  ): Promise<CheckpointEntry> {
    const store = wanted ?? (this.#hostConnected() ? 'host' : 'browser');
    try {
      return await this.#saveIn(store, id, bytes, summary);
    } catch (error) {
      // The host's own refusals, such as a full disk, are for the person to read; only a host that is gone is replaced.
      if (store !== 'host' || !(error instanceof HostError) || !/^(host|relay)\./.test(error.code))
        throw error;
      const entry = await this.#saveIn('browser', id, bytes, summary);
      const message = `${error.message} The checkpoint ${id} was saved in the browser's storage instead.`;
      this.#events.notice('warning', 'checkpoint.moved', message);
      return entry;
    }
  }

  async #saveIn(
    store: StoreName,
    id: string,
    bytes: Uint8Array<ArrayBuffer>,
    summary: Summary,
  ): Promise<CheckpointEntry> {
    const stored = await this.#stores[store].save(id, bytes);
    this.#summaries.set(key(store, id), summary);
    return { id, store, ...stored, ...summary, ok: true, reason: null };
  }

  async #ofHost<T>(list: (store: CheckpointStore) => Promise<T[]>): Promise<T[]> {
    if (!this.#hostConnected()) return [];
    try {
      return await list(this.#stores.host);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#events.notice(
        'warning',
        'checkpoint.list',
        `The native host's checkpoints cannot be listed: ${reason}`,
      );
      return [];
    }
  }

  #knownSummary(entry: CheckpointEntry): Partial<Summary> {
    const known = this.#summaries.get(key(entry.store, entry.id));
    return known?.step === entry.step ? known : {};
  }
}

function key(store: StoreName, id: string): string {
  return `${store}/${id}`;
}
