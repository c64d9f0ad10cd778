// The shards of one imported data set. Each is compared with its checksum once before its first rows are used: a disk may
// lose or change what was written, and a model that trains on that would not show it.
import { StoreError } from './checkpoint_store.ts';
import { isNamed, openToRead, readFully } from './files.ts';
import type { SyncAccess } from './files.ts';
import type { Manifest, ManifestShard } from './manifest.ts';
import { storedBytes } from './manifest.ts';
import { headerOf } from './shard.ts';
import { damaged } from './shard_rows.ts';
import type { OpenShard, ShardFiles } from './shard_rows.ts';
import { HeaderError } from './summary.ts';

export class ShardStore implements ShardFiles {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #manifest: Manifest;
  /** Since the worker began. */
  readonly #verified = new Set<string>();
  /** What is wrong with it, once that was found. */
  problem: string | null = null;

  constructor(folder: FileSystemDirectoryHandle, manifest: Manifest) {
    this.#folder = folder;
    this.#manifest = manifest;
  }

  get bytes(): number {
    return storedBytes(this.#manifest);
  }

  /** Finds whether each is there in its size; what is in it is compared before its first use. */
  async look(): Promise<void> {
    for (const { file, bytes } of this.#manifest.shards) {
      try {
        const { size } = await (await this.#folder.getFileHandle(file)).getFile();
        if (size !== bytes) this.problem = `${file}: ${sizeProblem(size, bytes)}`;
      } catch (error) {
        this.problem = isNamed(error, 'NotFoundError') ? `${file} is missing` : String(error);
      }
      if (this.problem !== null) return;
    }
  }

  async open(shard: ManifestShard): Promise<OpenShard> {
    let access: SyncAccess | null = null;
    try {
      access = await openToRead(await this.#folder.getFileHandle(shard.file));
      await this.#verify(shard, access);
      const file = { access, tensors: headerOf(access).tensors };
      return { fileOf: () => file, close: access.close.bind(access) };
    } catch (error) {
      access?.close();
      throw this.#named(shard, error);
    }
  }

  async #verify({ file, bytes: size, sha256 }: ManifestShard, access: SyncAccess): Promise<void> {
    if (this.#verified.has(file)) return;
    if (access.getSize() !== size) throw new HeaderError(sizeProblem(access.getSize(), size));
    const bytes = new Uint8Array(size);
    readFully(access, bytes, 0);
    if ((await sha256Of(bytes)) !== sha256)
      throw new HeaderError('it does not have the bytes that were written');
    this.#verified.add(file);
  }

  #named({ file }: ManifestShard, error: unknown): unknown {
    if (error instanceof HeaderError) return this.#damaged(`${file}: ${error.message}`);
    if (isNamed(error, 'NotFoundError')) return this.#damaged(`${file} is missing`);
    return error;
  }

  #damaged(detail: string): StoreError {
    this.problem = detail;
    return damaged(this.#manifest, detail);
  }
}

function sizeProblem(size: number, expected: number): string {
  return `it has ${String(size)} bytes where ${String(expected)} belong`;
}

/** In hexadecimal digits. */
export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
