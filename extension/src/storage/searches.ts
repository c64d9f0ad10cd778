// Remembers the newest search beyond the end of the browser, so that it can go on. It is a convenience as the last run is:
// when it cannot be read or written, its runs are in their store all the same.
import { search } from '../messages/search.ts';
import type { Search } from '../messages/search.ts';
import { readWhole, writeWhole } from './files.ts';

const FOLDER = 'runs';
const FILE = 'search.json';

export class Searches {
  readonly #root: () => Promise<FileSystemDirectoryHandle>;

  constructor(root: () => Promise<FileSystemDirectoryHandle>) {
    this.#root = root;
  }

  /** Null when there is none that can be read. */
  async last(): Promise<Search | null> {
    try {
      const bytes = await readWhole(await this.#folder(), FILE);
      return search(JSON.parse(new TextDecoder().decode(bytes)), 'search');
    } catch {
      return null;
    }
  }

  async remember(current: Search): Promise<void> {
    try {
      const text = JSON.stringify(current);
      await writeWhole(await this.#folder(), FILE, new TextEncoder().encode(text));
    } catch {
      // The search goes on; only after the browser's end it could not.
    }
  }

  async forget(): Promise<void> {
    try {
      await (await this.#folder()).removeEntry(FILE);
    } catch {
      // There is none.
    }
  }

  async #folder(): Promise<FileSystemDirectoryHandle> {
    return (await this.#root()).getDirectoryHandle(FOLDER, { create: true });
  }
}
