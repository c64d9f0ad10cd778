// The names of runs and of their checkpoints, by the rules of native_host/PROTOCOL.md ("Checkpoints"): a folder a run,
// and a checkpoint is RUN/FILE.safetensors, in either store.
import * as v from './validate.ts';

const PLAIN = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;
/** Windows takes these for devices, whatever follows after a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const ENDING = '.safetensors';
export const RUN_LENGTH = 64;
const FILE_LENGTH = 100;
/** Of what a person calls a run, and says of it: below the host's bounds in bytes. */
export const RUN_NAME_LENGTH = 100;
export const RUN_NOTE_LENGTH = 2000;

function isPlain(name: string): boolean {
  return PLAIN.test(name) && !DEVICE.test(name);
}

export function isRun(name: string): boolean {
  return name.length <= RUN_LENGTH && isPlain(name);
}

export function isCheckpointFile(name: string): boolean {
  return (
    name.length <= FILE_LENGTH &&
    name.length > ENDING.length &&
    name.endsWith(ENDING) &&
    isPlain(name)
  );
}

/** The parts of a checkpoint's id; null when it is none. */
export function partsOf(id: string): { run: string; file: string } | null {
  const slash = id.indexOf('/');
  const [run, file] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)];
  return isRun(run) && isCheckpointFile(file) ? { run, file } : null;
}

export function runOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

export const checkRun: v.Check<string> = (value, where) => {
  const name = v.text(RUN_LENGTH, 1)(value, where);
  if (isRun(name)) return name;
  throw new v.MessageError(
    `${where} must be a run's name: letters, digits, '.', '_' and '-', no dot at its ends.`,
  );
};

export const checkCheckpoint: v.Check<string> = (value, where) => {
  const id = v.text(RUN_LENGTH + 1 + FILE_LENGTH, 1)(value, where);
  if (partsOf(id) !== null) return id;
  throw new v.MessageError(
    `${where} must be a checkpoint's name, RUN/FILE.safetensors, each of letters, digits, '.', '_' and '-'.`,
  );
};
