// Checkpoints in the browser's own storage: the place when there is no native host, or when it went away. The same
// folders and files as the host's.
import { isCheckpointFile, isRun, partsOf } from '../messages/checkpoint_names.ts';
import type { CheckpointEntry, StoredRun } from '../messages/state.ts';
import type { CheckpointStore, RunWords, Stored } from './checkpoint_store.ts';
import { StoreError } from './checkpoint_store.ts';
import { isNamed, readWhole, removePartials, writeWhole } from './files.ts';
import { RUN_FILE, runFile, runWords } from './run_file.ts';
import {
  checkHeader,
  HeaderError,
  headerSize,
  NO_SUMMARY,
  readMetadata,
  summaryOf,
} from './summary.ts';

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
    return this.#inTurn(async () => {
      const entries: CheckpointEntry[] = [];
      for (const run of await runsIn(await this.#open())) {
        for await (const [file, handle] of run.entries()) {
          if (handle.kind !== 'file' || !isCheckpointFile(file)) continue;
          const found = handle as FileSystemFileHandle;
          const entry = await entryOf(`${run.name}/${file}`, found).catch(unlessGone);
          if (entry !== null) entries.push(entry);
        }
      }
      return entries.sort((a, b) => b.time - a.time);
    });
  }

  save(id: string, bytes: Uint8Array<ArrayBuffer>): Promise<Stored> {
    return this.#at(id, bytes.length, true, async (run, file) => {
      await writeWhole(run, file, bytes);
      return { size: bytes.length, time: Date.now() };
    });
  }

  read(id: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#at(id, 0, false, readWhole);
  }

  remove(id: string): Promise<void> {
    return this.#at(id, 0, false, (run, file) => run.removeEntry(file));
  }

  runs(): Promise<StoredRun[]> {
    return this.#inTurn(async () => {
      const all: StoredRun[] = [];
      for (const folder of await runsIn(await this.#open()))
        all.push({ store: 'browser', run: folder.name, ...(await wordsOf(folder)) });
      return all.sort((a, b) => a.run.localeCompare(b.run));
    });
  }

  describeRun(run: string, words: RunWords): Promise<void> {
    const bytes = runFile(words);
    return this.#in(run, bytes.length, async (folder) => {
      await writeWhole(await folder.getDirectoryHandle(run), RUN_FILE, bytes);
    });
  }

  removeRun(run: string): Promise<void> {
    return this.#in(run, 0, async (folder) => {
      await folder.removeEntry(run, { recursive: true });
    });
  }

  /** One operation after the other: a file that is replaced while it is read can no longer be read. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #in<T>(
    what: string,
    size: number,
    work: (folder: FileSystemDirectoryHandle) => Promise<T>,
  ): Promise<T> {
    return this.#inTurn(async () => {
      const folder = await this.#open();
      try {
        return await work(folder);
      } catch (error) {
        throw storeError(error, what, size);
      }
    });
  }

  /** A run's folder is there as long as something is in it. */
  #at<T>(
    id: string,
    size: number,
    create: boolean,
    work: (run: FileSystemDirectoryHandle, file: string) => Promise<T>,
  ): Promise<T> {
    const parts = partsOf(id);
    if (parts === null) {
      const refused = new StoreError('store.name_refused', `"${id}" is no checkpoint's name.`);
      return Promise.reject(refused);
    }
    return this.#in(id, size, async (folder) => {
      const run = await folder.getDirectoryHandle(parts.run, { create });
      try {
        return await work(run, parts.file);
      } finally {
        await removeIfEmpty(folder, parts.run);
      }
    });
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
    for (const run of await runsIn(folder)) {
      await removePartials(run);
      await removeIfEmpty(folder, run.name);
    }
    return folder;
  }
}

async function runsIn(folder: FileSystemDirectoryHandle): Promise<FileSystemDirectoryHandle[]> {
  const runs: FileSystemDirectoryHandle[] = [];
  for await (const [name, handle] of folder.entries())
    if (handle.kind === 'directory' && isRun(name)) runs.push(handle as FileSystemDirectoryHandle);
  return runs;
}

/** Without `recursive`, a folder that holds something stays. */
async function removeIfEmpty(folder: FileSystemDirectoryHandle, run: string): Promise<void> {
  try {
    await folder.removeEntry(run);
  } catch (error) {
    if (!isNamed(error, 'InvalidModificationError', 'NotFoundError', 'NoModificationAllowedError'))
      throw error;
  }
}

async function wordsOf(
  run: FileSystemDirectoryHandle,
): Promise<Pick<StoredRun, 'name' | 'note' | 'reason'>> {
  try {
    return { ...runWords(await readWhole(run, RUN_FILE)), reason: null };
  } catch (error) {
    const reason = isNamed(error, 'NotFoundError')
      ? null
      : `its name and note cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { name: '', note: '', reason };
  }
}

/** A file that was removed or replaced since the listing began hides no other. */
function unlessGone(error: unknown): null {
  if (isNamed(error, 'NotFoundError', 'NotReadableError')) return null;
  throw error;
}

async function entryOf(id: string, handle: FileSystemFileHandle): Promise<CheckpointEntry> {
  const file = await handle.getFile();
  const base = { id, store: 'browser' as const, size: file.size, time: file.lastModified };
  try {
    const first = new Uint8Array(await file.slice(0, 8).arrayBuffer());
    const size = headerSize(first, file.size);
    const header = new Uint8Array(await file.slice(0, size).arrayBuffer());
    const metadata = readMetadata(header, file.size);
    await checkHeader(header, metadata);
    return { ...base, ...summaryOf(metadata), ok: true, reason: null };
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error;
    return { ...base, ...NO_SUMMARY, ok: false, reason: error.message };
  }
}

function storeError(error: unknown, what: string, size: number): StoreError {
  if (error instanceof StoreError) return error;
  if (isNamed(error, 'QuotaExceededError')) {
    return new StoreError(
      'store.disk_full',
      `The browser's storage has no room for ${what} (${String(size)} bytes); nothing was saved, and what was there before stands. Free disk space or remove checkpoints, then save again.`,
    );
  }
  if (isNamed(error, 'NotFoundError'))
    return new StoreError('store.not_found', `There is no ${what} in the browser's storage.`);
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new StoreError('store.failed', `The browser's storage failed at ${what} (${reason}).`);
}
