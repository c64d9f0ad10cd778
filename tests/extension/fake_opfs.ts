// The browser's own storage in memory, as far as the extension uses it, with a quota that a test sets.

export class FakeFolder {
  readonly kind = 'directory';
  readonly files = new Map<string, FakeFile>();
  readonly folders = new Map<string, FakeFolder>();
  /** Bytes that may still be written; shared by all below the root. */
  readonly disk: { free: number };

  constructor(disk: { free: number } = { free: Infinity }) {
    this.disk = disk;
  }

  async getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<FakeFolder> {
    let folder = this.folders.get(name);
    if (folder === undefined) {
      if (options?.create !== true) throw new DOMException(name, 'NotFoundError');
      folder = new FakeFolder(this.disk);
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

  async removeEntry(name: string): Promise<void> {
    if (!this.files.delete(name)) throw new DOMException(name, 'NotFoundError');
  }

  async *keys(): AsyncGenerator<string> {
    yield* [...this.files.keys()];
  }

  async *entries(): AsyncGenerator<[string, FakeFile]> {
    yield* [...this.files.entries()];
  }

  asHandle(): FileSystemDirectoryHandle {
    return this as unknown as FileSystemDirectoryHandle;
  }
}

export class FakeFile {
  readonly kind = 'file';
  name: string;
  bytes = new Uint8Array(0);
  readonly #folder: FakeFolder;

  constructor(folder: FakeFolder, name: string) {
    this.#folder = folder;
    this.name = name;
  }

  async getFile(): Promise<File> {
    return new File([this.bytes], this.name, { lastModified: 1000 });
  }

  async move(name: string): Promise<void> {
    this.#folder.files.delete(this.name);
    this.name = name;
    this.#folder.files.set(name, this);
  }

  async createSyncAccessHandle(): Promise<unknown> {
    const { disk } = this.#folder;
    return {
      truncate: (size: number) => {
        this.bytes = this.bytes.slice(0, size);
      },
      write: (part: Uint8Array, { at }: { at: number }) => {
        // Half of what is asked at most, as a real handle may do.
        const count = Math.min(part.length, Math.max(1, Math.ceil(part.length / 2)));
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
