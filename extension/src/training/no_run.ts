// What is known of a run that is not there: the part of a snapshot that speaks of a run, empty, and how far a run got that
// is a file.
import { emptyHistory } from '../messages/state.ts';
import type { RunState } from '../messages/state.ts';
import { headerSize, readMetadata, summaryOf } from '../storage/summary.ts';
import type { Summary } from '../storage/summary.ts';
import { TrainingError } from './errors.ts';

/** What a snapshot holds of a run, without one. */
export const NO_RUN = {
  reading: null,
  firstRows: null,
  run: null,
  candidate: false,
  outcome: null,
  failure: null,
  config: null,
  preparing: null,
  device: null,
  choice: null,
  parameters: null,
  windows: null,
  progress: null,
  best: null,
  baselines: null,
  predictions: null,
  get history() {
    return emptyHistory();
  },
} satisfies Partial<RunState>;

/** What a checkpoint says of itself. */
export function summaryIn(bytes: Uint8Array, id: string): Summary {
  try {
    const header = bytes.subarray(0, headerSize(bytes, bytes.length));
    return summaryOf(readMetadata(header, bytes.length));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TrainingError('checkpoint.corrupt', `${id} is not a whole checkpoint: ${reason}.`);
  }
}
