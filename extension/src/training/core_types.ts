// What the training asks of the core, and what the core's module looks like to it: the declarations beside core.ts.
import type { RunConfig, DatasetDescription, TrainingConfig } from '../messages/state.ts';
import type { Counters } from '../messages/commands.ts';
import type {
  CoreInfo,
  PredictReply,
  SessionFed,
  SessionRestored,
  SessionStart,
  StepReply,
  ValidateReply,
} from './core_replies.ts';
import type { EvaluateReply, PredictionTurn } from './judging_replies.ts';

/** What Emscripten's factory gives; pointers are numbers, texts end with a zero byte. */
export interface CoreModule {
  /** Made anew when the memory grows. */
  HEAPU8: Uint8Array;
  /** With threads: any of them may make it grow, and HEAPU8 stays behind. */
  wasmMemory?: WebAssembly.Memory;
  UTF8ToString: (pointer: number) => string;
  stringToUTF8: (text: string, pointer: number, maxBytes: number) => void;
  lengthBytesUTF8: (text: string) => number;
  _sg_alloc: (bytes: number) => number;
  _sg_free: (pointer: number) => void;
  _sg_describe: () => number;
  _sg_dataset_open: (json: number) => number;
  _sg_dataset_feed: (dataset: number, bytes: number, length: number) => number;
  _sg_dataset_finish: (dataset: number) => number;
  _sg_dataset_attach: (json: number) => number;
  _sg_dataset_close: (dataset: number) => number;
  _sg_import_open: (json: number) => number;
  _sg_import_part: (opened: number, name: number) => number;
  _sg_import_feed: (opened: number, bytes: number, length: number) => number;
  _sg_import_finish: (opened: number) => number;
  _sg_import_close: (opened: number) => number;
  _sg_session_create: (dataset: number, json: number) => number;
  _sg_session_race: (session: number) => number;
  _sg_session_restore: (dataset: number, bytes: number, length: number, json: number) => number;
  _sg_session_step: (session: number, maxSteps: number) => number;
  _sg_session_set_effort: (session: number, name: number) => number;
  _sg_session_next_epoch: (session: number) => number;
  _sg_session_validate: (session: number) => number;
  _sg_session_fed: (session: number) => number;
  _sg_session_predict: (session: number, first: number, count: number) => number;
  _sg_session_checkpoint: (session: number, json: number) => number;
  _sg_session_evaluate: (session: number) => number;
  _sg_prediction_open: (session: number, dataset: number) => number;
  _sg_prediction_turn: (prediction: number) => number;
  _sg_prediction_fed: (prediction: number) => number;
  _sg_prediction_close: (prediction: number) => number;
  _sg_session_counters: (session: number) => number;
  _sg_session_close: (session: number) => number;
}

export interface RestoreOptions {
  training?: TrainingConfig;
}

export interface ImportSource {
  name: string;
  size: number;
  mtime: number | null;
  /** Of the source, where what is fed are files inside it. */
  head?: string;
  tail?: string;
  /** What of the source is not fed: told as repairs. */
  leftOut: string[];
  options: object;
}

/** A shard's bytes, a copy. */
export interface ImportedShard {
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ImportFed {
  /** So far. */
  rows: number;
  shards: ImportedShard[];
}

export interface ImportFinished {
  manifest: Record<string, unknown>;
  shards: ImportedShard[];
}

export interface AttachedDataset {
  dataset: number;
  description: DatasetDescription;
}

/** The calls that the training makes; tests put a fake in its place. */
export interface Core {
  describe: () => CoreInfo;
  /** `source` is what tells the file from another one: checkpoints keep it. */
  datasetOpen: (options: { name: string; source?: object } & Record<string, unknown>) => number;
  /** Rows so far. */
  datasetFeed: (dataset: number, bytes: Uint8Array) => number;
  datasetFinish: (dataset: number) => DatasetDescription;
  /** A data set whose values lie in shards: its sessions ask for the rows that they need. */
  datasetAttach: (manifest: object) => AttachedDataset;
  datasetClose: (dataset: number) => void;
  importOpen: (source: ImportSource) => number;
  /** The next file of a source; one that is a plain file has one part. */
  importPart: (opened: number, name: string) => void;
  importFeed: (opened: number, bytes: Uint8Array) => ImportFed;
  importFinish: (opened: number) => ImportFinished;
  importClose: (opened: number) => void;
  /** Where the device is left open it may begin with a race. */
  sessionCreate: (dataset: number, config: RunConfig) => SessionStart;
  /** A turn of the race. */
  sessionRace: (session: number) => SessionStart;
  sessionRestore: (dataset: number, bytes: Uint8Array, options: RestoreOptions) => SessionRestored;
  /** With maxSteps 0 it only takes the losses that have arrived. */
  sessionStep: (session: number, maxSteps: number) => StepReply;
  sessionSetEffort: (session: number, effort: string) => StepReply;
  /** Leaves an epoch that is done. */
  sessionNextEpoch: (session: number) => StepReply;
  sessionValidate: (session: number) => ValidateReply;
  /** The rows that were needed lie where they belong. */
  sessionFed: (session: number) => SessionFed;
  sessionPredict: (session: number, first: number, count: number) => PredictReply;
  /** The checkpoint's bytes, a copy; refused while losses are pending. */
  sessionCheckpoint: (session: number, history: unknown) => Uint8Array<ArrayBuffer>;
  /** A turn of its evaluation. */
  sessionEvaluate: (session: number) => EvaluateReply;
  /** Predictions of a data set's rows, to be taken turn by turn. */
  predictionOpen: (session: number, dataset: number) => number;
  predictionTurn: (prediction: number) => PredictionTurn;
  predictionFed: (prediction: number) => PredictionTurn;
  predictionClose: (prediction: number) => void;
  sessionCounters: (session: number) => Counters;
  sessionClose: (session: number) => void;
  /** The module's bytes as they lie now: any call may move them. */
  memory: () => Uint8Array;
}
