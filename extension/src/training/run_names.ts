// Names of runs and of their checkpoints' files. A run's name is its model, its time and 41 random bits, so that no two
// runs share a folder, whichever browsers they are in.
import { runOf } from '../messages/checkpoint_names.ts';
import { lastOf } from '../messages/runs.ts';
import type { CheckpointEntry } from '../messages/state.ts';

const RANDOM_DIGITS = 8;
const AUTOMATIC = /^auto-\d+\.safetensors$/;

export function runName(model: string, time: Date): string {
  const clean = model.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 38);
  const stamp = time.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${clean === '' ? 'run' : clean}-${stamp}-${randomDigits()}`;
}

/** Without capitals: not every file system tells them apart. */
function randomDigits(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  const value = (BigInt(high) << 32n) | BigInt(low);
  return (value % 36n ** BigInt(RANDOM_DIGITS)).toString(36).padStart(RANDOM_DIGITS, '0');
}

/** A checkpoint that nobody asked for may be removed when newer ones are there; it says so in its name. */
export function checkpointId(run: string, step: number, asked: boolean): string {
  return `${run}/${asked ? 'step' : 'auto'}-${String(step)}.safetensors`;
}

export function isAutomatic(id: string): boolean {
  return AUTOMATIC.test(id.slice(runOf(id).length + 1));
}

/** The run of a checkpoint, while that is its last: from an earlier one, another run goes on beside it (null). */
export function runToGoOn(id: string, checkpoints: readonly CheckpointEntry[]): string | null {
  const run = runOf(id);
  const last = lastOf(checkpoints.filter((entry) => runOf(entry.id) === run));
  const step = checkpoints.find((entry) => entry.id === id)?.step ?? null;
  return last === null || step === null || step >= (last.step ?? 0) ? run : null;
}
