// A data set that the native host has imported, and of which this browser keeps the columns that were asked for: a file for
// each shard and set of columns, written once it is whole and checked. What is here is read from here; the rest is fetched,
// shard by shard, so that a transfer that breaks off goes on with the first shard that is not here yet.
import { StoreError } from './checkpoint_store.ts';
import { isNamed, openToRead, readFully, removeQuietly, writeWhole } from './files.ts';
import type { SyncAccess } from './files.ts';
import type { Manifest, ManifestColumn, ManifestShard } from './manifest.ts';
import { headerOf } from './shard.ts';
import type { ShardFile } from './shard.ts';
import type { OpenShard, ShardFiles } from './shard_rows.ts';
import { sha256Of } from './shard_store.ts';
import { HeaderError } from './summary.ts';

/** Values of these columns of a shard, column after column, as they were checked. */
export type FetchColumns = (
  dataset: string,
  shard: number,
  columns: ManifestColumn[],
  signal: AbortSignal,
) => Promise<{ bytes: Uint8Array<ArrayBuffer>; sha256: string }>;

/** What found no room here, and how much of it there is. */
export interface Lack {
  name: string;
  /** Bytes that are needed for all of it. */
  needed: number;
  /** Null where the browser does not say. */
  free: number | null;
}

/** The room that the browser gives, and who is told where it does not suffice. */
export interface Room {
  free: () => Promise<number | null>;
  lacks: (lack: Lack) => void;
}

const ENDING = '.safetensors';
const PART = /^(\d{6})\.\d+\.safetensors$/;
const FORMAT = 'shadegrad-columns/1';

export class RemoteShards implements ShardFiles {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #manifest: Manifest;
  readonly #dataset: string;
  readonly #fetch: FetchColumns;
  readonly #room: Room;
  /** Bytes that were free when there was no room; null: there is. */
  #short: number | null = null;
  /** What is here of each shard. */
  readonly #parts = new Map<string, Set<string>>();
  readonly #verified = new Set<string>();
  /** Bytes of what is here. */
  bytes = 0;
  problem: string | null = null;

  private constructor(
    folder: FileSystemDirectoryHandle,
    manifest: Manifest,
    dataset: string,
    fetch: FetchColumns,
    room: Room,
  ) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.#dataset = dataset;
    this.#fetch = fetch;
    this.#room = room;
  }

  static async open(
    folder: FileSystemDirectoryHandle,
    manifest: Manifest,
    dataset: string,
    fetch: FetchColumns,
    room: Room,
  ): Promise<RemoteShards> {
    const shards = new RemoteShards(folder, manifest, dataset, fetch, room);
    for await (const [name, handle] of folder.entries()) {
      const stem = PART.exec(name)?.[1];
      if (stem === undefined) continue;
      shards.#partsOf(stem + ENDING).add(name);
      shards.bytes += (await (handle as FileSystemFileHandle).getFile()).size;
    }
    return shards;
  }

  async open(
    shard: ManifestShard,
    columns: ManifestColumn[],
    signal: AbortSignal,
  ): Promise<OpenShard> {
    const files: ShardFile[] = [];
    const close = (): void => {
      for (const { access } of files) access.close();
    };
    const holding = ({ index }: ManifestColumn): ShardFile | undefined =>
      files.find(({ tensors }) => tensors.has(`c${String(index)}`));
    try {
      for (const name of [...this.#partsOf(shard.file)]) {
        const file = await this.#openPart(shard.file, name);
        if (file !== null) files.push(file);
      }
      const missing = columns.filter((column) => holding(column) === undefined);
      if (missing.length > 0) files.push(await this.#bring(shard, missing, signal));
    } catch (error) {
      close();
      throw error;
    }
    return {
      close,
      fileOf: (column) => {
        const file = holding(column);
        if (file !== undefined) return file;
        throw new StoreError('dataset.damaged', `Column ${String(column.index)} has not come.`);
      },
    };
  }

  /** Null: it is not what was written, and is fetched anew. */
  async #openPart(shard: string, name: string): Promise<ShardFile | null> {
    let access: SyncAccess | null = null;
    try {
      access = await openToRead(await this.#folder.getFileHandle(name));
      const { tensors, metadata, data } = headerOf(access);
      if (!this.#verified.has(name)) await verify(access, data, metadata['sha256']);
      this.#verified.add(name);
      return { access, tensors };
    } catch (error) {
      access?.close();
      if (!(error instanceof HeaderError) && !isNamed(error, 'NotFoundError')) throw error;
      this.#partsOf(shard).delete(name);
      await removeQuietly(this.#folder, name);
      return null;
    }
  }

  async #bring(
    shard: ManifestShard,
    columns: ManifestColumn[],
    signal: AbortSignal,
  ): Promise<ShardFile> {
    const number = this.#manifest.shards.indexOf(shard);
    const { bytes, sha256 } = await this.#fetch(this.#dataset, number, columns, signal);
    const file = fileOf(shard, columns, bytes, sha256);
    const access = inMemory(file);
    const { tensors } = headerOf(access);
    await this.#keep(shard, columns, file);
    return { access, tensors };
  }

  /** Without room the run goes on, which is told, and the next epoch asks the host again. */
  async #keep(
    shard: ManifestShard,
    columns: ManifestColumn[],
    file: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    if (await this.#isStillShort(file.length)) return;
    const parts = this.#partsOf(shard.file);
    const taken = [...parts].map((name) => Number(name.split('.')[1]));
    const stem = shard.file.slice(0, -ENDING.length);
    const name = `${stem}.${String(Math.max(-1, ...taken) + 1)}${ENDING}`;
    try {
      await writeWhole(this.#folder, name, file);
    } catch (error) {
      if (!isNamed(error, 'QuotaExceededError')) throw error;
      const free = await this.#room.free();
      if (this.#short === null)
        this.#room.lacks({
          name: this.#manifest.source.name,
          needed: this.#missing(columns),
          free,
        });
      this.#short = free ?? 0;
      return;
    }
    this.#short = null;
    parts.add(name);
    this.#verified.add(name);
    this.bytes += file.length;
  }

  /** Whole shards are not written again and again only to find no room: first it must have grown by one. */
  async #isStillShort(bytes: number): Promise<boolean> {
    if (this.#short === null) return false;
    const free = await this.#room.free();
    return free !== null && free < this.#short + bytes;
  }

  /** Bytes of these columns in the shards of which nothing is here. */
  #missing(columns: ManifestColumn[]): number {
    const covers = ({ columns: [first, count] }: ManifestShard): boolean =>
      columns.some(({ index }) => index >= first && index < first + count);
    const rows = this.#manifest.shards
      .filter((shard) => covers(shard) && this.#partsOf(shard.file).size === 0)
      .reduce((sum, shard) => sum + shard.rows, 0);
    return columns.reduce((sum, column) => sum + rows * rowBytes(column), 0);
  }

  #partsOf(shard: string): Set<string> {
    let parts = this.#parts.get(shard);
    if (parts === undefined) this.#parts.set(shard, (parts = new Set()));
    return parts;
  }
}

async function verify(access: SyncAccess, data: number, sha256: unknown): Promise<void> {
  const bytes = new Uint8Array(access.getSize() - data);
  readFully(access, bytes, data);
  if ((await sha256Of(bytes)) !== sha256)
    throw new HeaderError('it does not have the bytes that were written');
}

/** A safetensors file of these columns. */
function fileOf(
  { rows }: ManifestShard,
  columns: ManifestColumn[],
  values: Uint8Array<ArrayBuffer>,
  sha256: string,
): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: { format: FORMAT, sha256 } };
  let at = 0;
  for (const column of columns) {
    const { index, dtype, shape } = column;
    const end = at + rows * rowBytes(column);
    header[`c${String(index)}`] = { dtype, shape: [rows, ...shape], data_offsets: [at, end] };
    at = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(8 + length + values.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(length), true);
  file.fill(0x20, 8, 8 + length);
  file.set(text, 8);
  file.set(values, 8 + length);
  return file;
}

function rowBytes({ dtype, shape }: ManifestColumn): number {
  return shape.reduce((product, length) => product * length, bytesOf(dtype));
}

export function bytesOf(dtype: ManifestColumn['dtype']): number {
  return { F32: 4, F64: 8, I32: 4, U8: 1 }[dtype ?? 'U8'];
}

/** What has just come is read from where it is. */
function inMemory(bytes: Uint8Array): SyncAccess {
  const refuse = (): never => {
    throw new DOMException('It is only read.', 'NoModificationAllowedError');
  };
  return {
    getSize: () => bytes.length,
    read: (into, { at }) => {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
    truncate: refuse,
    write: refuse,
    flush: () => undefined,
    close: () => undefined,
  };
}
