// What a page may ask of the training worker: one table with, for each command, the check of its fields. A request is
// {kind: 'request', id, command: {type, ...fields}}; each gets one reply {kind: 'reply', id, ok: true, result} or
// {kind: 'reply', id, ok: false, code, message}. Everything on the channel is unknown until checked here.
import type {
  CheckpointEntry,
  DatasetDescription,
  DeviceChoice,
  DeviceName,
  History,
  ImportedDataset,
  Predictions,
  RunConfig,
  RunState,
  StoreName,
} from './state.ts';
import { checkCheckpoint, checkRun, RUN_NAME_LENGTH, RUN_NOTE_LENGTH } from './checkpoint_names.ts';
import type { Evaluation, NewPredictions } from './evaluation.ts';
import { runConfig } from './run_config.ts';
import { MOST_RANGES, MOST_TRIALS, searchRange } from './search.ts';
import type { Search } from './search.ts';
import type { Trial } from './trial.ts';
import * as v from './validate.ts';

/** The BroadcastChannel between pages and the training worker. */
export const CHANNEL = 'shadegrad';

const path = v.text(4096);
const store = v.oneOf('host', 'browser');
const device = v.oneOf('auto', 'cpu', 'webgl');
const epochs = v.integer(1);

/** Of one data set: pictures of a folder. */
const MOST_FILES = 200_000;
const MOST_ARRAYS = 1000;

/** Of an archive: those that become the table; without it, those that stand side by side. */
const arrays = v.list(v.text(1000, 1), MOST_ARRAYS, 1);

const source = v.variant('kind', {
  file: v.object({ kind: v.oneOf('file'), file: v.instance(File, 'File') }, { arrays }),
  // Several files that belong together: arrays, or a folder of pictures. A File forgets its folder on the way.
  files: v.object(
    {
      kind: v.oneOf('files'),
      name: v.text(1000, 1),
      files: v.list(
        v.object({ path: v.text(4096, 1), file: v.instance(File, 'File') }),
        MOST_FILES,
        1,
      ),
    },
    { arrays },
  ),
  host: v.object({ kind: v.oneOf('host'), path: v.text(4096, 1) }, { arrays }),
  example: v.object({ kind: v.oneOf('example'), name: v.text(100, 1) }),
  imported: v.object({ kind: v.oneOf('imported'), id: v.text(100, 1) }),
});

export type DataSource = v.Checked<typeof source>;

const none = v.object({});

/** One row a command; a new command is a row here, a row of `Results` and a row of the worker's handlers. */
export const COMMANDS = {
  'state.get': none,
  'dataset.open': v.object({ source }),
  'dataset.close': none,
  // Other arrays of the archive that is open take the place of those that were read.
  'dataset.arrays': v.object({ arrays }),
  'import.list': none,
  'import.remove': v.object({ id: v.text(100, 1) }),
  // Removes what RunState.shortage offers and goes on with the import that lacked the room.
  'import.makeRoom': none,
  'import.giveUp': none,
  'run.start': v.object({ config: runConfig }),
  // A few steps of it, thrown away: what the run would take. None while a run is under way.
  'run.trial': v.object({ config: runConfig }),
  'trial.stop': none,
  // Several runs one after the other: the configuration with other values in the ranges.
  'search.start': v.object({
    config: runConfig,
    ranges: v.list(searchRange, MOST_RANGES, 1),
    trials: v.integer(2, MOST_TRIALS),
  }),
  'search.stop': none,
  // One that was stopped or cut off.
  'search.continue': none,
  // Its runs stay.
  'search.forget': none,
  'run.pause': none,
  'run.resume': none,
  'run.stop': none,
  // One of the choices of the core's field training.effort, for the run that is under way.
  'run.effort': v.object({ effort: v.text(100, 1) }),
  'checkpoint.save': v.object({}, { store }),
  'checkpoint.list': none,
  // `epochs` more than the checkpoint has finished; without it, to the end of its own plan.
  'checkpoint.resume': v.object({ store, id: checkCheckpoint }, { epochs, device }),
  'checkpoint.remove': v.object({ store, id: checkCheckpoint }),
  'checkpoint.fetch': v.object({ store, id: checkCheckpoint }),
  'run.describe': v.object({
    store,
    run: checkRun,
    name: v.text(RUN_NAME_LENGTH),
    note: v.text(RUN_NOTE_LENGTH),
  }),
  // All of a run that is not under way.
  'run.remove': v.object({ store, run: checkRun }),
  'run.inspect': v.object({ store, run: checkRun }),
  // A whole run as one file, and back.
  'run.export': v.object({ store, run: checkRun }),
  'run.import': v.object({ file: v.instance(File, 'File') }),
  // What the form of the next run is filled with, in place of what the page proposes; null: nothing any more.
  'config.offer': v.object({ config: v.nullable(runConfig) }),
  'predictions.get': v.object({ first: v.integer(0), count: v.integer(1, 4096) }),
  // Of a run that makes no steps right now.
  'evaluation.get': none,
  // Another file, whose rows the run's model predicts.
  'predictions.make': v.object({ source }),
  'host.connect': none,
  'host.list': v.object({}, { path }),
  // Shows the desktop's own file chooser; what the person picks there is granted to the host.
  'dialog.open': v.object({ kind: v.oneOf('folder', 'file') }),
  'dialog.close': none,
  'counters.get': none,
  'notice.dismiss': v.object({ code: v.text(100, 1) }),
} satisfies Record<string, v.Check<object>>;

export type CommandType = keyof typeof COMMANDS;
export type CommandFields<T extends CommandType> = v.Checked<(typeof COMMANDS)[T]>;
/** {type: 'run.start', config: ...} and so on, a discriminated union. */
export type Command = { [T in CommandType]: { type: T } & CommandFields<T> }[CommandType];
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

export interface RunStarted {
  config: RunConfig;
  device: DeviceName;
  choice: DeviceChoice;
  parameters: number;
}

export interface HostEntry {
  name: string;
  /** What dataset.open and host.list take. */
  path: string;
  kind: 'folder' | 'file';
  size: number | null;
  /** Milliseconds since 1970. */
  modified: number | null;
}

export interface Counters {
  device: DeviceName;
  kernels: number;
  draws: number;
  allocations: number;
  liveBuffers: number;
  liveBytes: number;
  /** Of the rows that lie in the core's memory, and of their windows. */
  dataBytes: number;
  /** Those that work on a kernel of the cpu device. */
  threads: number;
  /** Whether the cpu device has fused multiply-adds. */
  fused: boolean;
}

/** A stored run: what it was trained with, and its curves. */
export interface RunInspected extends Pick<History, 'steps' | 'losses' | 'epochs'> {
  config: RunConfig;
}

export type Nothing = Record<string, never>;

/** What a reply's `result` is. */
export interface Results {
  'state.get': RunState;
  'dataset.open': { description: DatasetDescription };
  'dataset.close': Nothing;
  'dataset.arrays': { description: DatasetDescription };
  'import.list': { imports: ImportedDataset[] };
  'import.remove': Nothing;
  'import.makeRoom': { description: DatasetDescription };
  'import.giveUp': Nothing;
  'run.start': RunStarted;
  'run.trial': Trial;
  'trial.stop': Nothing;
  'search.start': Search;
  'search.stop': Nothing;
  'search.continue': Search;
  'search.forget': Nothing;
  'run.pause': Nothing;
  'run.resume': Nothing;
  'run.stop': Nothing;
  'run.effort': Nothing;
  'checkpoint.save': CheckpointEntry;
  'checkpoint.list': { checkpoints: CheckpointEntry[] };
  'checkpoint.resume': RunStarted;
  'checkpoint.remove': Nothing;
  'checkpoint.fetch': { name: string; blob: Blob };
  'run.describe': Nothing;
  'run.remove': Nothing;
  'run.inspect': RunInspected;
  'run.export': { name: string; blob: Blob };
  'run.import': { store: StoreName; run: string };
  'config.offer': Nothing;
  'predictions.get': Predictions;
  'evaluation.get': Evaluation;
  'predictions.make': NewPredictions;
  'host.connect': RunState['host'];
  'host.list': { path: string; entries: HostEntry[] };
  /** The name of what was granted, or null when the person picked nothing. */
  'dialog.open': { granted: string | null };
  'dialog.close': Nothing;
  'counters.get': Counters;
  'notice.dismiss': Nothing;
}

export interface Request {
  kind: 'request';
  id: string;
  command: Command;
}

export type Reply =
  | { kind: 'reply'; id: string; ok: true; result: unknown }
  | { kind: 'reply'; id: string; ok: false; code: string; message: string };

const commandCheck = v.variant('type', COMMANDS);

export function checkCommand(value: unknown): Command {
  return commandCheck(value, 'command') as Command;
}

/** The id of a request, or null when the value is none: only then is there nobody to answer. */
export function requestId(value: unknown): string | null {
  if (!v.isRecord(value) || value['kind'] !== 'request') return null;
  const id = value['id'];
  return typeof id === 'string' && id.length > 0 && id.length <= 100 ? id : null;
}

export function checkReply(value: unknown): Reply | null {
  if (!v.isRecord(value) || value['kind'] !== 'reply' || typeof value['id'] !== 'string')
    return null;
  const { id } = value;
  if (value['ok'] === true) return { kind: 'reply', id, ok: true, result: value['result'] };
  const message =
    typeof value['message'] === 'string' ? value['message'] : 'The training worker gave no reason.';
  const code = typeof value['code'] === 'string' ? value['code'] : 'reply.invalid';
  return { kind: 'reply', id, ok: false, code, message };
}
