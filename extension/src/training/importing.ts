// Imports a source once: its bytes become shards in the browser's own storage, and every later opening of the same file is
// answered from there. The import of before stays until the new one is whole.
import type { Shortage } from '../messages/state.ts';
import { StoreError } from '../storage/checkpoint_store.ts';
import type { Datasets, DatasetWriter, StoredDataset } from '../storage/datasets.ts';
import type { Fingerprint } from '../storage/manifest.ts';
import type { Core, ImportedShard } from './core.ts';
import { chunksOf, naming, readDataset, ReadingMeter } from './dataset.ts';
import type { OpenDataset, ReadingTask } from './dataset.ts';
import { TrainingError } from './errors.ts';
import { firstRowsOf } from './first_rows.ts';
import type { ByteSource } from './sources.ts';
import { megabytes } from './storage_notices.ts';

/** What is read into memory where nothing can be kept. */
const MEMORY_BYTES = 256e6;
/** Of the source's size: less than nearly any table's values take. */
const LEAST_SHARE = 0.25;
const SHARDS_PER_LOOK = 16;

export interface ImportingParts {
  core: Core;
  datasets: Datasets;
  /** A source that is no longer what was imported. */
  changed: (message: string) => void;
  /** The open data set, which is not to go for another one's room. */
  inUse: () => string | null;
}

/** An import that found too little room. */
export class ShortageError extends TrainingError {
  readonly shortage: Shortage;

  constructor(shortage: Shortage) {
    const { name, needed, free, offered } = shortage;
    const advice =
      offered.length > 0
        ? 'Remove imported data that is no longer needed, then go on.'
        : 'Free disk space, then open the file again.';
    super(
      'storage.short',
      `"${name}" needs about ${megabytes(needed)} of the browser's storage, and ${megabytes(free)} are free. ${advice}`,
    );
    this.shortage = shortage;
  }
}

export class Importing {
  readonly #parts: ImportingParts;

  constructor(parts: ImportingParts) {
    this.#parts = parts;
  }

  /** Throws what went wrong, naming the file; nothing is left of it then. */
  async open(source: ByteSource, task: ReadingTask): Promise<OpenDataset> {
    const { core, datasets } = this.#parts;
    if (source.info.kind === 'example') return readDataset(core, source, task);
    const reason = await datasets.unavailable();
    if (reason !== null) return this.#inMemory(source, task, reason);
    const print = await source.fingerprint();
    const found = await this.#attachFound(source, print);
    if (found !== null) return found;
    const before = await datasets.of(print, source.info);
    if (before.some(({ manifest }) => !isSame(manifest.source, print))) {
      this.#parts.changed(
        `"${print.name}" has changed since it was imported: it is imported anew.`,
      );
    }
    if (source.beginning !== undefined) this.#show(source, source.beginning, task);
    const stored = (await this.#remote(source, task)) ?? (await this.#import(source, print, task));
    return { ...this.attach(stored), replaced: before.map(({ id }) => id) };
  }

  /** Opens what was imported before. */
  attach(stored: StoredDataset): OpenDataset {
    const { source, origin, json } = stored.manifest;
    const { name, size } = source;
    try {
      const { dataset: handle, description } = this.#parts.core.datasetAttach(json);
      // The time of its last use is a help for the list, and no more.
      this.#parts.datasets.touch(stored.id).catch(() => undefined);
      const info = { ...origin, name, size, imported: stored.id };
      return { handle, source: info, description, stored, replaced: [] };
    } catch (error) {
      stored.shards.problem = error instanceof Error ? error.message : String(error);
      throw naming(name, error);
    }
  }

  async #attachFound(source: ByteSource, print: Fingerprint): Promise<OpenDataset | null> {
    const { info, options } = source;
    const found = await this.#parts.datasets.find(print, options, info);
    if (found === undefined) return null;
    try {
      return this.attach(found);
    } catch {
      // What the core no longer understands, or no longer has the room for, is imported anew.
      return null;
    }
  }

  async #inMemory(source: ByteSource, task: ReadingTask, reason: string): Promise<OpenDataset> {
    const { name, size } = source.info;
    if (size <= MEMORY_BYTES) return readDataset(this.#parts.core, source, task);
    throw new TrainingError(
      'storage.missing',
      `"${name}" has ${megabytes(size)}. What is larger than ${megabytes(MEMORY_BYTES)} is imported into the browser's own storage, which is not to be had here: ${reason} Use an ordinary window instead of a private one, or a smaller file.`,
    );
  }

  /** What is imported on the host is known here by its manifest; columns come when a run asks for them. */
  async #remote({ remote, info }: ByteSource, task: ReadingTask): Promise<StoredDataset | null> {
    const imported = (await remote?.(task)) ?? null;
    if (imported === null) return null;
    const writer = await this.#begin(info.name);
    try {
      const { kind, path } = info;
      return await writer.finish(imported.manifest, { kind, path }, imported.dataset);
    } catch (error) {
      await writer.abort();
      throw await this.#named(info.name, error, JSON.stringify(imported.manifest).length);
    }
  }

  async #import(source: ByteSource, print: Fingerprint, task: ReadingTask): Promise<StoredDataset> {
    const { core } = this.#parts;
    const { info, options, contained, leftOut = [] } = source;
    const { name, size, mtime, head, tail } = print;
    await this.#needRoom(name, LEAST_SHARE * size);
    const hashes = contained ? { head, tail } : {};
    const writer = await this.#begin(name);
    const opened = core.importOpen({ name, size, mtime, ...hashes, leftOut, options });
    const meter = new ReadingMeter(info.size);
    try {
      for (const part of source.parts) {
        core.importPart(opened, part.name);
        for await (const chunk of chunksOf(part, name, task.signal)) {
          if (meter.bytes === 0 && source.beginning === undefined) this.#show(source, chunk, task);
          const { rows, shards } = core.importFeed(opened, chunk);
          const bytes = source.consumed?.() ?? meter.bytes + chunk.length;
          task.progress(meter.at(bytes, rows));
          await write(writer, shards);
          await this.#lookAhead(writer, name, meter.bytes / info.size);
        }
      }
      const { manifest, shards } = core.importFinish(opened);
      await write(writer, shards);
      const { kind, path } = info;
      return await writer.finish(manifest, { kind, path });
    } catch (error) {
      await writer.abort();
      throw await this.#named(name, error, (info.size / meter.bytes) * writer.bytes);
    } finally {
      core.importClose(opened);
    }
  }

  async #begin(name: string): Promise<DatasetWriter> {
    try {
      return await this.#parts.datasets.begin();
    } catch (error) {
      throw await this.#named(name, error, 0);
    }
  }

  /** Of a source of one part: what stands beside each other is known when all of it is. */
  #show({ parts, options }: ByteSource, beginning: Uint8Array, task: ReadingTask): void {
    const [part] = parts;
    if (part === undefined || parts.length > 1) return;
    const first = firstRowsOf(this.#parts.core, part.name, options, beginning, part.size);
    if (first !== null) task.began(first);
  }

  /** Whether what is left will find room, from what the part that is `done` took. */
  async #lookAhead(writer: DatasetWriter, name: string, done: number): Promise<void> {
    if (writer.shards < writer.nextLook) return;
    writer.nextLook = writer.shards + SHARDS_PER_LOOK;
    const left = writer.bytes / Math.min(1, done) - writer.bytes;
    await this.#needRoom(name, left, writer.bytes);
  }

  /** `written` bytes of what is needed are there already. */
  async #needRoom(name: string, left: number, written = 0): Promise<void> {
    const free = await this.#parts.datasets.free();
    if (free !== null && free < left)
      throw await this.#shortage(name, left + written, free + written);
  }

  async #shortage(name: string, needed: number, free: number): Promise<ShortageError> {
    const { datasets, inUse } = this.#parts;
    const offered = (await datasets.oldest(needed - free, inUse())).map(
      ({ id, used, manifest, shards }) => ({
        id,
        used,
        name: manifest.source.name,
        bytes: shards.bytes,
      }),
    );
    return new ShortageError({ name, needed, free, offered });
  }

  async #named(name: string, error: unknown, expected: number): Promise<unknown> {
    if (!(error instanceof StoreError) || error.code !== 'storage.full') return naming(name, error);
    const free = (await this.#parts.datasets.free()) ?? 0;
    // The disk may be fuller than the browser says.
    return this.#shortage(name, Math.max(expected || 0, free + 1), free);
  }
}

async function write(writer: DatasetWriter, shards: ImportedShard[]): Promise<void> {
  for (const { file, bytes } of shards) await writer.writeShard(file, bytes);
}

function isSame(a: Fingerprint, b: Fingerprint): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.head === b.head && a.tail === b.tail;
}
