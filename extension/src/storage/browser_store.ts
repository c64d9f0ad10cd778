// Checkpoints in the browser's own storage: the place when there is no native host, or when it went away.
import type { CheckpointEntry } from '../messages/state.ts';
import type { CheckpointStore, Stored } from './checkpoint_store.ts';
import { StoreError } from './checkpoint_store.ts';
import { isNamed, isPartial, readWhole, removePartials, writeWhole } from './files.ts';
import { HeaderError, headerSize, readMetadata, summaryOf } from './summary.ts';

const FOLDER = 'checkpoints';

export class BrowserStore implements CheckpointStore {
  readonly name = 'browser';
  readonly #root: () => Promise<FileSystemDirectoryHandle>;
  #folder: Promise<FileSystemDirectoryHandle> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(root: () => Promise<FileSystemDirectoryHandle>) {
    this.#root = root;
  }

  list(): Promise<CheckpointEntry[]> {
    return this.#inTurn(() => this.#list());
  }

  save(id: string, bytes: Uint8Array<ArrayBuffer>): Promise<Stored> {
    return this.#inTurn(() => this.#save(id, bytes));
  }

  read(id: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#inTurn(() => this.#read(id));
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(() => this.#remove(id));
  }

  /** One operation after the other: a file that is replaced while it is read can no longer be read. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #list(): Promise<CheckpointEntry[]> {
    const folder = await this.#open();
    const entries: CheckpointEntry[] = [];
    for await (const [id, handle] of folder.entries()) {
      if (handle.kind !== 'file' || isPartial(id)) continue;
      const entry = await entryOf(handle as FileSystemFileHandle).catch(unlessGone);
      if (entry !== null) entries.push(entry);
    }
    return entries.sort((a, b) => b.time - a.time);
  }

  async #save(id: string, bytes: Uint8Array<ArrayBuffer>): Promise<Stored> {
    const folder = await this.#open();
    try {
      await writeWhole(folder, id, bytes);
    } catch (error) {
      throw storeError(error, id, bytes.length);
    }
    return { size: bytes.length, time: Date.now() };
  }

  async #read(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const folder = await this.#open();
    try {
      return await readWhole(folder, id);
    } catch (error) {
      throw storeError(error, id, 0);
    }
  }

  async #remove(id: string): Promise<void> {
    const folder = await this.#open();
    try {
      await folder.removeEntry(id);
    } catch (error) {
      throw storeError(error, id, 0);
    }
  }

  #open(): Promise<FileSystemDirectoryHandle> {
    this.#folder ??= this.#openClean().catch((error: unknown) => {
      this.#folder = null;
      throw storeError(error, FOLDER, 0);
    });
    return this.#folder;
  }

  async #openClean(): Promise<FileSystemDirectoryHandle> {
    const root = await this.#root();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    await removePartials(folder);
    return folder;
  }
}

/** A file that was removed or replaced since the listing began hides no other. */
function unlessGone(error: unknown): null {
  if (isNamed(error, 'NotFoundError', 'NotReadableError')) return null;
  throw error;
}

async function entryOf(handle: FileSystemFileHandle): Promise<CheckpointEntry> {
  const file = await handle.getFile();
  const base = {
    id: handle.name,
    store: 'browser' as const,
    size: file.size,
    time: file.lastModified,
  };
  try {
    const first = new Uint8Array(await file.slice(0, 8).arrayBuffer());
    const size = headerSize(first, file.size);
    const header = new Uint8Array(await file.slice(0, size).arrayBuffer());
    const summary = summaryOf(readMetadata(header, file.size));
    return { ...base, ...summary, ok: true, reason: null };
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error;
    const nothing = { step: null, epoch: null, loss: null, device: null };
    return { ...base, ...nothing, ok: false, reason: error.message };
  }
}

function storeError(error: unknown, id: string, size: number): StoreError {
  if (error instanceof StoreError) return error;
  if (isNamed(error, 'QuotaExceededError')) {
    return new StoreError(
      'store.disk_full',
      `The browser's storage has no room for ${id} (${String(size)} bytes); nothing was saved and older checkpoints stand. Free disk space or remove checkpoints, then save again.`,
    );
  }
  if (isNamed(error, 'NotFoundError')) {
    return new StoreError(
      'store.not_found',
      `There is no checkpoint ${id} in the browser's storage.`,
    );
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new StoreError('store.failed', `The browser's storage failed at ${id} (${reason}).`);
}
