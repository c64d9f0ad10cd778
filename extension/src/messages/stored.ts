// What lies in the two stores: checkpoints, and the runs that they belong to.
import type { DeviceName } from './state.ts';

export type StoreName = 'host' | 'browser';

/** What a checkpoint says of the data that it was trained on. */
export interface TrainedOn {
  name: string;
  rows: number | null;
  /** Bytes of the file. */
  size: number | null;
}

export interface CheckpointEntry {
  /** RUN/FILE.safetensors */
  id: string;
  store: StoreName;
  size: number;
  /** Milliseconds since 1970. */
  time: number;
  step: number | null;
  epoch: number | null;
  /** Validation loss after the last finished epoch, where the store knows it. */
  loss: number | null;
  /** What it was trained on, where the store knows it. */
  device: DeviceName | null;
  data: TrainedOn | null;
  /** False when the file is not a whole checkpoint; `reason` says why. */
  ok: boolean;
  reason: string | null;
}

/** A run's folder in a store, with the person's own words for it. */
export interface StoredRun {
  store: StoreName;
  run: string;
  name: string;
  note: string;
  /** Why its folder, or its name and note, cannot be read. */
  reason: string | null;
}
