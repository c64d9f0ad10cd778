// The one snapshot that pages show. The training worker owns it and posts it whole when anything but progress
// changes; progress and new losses follow as increments that `applyProgress` adds. `revision` grows by one with each
// message, so that a page that missed one notices and asks for the whole again.
import type {
  ArrayInfo,
  DatasetDescription,
  FirstRows,
  ImportedDataset,
  ReadingProgress,
  Shortage,
  SourceInfo,
} from './data.ts';
import { noHost } from './host_status.ts';
import type { HostStatus } from './host_status.ts';

import type { CheckpointEntry, StoredRun, StoreName } from './stored.ts';
import type { Search } from './search.ts';
import type { Trial } from './trial.ts';

export type * from './data.ts';
export type * from './stored.ts';

export type Phase =
  | 'empty'
  | 'reading'
  | 'ready'
  | 'preparing'
  | 'training'
  | 'paused'
  | 'validating'
  | 'finished'
  | 'failed';

export type DeviceName = 'cpu' | 'webgl';

/** What the race for the device has measured of one. */
export interface DeviceTiming {
  /** Milliseconds a step; 0 when not even one was finished. */
  ms: number;
  /** Steps that were timed; 0 when it did not finish two in its time, and `ms` is an estimate. */
  steps: number;
  /** What the first step took beyond that. */
  preparingMs: number;
}

/** How a run came to its device; `detail` is the graphics card's name, or why there is none. */
export interface DeviceChoice {
  device: DeviceName;
  how: 'raced' | 'forced' | 'no_gpu' | 'software' | 'resumed' | 'moved' | 'lost';
  detail: string;
  cpu: DeviceTiming | null;
  webgl: DeviceTiming | null;
}

/** What happens before a run's first step, and how much of it is done. */
export interface Preparing {
  what: 'race' | 'programs' | 'rows';
  done: number;
  total: number;
}
export type FieldValue = number | boolean | string;

export interface ModelConfig {
  name: string;
  [field: string]: FieldValue;
}

/** The core names the other fields, their limits and their defaults: see SettingField. */
export interface DataConfig {
  features: string[];
  target: string;
  [setting: string]: FieldValue | string[];
}

export type TrainingConfig = Record<string, FieldValue>;

/** What a person chose; fields left out take the core's defaults, and `RunState.config` has them filled in. */
export interface RunConfig {
  model: ModelConfig;
  data: DataConfig;
  training: TrainingConfig;
}

export interface Progress {
  step: number;
  /** Finished epochs. */
  epoch: number;
  epochs: number;
  stepInEpoch: number;
  stepsPerEpoch: number;
  stepsPerSecond: number | null;
  secondsLeft: number | null;
  /** Mean over the epoch so far. */
  trainLoss: number | null;
  learningRate: number | null;
  gradientNorm: number | null;
  /** Most bytes of the device's memory that the run has had. */
  peakBytes: number | null;
  /** Of the core's own memory, data and all: it grows and never shrinks. */
  heapBytes: number | null;
}

export interface EpochSummary {
  /** Counts from 1. */
  epoch: number;
  trainLoss: number | null;
  validationLoss: number | null;
  stepsPerSecond: number | null;
  /** Errors of the validation part in the data's own units. */
  mae: number | null;
  rmse: number | null;
  /** Of a regression: the explained part of the validation rows' variance. */
  r2: number | null;
  /** Of a classification: the part of the validation rows that it is right about. */
  accuracy: number | null;
}

/** Losses by step, thinned to at most `HISTORY_POINTS` by averaging neighbours; `stride` steps make one point. */
export interface History {
  steps: number[];
  losses: number[];
  stride: number;
  pendingCount: number;
  pendingSum: number;
  epochs: EpochSummary[];
}

/** Validation losses of the forecasts that need no training, on the same scale as validationLoss. */
export interface Baselines {
  naive: number;
  /** Null when no season was given or found. */
  seasonalNaive: number | null;
  /** Rows in a season; 0 for none. */
  season: number;
}

/** Forecasts of validation windows in the data's own units: truth[i][h] and forecast[i][h] for horizon h. */
export interface Predictions {
  first: number;
  count: number;
  total: number;
  horizon: number;
  /** Row of the data set of each window's first forecast value. */
  rows: number[];
  truth: number[][];
  forecast: number[][];
}

export type NoticeLevel = 'info' | 'warning' | 'error';

export interface Notice {
  level: NoticeLevel;
  code: string;
  message: string;
  /** Milliseconds since 1970. */
  time: number;
}

export interface ModelField {
  name: string;
  type: 'int' | 'float' | 'bool' | 'choice';
  default: FieldValue;
  min: number | null;
  max: number | null;
  /** What a choice may be; empty for other types. */
  choices: string[];
  help: string;
}

/** What a model is for: series of numbers, pictures, text or rows of a table. */
export type Task = 'forecast' | 'image' | 'text' | 'table';

export interface ModelDescription {
  name: string;
  /** For people. */
  label: string;
  task: Task;
  help: string;
  fields: ModelField[];
}

/** A field of `data` or `training`, as the core describes it: forms are made from these. */
export interface SettingField {
  group: 'data' | 'training';
  name: string;
  type: 'int' | 'float' | 'bool' | 'choice' | 'text' | 'texts';
  label: string;
  help: string;
  /** Shown at once, folded away, or no plain control. */
  place: 'front' | 'more' | 'elsewhere';
  default: FieldValue | string[];
  min: number | null;
  max: number | null;
  /** A disabled one is not to be had on this machine. */
  choices: { value: string; label: string; disabled?: boolean }[];
  /** It matters while another choice is one of these, and may have a default of its own for some of them. */
  when: { field: string; is: string[]; initial: Record<string, number> } | null;
}

export interface WebglInfo {
  renderer: string;
  software: boolean;
}

export interface Failure {
  code: string;
  message: string;
}

/** The newest run of an earlier browser session, offered for resuming. */
export interface LastRun {
  source: SourceInfo;
  checkpoint: { store: StoreName; id: string };
  step: number;
  epoch: number;
  epochs: number;
  loss: number | null;
  device: DeviceName | null;
  time: number;
  /** Whether it was still under way when this was written. */
  interrupted: boolean;
}

export interface RunState {
  revision: number;
  phase: Phase;
  /** Its name, which is also that of its folder of checkpoints. */
  run: string | null;
  /** How the run in phase 'finished' ended. */
  outcome: 'completed' | 'stopped' | null;
  failure: Failure | null;
  source: SourceInfo | null;
  /** While phase is 'reading'. */
  reading: ReadingProgress | null;
  /** While phase is 'reading', once they are known. */
  firstRows: FirstRows | null;
  description: DatasetDescription | null;
  /** Of the archive that was opened; empty where it is none, or only its import is known. */
  arrays: ArrayInfo[];
  config: RunConfig | null;
  /** From a link or another run, to begin the next one with. */
  offered: RunConfig | null;
  /** Of configurations on this data, the newest last. */
  trials: Trial[];
  /** The newest one, of this session or an earlier one. */
  search: Search | null;
  /** Whether the run is one of the search's. */
  candidate: boolean;
  /** Before the first step, while there is something to prepare. */
  preparing: Preparing | null;
  device: DeviceName | null;
  choice: DeviceChoice | null;
  parameters: number | null;
  windows: { train: number; validation: number; skipped: number } | null;
  progress: Progress | null;
  history: History;
  /** Where the run keeps its best weights: the epoch that had them. A completed run ends with them. */
  best: { epoch: number; loss: number } | null;
  baselines: Baselines | null;
  predictions: Predictions | null;
  notices: Notice[];
  host: HostStatus;
  checkpoints: CheckpointEntry[];
  /** What was used last comes first. */
  imports: ImportedDataset[];
  /** Bytes that the browser gives beside these; null where it does not say. */
  importsFree: number | null;
  shortage: Shortage | null;
  runs: StoredRun[];
  models: ModelDescription[];
  settings: SettingField[];
  webgl: WebglInfo | null;
  /** Why there is no graphics card to use. */
  webglReason: string;
  lastRun: LastRun | null;
}

export const HISTORY_POINTS = 2000;
export const NOTICE_LIMIT = 20;

/** Phases in which a run occupies the worker and another run.start is refused. */
export function isActive(phase: Phase): boolean {
  return (
    phase === 'preparing' || phase === 'training' || phase === 'paused' || phase === 'validating'
  );
}

/** The epoch whose weights a run has ended with, where that is the best one and not the last. */
export function keptBest({
  best,
  phase,
  outcome,
}: Pick<RunState, 'best' | 'phase' | 'outcome'>): RunState['best'] {
  return phase === 'finished' && outcome === 'completed' ? best : null;
}

export function emptyHistory(): History {
  return { steps: [], losses: [], stride: 1, pendingCount: 0, pendingSum: 0, epochs: [] };
}

export function emptyState(): RunState {
  return {
    revision: 0,
    phase: 'empty',
    run: null,
    outcome: null,
    failure: null,
    source: null,
    reading: null,
    firstRows: null,
    description: null,
    arrays: [],
    config: null,
    offered: null,
    trials: [],
    search: null,
    candidate: false,
    preparing: null,
    device: null,
    choice: null,
    parameters: null,
    windows: null,
    progress: null,
    history: emptyHistory(),
    best: null,
    baselines: null,
    predictions: null,
    notices: [],
    host: noHost(),
    checkpoints: [],
    imports: [],
    importsFree: null,
    shortage: null,
    runs: [],
    models: [],
    settings: [],
    webgl: null,
    webglReason: '',
    lastRun: null,
  };
}

/** The newest notice of a code takes the place of the older one. */
export function addNotice(notices: readonly Notice[], notice: Notice): Notice[] {
  return [...notices.filter(({ code }) => code !== notice.code), notice].slice(-NOTICE_LIMIT);
}

/** Adds losses in place; worker and pages run the same code, so their histories stay equal. */
export function appendLosses(
  history: History,
  points: readonly (readonly [number, number])[],
): void {
  for (const [step, loss] of points) {
    history.pendingSum += loss;
    history.pendingCount += 1;
    if (history.pendingCount < history.stride) continue;
    history.steps.push(step);
    history.losses.push(history.pendingSum / history.pendingCount);
    history.pendingSum = 0;
    history.pendingCount = 0;
    if (history.steps.length >= HISTORY_POINTS) halve(history);
  }
}

/** Every two neighbours become their mean at the later step. */
function halve(history: History): void {
  const pairs = Math.floor(history.steps.length / 2);
  for (let i = 0; i < pairs; i += 1) {
    history.steps[i] = history.steps[2 * i + 1] ?? 0;
    history.losses[i] = ((history.losses[2 * i] ?? 0) + (history.losses[2 * i + 1] ?? 0)) / 2;
  }
  history.steps.length = pairs;
  history.losses.length = pairs;
  history.stride *= 2;
}
