// What a place for checkpoints can do; the native host's folder and the browser's own storage are two of them. A
// checkpoint is there as a whole or not at all; a run is a folder of them, with the person's own words for it.
import type { CheckpointEntry, StoredRun, StoreName } from '../messages/state.ts';

export interface Stored {
  size: number;
  /** Milliseconds since 1970. */
  time: number;
}

/** What a person calls a run and says of it. */
export interface RunWords {
  name: string;
  note: string;
}

/** Ids are RUN/FILE.safetensors (messages/checkpoint_names.ts). */
export interface CheckpointStore {
  readonly name: StoreName;
  /** Newest first. Damaged files are listed with the reason, not hidden. */
  list: () => Promise<CheckpointEntry[]>;
  /** Throws a StoreError; then nothing of it is visible and an older file of the name stands. */
  save: (id: string, bytes: Uint8Array<ArrayBuffer>) => Promise<Stored>;
  read: (id: string) => Promise<Uint8Array<ArrayBuffer>>;
  remove: (id: string) => Promise<void>;
  runs: () => Promise<StoredRun[]>;
  describeRun: (run: string, words: RunWords) => Promise<void>;
  removeRun: (run: string) => Promise<void>;
}

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
