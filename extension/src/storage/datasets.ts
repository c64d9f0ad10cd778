// Imported data sets in the browser's own storage: a folder each, with the shards and, written last, the manifest that
// names them. A folder without a manifest is what an import left that never ended; it goes at the first look.
import type { ImportedDataset } from '../messages/state.ts';
import * as v from '../messages/validate.ts';
import { StoreError } from './checkpoint_store.ts';
import { isNamed, readWhole, removePartials, removeQuietly, writeWhole } from './files.ts';
import { manifest as checkManifest, MANIFEST } from './manifest.ts';
import type { Fingerprint, Manifest, Origin } from './manifest.ts';
import { RemoteShards } from './remote_shards.ts';
import type { FetchColumns, Lack } from './remote_shards.ts';
import type { ShardFiles } from './shard_rows.ts';
import { sha256Of, ShardStore } from './shard_store.ts';

const FOLDER = 'datasets';
/** Rewritten, empty, at every use: its time tells what was used last. */
const USED = 'used';

/** What can be asked of the browser about the room that it gives. */
export type Estimate = () => Promise<{ quota?: number; usage?: number }>;

export interface StoredDataset {
  id: string;
  manifest: Manifest;
  /** Milliseconds since 1970. */
  used: number;
  shards: KeptShards;
}

/** Where rows come from, what that takes here, and what is wrong with it. */
export interface KeptShards extends ShardFiles {
  readonly bytes: number;
  problem: string | null;
  /** Looks for what is missing, where all was to be kept here. */
  look?(): Promise<void>;
}

export class Datasets {
  readonly #root: () => Promise<FileSystemDirectoryHandle>;
  readonly #estimate: Estimate;
  readonly #fetchColumns: FetchColumns;
  readonly #lacks: (lack: Lack) => void;
  #folder: Promise<FileSystemDirectoryHandle> | null = null;
  readonly #known = new Map<string, StoredDataset>();

  constructor(
    root: () => Promise<FileSystemDirectoryHandle>,
    estimate: Estimate,
    fetchColumns: FetchColumns,
    lacks: (lack: Lack) => void,
  ) {
    this.#root = root;
    this.#estimate = estimate;
    this.#fetchColumns = fetchColumns;
    this.#lacks = lacks;
  }

  /** Null: data sets can be kept. Otherwise why they cannot. */
  async unavailable(): Promise<string | null> {
    try {
      await this.#open();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return (await this.free()) === 0 ? 'the browser gives this extension no room' : null;
  }

  /** Bytes that may still be written, or null where the browser does not say. */
  async free(): Promise<number | null> {
    try {
      const { quota, usage } = await this.#estimate();
      return quota === undefined ? null : Math.max(0, quota - (usage ?? 0));
    } catch {
      return null;
    }
  }

  /** What was used last comes first. */
  async list(): Promise<StoredDataset[]> {
    await this.#open();
    return [...this.#known.values()].sort((a, b) => b.used - a.used);
  }

  async get(id: string): Promise<StoredDataset> {
    await this.#open();
    const found = this.#known.get(id);
    if (found !== undefined) return found;
    throw new StoreError(
      'dataset.gone',
      'This imported data is no longer in the browser. Open its file again.',
    );
  }

  /** The whole import of just this state of a source. */
  async find(
    source: Fingerprint,
    options: object,
    origin: Origin,
  ): Promise<StoredDataset | undefined> {
    const wanted = JSON.stringify([keyOf(source, origin), printOf(source), options]);
    const found = (await this.list()).filter(
      ({ manifest, shards }) =>
        shards.problem === null &&
        JSON.stringify([
          keyOf(manifest.source, manifest.origin),
          printOf(manifest.source),
          manifest.options,
        ]) === wanted,
    );
    for (const stored of found) {
      await stored.shards.look?.();
      if (stored.shards.problem === null) return stored;
    }
    return undefined;
  }

  /** Imports of the same source, in whatever state it was. */
  async of(source: Pick<Fingerprint, 'name'>, origin: Origin): Promise<StoredDataset[]> {
    const wanted = keyOf(source, origin);
    return (await this.list()).filter(
      ({ manifest }) => keyOf(manifest.source, manifest.origin) === wanted,
    );
  }

  async begin(): Promise<DatasetWriter> {
    const folder = await this.#open();
    const id = crypto.randomUUID();
    const mine = await folder.getDirectoryHandle(id, { create: true }).catch((error: unknown) => {
      throw storageError(error);
    });
    return new DatasetWriter(mine, {
      finished: async () => {
        const stored = await this.#load(mine);
        this.#known.set(id, stored);
        return stored;
      },
      aborted: () => removeQuietly(folder, id),
    });
  }

  async touch(id: string): Promise<void> {
    const stored = await this.get(id);
    stored.used = Date.now();
    const mine = await (await this.#open()).getDirectoryHandle(id);
    await writeWhole(mine, USED, new Uint8Array(0));
  }

  async remove(id: string): Promise<void> {
    const folder = await this.#open();
    await this.get(id);
    try {
      await folder.removeEntry(id, { recursive: true });
    } catch (error) {
      if (!isNamed(error, 'NotFoundError')) throw storageError(error);
    }
    this.#known.delete(id);
  }

  /** Those to remove for so many bytes: what was used longest ago first, and no more than that takes. */
  async oldest(bytes: number, except: string | null): Promise<StoredDataset[]> {
    const chosen: StoredDataset[] = [];
    let sum = 0;
    for (const stored of (await this.list()).reverse()) {
      if (sum >= bytes) break;
      if (stored.id === except) continue;
      chosen.push(stored);
      sum += stored.shards.bytes;
    }
    return sum >= bytes ? chosen : [];
  }

  #open(): Promise<FileSystemDirectoryHandle> {
    this.#folder ??= this.#openClean().catch((error: unknown) => {
      this.#folder = null;
      throw storageError(error);
    });
    return this.#folder;
  }

  async #openClean(): Promise<FileSystemDirectoryHandle> {
    const root = await this.#root();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    const found: FileSystemDirectoryHandle[] = [];
    for await (const [, handle] of folder.entries()) {
      if (handle.kind === 'directory') found.push(handle as FileSystemDirectoryHandle);
    }
    for (const mine of found) {
      try {
        this.#known.set(mine.name, await this.#load(mine));
      } catch {
        await removeQuietly(folder, mine.name);
      }
    }
    return folder;
  }

  async #load(folder: FileSystemDirectoryHandle): Promise<StoredDataset> {
    const bytes = await readWhole(folder, MANIFEST);
    const manifest = checkManifest(JSON.parse(new TextDecoder().decode(bytes)), 'manifest');
    await removePartials(folder);
    const used = await timeOf(folder, USED).catch(() => timeOf(folder, MANIFEST));
    const shards: KeptShards =
      manifest.remote === null
        ? new ShardStore(folder, manifest)
        : await RemoteShards.open(folder, manifest, manifest.remote, this.#fetchColumns, {
            free: () => this.free(),
            lacks: this.#lacks,
          });
    await shards.look?.();
    return { id: folder.name, manifest, used, shards };
  }
}

interface WriterEvents {
  finished: () => Promise<StoredDataset>;
  aborted: () => Promise<void>;
}

/** An import under way: shard after shard, then the manifest with their hashes, or nothing at all. */
export class DatasetWriter {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #events: WriterEvents;
  readonly #hashes = new Map<string, string>();
  /** Written so far. */
  bytes = 0;
  shards = 0;
  /** From how many shards on the room is to be looked at again. */
  nextLook = 1;

  constructor(folder: FileSystemDirectoryHandle, events: WriterEvents) {
    this.#folder = folder;
    this.#events = events;
  }

  /** The browser hashes on another thread while this one writes. A full disk is a StoreError with the code storage.full. */
  async writeShard(file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const [hash] = await Promise.all([sha256Of(bytes), this.#write(file, bytes)]);
    this.#hashes.set(file, hash);
    this.shards += 1;
  }

  async #write(file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      await writeWhole(this.#folder, file, bytes);
    } catch (error) {
      throw storageError(error);
    }
    this.bytes += bytes.length;
  }

  async finish(
    json: Record<string, unknown>,
    origin: Origin,
    remote: string | null = null,
  ): Promise<StoredDataset> {
    const manifest = { ...json, ...this.#hashed(json), origin, remote };
    checkManifest(manifest, 'manifest');
    await this.#write(MANIFEST, new TextEncoder().encode(JSON.stringify(manifest)));
    return this.#events.finished();
  }

  abort(): Promise<void> {
    return this.#events.aborted();
  }

  /** The shards that were written here get their hashes; a host's have its own. */
  #hashed({ shards }: Record<string, unknown>): { shards?: unknown[] } {
    if (this.#hashes.size === 0 || !Array.isArray(shards)) return {};
    const hashed = (shard: unknown): unknown => {
      const fields = v.record(shard, 'manifest.shards');
      return { ...fields, sha256: this.#hashes.get(String(fields['file'])) };
    };
    return { shards: shards.map(hashed) };
  }
}

async function timeOf(folder: FileSystemDirectoryHandle, name: string): Promise<number> {
  return (await (await folder.getFileHandle(name)).getFile()).lastModified;
}

/** A file of the host is known by its path; of one that was picked the browser tells the name alone. */
function keyOf({ name }: Pick<Fingerprint, 'name'>, { kind, path }: Origin): string {
  return JSON.stringify([kind, path ?? name]);
}

function printOf({ size, mtime, head, tail }: Fingerprint): unknown[] {
  return [size, mtime, head, tail];
}

/** As pages list it. */
export function entryOf({ id, manifest, used, shards }: StoredDataset): ImportedDataset {
  const { source, rows, origin } = manifest;
  const { kind, path } = origin;
  const { name, size } = source;
  const { bytes, problem } = shards;
  return { id, kind, name, path, size, rows, bytes, used, problem };
}

function storageError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (isNamed(error, 'QuotaExceededError'))
    return new StoreError('storage.full', 'The disk, or the room that the browser gives, is full.');
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new StoreError('storage.failed', `The browser's storage failed (${reason}).`);
}
