// The browser's own storage in memory, as far as the extension uses it, with a quota that a test sets.

export class FakeFolder {
  readonly kind = 'directory';
  readonly name: string;
  readonly files = new Map<string, FakeFile>();
  readonly folders = new Map<string, FakeFolder>();
  /** Bytes that may still be written; shared by all below the root. */
  readonly disk: { free: number };

  constructor(disk: { free: number } = { free: Infinity }, name = '') {
    this.disk = disk;
    this.name = name;
  }

  async getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<FakeFolder> {
    let folder = this.folders.get(name);
    if (folder === undefined) {
      if (options?.create !== true) throw new DOMException(name, 'NotFoundError');
      folder = new FakeFolder(this.disk, name);
      this.folders.set(name, folder);
    }
    return folder;
  }

  async getFileHandle(name: string, options?: { create?: boolean }): Promise<FakeFile> {
    let file = this.files.get(name);
    if (file === undefined) {
      if (options?.create !== true) throw new DOMException(name, 'NotFoundError');
      file = new FakeFile(this, name);
      this.files.set(name, file);
    }
    return file;
  }

  async removeEntry(name: string, { recursive = false } = {}): Promise<void> {
    const folder = this.folders.get(name);
    if (folder !== undefined) {
      if (!recursive && folder.files.size + folder.folders.size > 0)
        throw new DOMException(name, 'InvalidModificationError');
      this.disk.free += folder.size;
      this.folders.delete(name);
      return;
    }
    const file = this.files.get(name);
    if (file === undefined) throw new DOMException(name, 'NotFoundError');
    this.disk.free += file.bytes.length;
    this.files.delete(name);
  }

  /** Bytes of its files. */
  get size(): number {
    return [...this.files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  async *keys(): AsyncGenerator<string> {
    yield* [...this.files.keys(), ...this.folders.keys()];
  }

  async *entries(): AsyncGenerator<[string, FakeFile | FakeFolder]> {
    yield* [...this.files.entries(), ...this.folders.entries()];
  }

  /** What another browser would find that is started when this one ends now. */
  copy(disk = { ...this.disk }): FakeFolder {
    const copied = new FakeFolder(disk, this.name);
    for (const [name, folder] of this.folders) copied.folders.set(name, folder.copy(disk));
    for (const [name, { bytes, lastModified }] of this.files) {
      const file = new FakeFile(copied, name);
      Object.assign(file, { bytes: bytes.slice(), lastModified });
      copied.files.set(name, file);
    }
    return copied;
  }

  asHandle(): FileSystemDirectoryHandle {
    return this as unknown as FileSystemDirectoryHandle;
  }
}

export class FakeFile {
  readonly kind = 'file';
  name: string;
  bytes = new Uint8Array(0);
  lastModified = 1000;
  /** How often its bytes were read. */
  reads = 0;
  readonly #folder: FakeFolder;

  constructor(folder: FakeFolder, name: string) {
    this.#folder = folder;
    this.name = name;
  }

  async getFile(): Promise<File> {
    return new File([this.bytes], this.name, { lastModified: this.lastModified });
  }

  async move(name: string): Promise<void> {
    const replaced = this.#folder.files.get(name);
    this.#folder.disk.free += replaced?.bytes.length ?? 0;
    this.#folder.files.delete(this.name);
    this.name = name;
    this.lastModified = Date.now();
    this.#folder.files.set(name, this);
  }

  async createSyncAccessHandle(): Promise<unknown> {
    const { disk } = this.#folder;
    return {
      getSize: () => this.bytes.length,
      truncate: (size: number) => {
        this.bytes = this.bytes.slice(0, size);
      },
      read: (into: Uint8Array, { at }: { at: number }) => {
        this.reads += 1;
        const count = shareOf(Math.min(into.length, Math.max(0, this.bytes.length - at)));
        into.set(this.bytes.subarray(at, at + count));
        return count;
      },
      write: (part: Uint8Array, { at }: { at: number }) => {
        const count = shareOf(part.length);
        if (disk.free < count) throw new DOMException('No space.', 'QuotaExceededError');
        disk.free -= count;
        const grown = new Uint8Array(Math.max(this.bytes.length, at + count));
        grown.set(this.bytes);
        grown.set(part.subarray(0, count), at);
        this.bytes = grown;
        return count;
      },
      flush: () => undefined,
      close: () => undefined,
    };
  }
}

/** Half of what is asked, as a real handle may do. */
function shareOf(count: number): number {
  return Math.min(count, Math.max(1, Math.ceil(count / 2)));
}
