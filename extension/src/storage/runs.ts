// Remembers the newest run beyond the end of the browser, so that it can be offered for resuming. It is a convenience:
// when it cannot be read or written, nothing else suffers.
import { sourceInfo } from '../messages/data.ts';
import type { LastRun } from '../messages/state.ts';
import * as v from '../messages/validate.ts';
import { checkCheckpoint } from '../messages/checkpoint_names.ts';
import { readWhole, writeWhole } from './files.ts';

const FOLDER = 'runs';
const FILE = 'last.json';

const lastRun: v.Check<LastRun> = v.object({
  source: sourceInfo,
  checkpoint: v.object({ store: v.oneOf('host', 'browser'), id: checkCheckpoint }),
  step: v.integer(0),
  epoch: v.integer(0),
  epochs: v.integer(0),
  loss: v.nullable(v.number()),
  device: v.nullable(v.oneOf('cpu', 'webgl')),
  time: v.number(),
  interrupted: v.withDefault(v.boolean, false),
});

export class Runs {
  readonly #root: () => Promise<FileSystemDirectoryHandle>;

  constructor(root: () => Promise<FileSystemDirectoryHandle>) {
    this.#root = root;
  }

  /** Null when there is none that can be read. */
  async last(): Promise<LastRun | null> {
    try {
      const bytes = await readWhole(await this.#folder(), FILE);
      return lastRun(JSON.parse(new TextDecoder().decode(bytes)), 'last run');
    } catch {
      return null;
    }
  }

  async remember(run: LastRun): Promise<void> {
    try {
      await writeWhole(await this.#folder(), FILE, new TextEncoder().encode(JSON.stringify(run)));
    } catch {
      // The checkpoint itself is safe and listed; only the offer to resume it is missing.
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
