// Checks of the core's JSON replies and their translation into what pages show. The core is ours, but it is another
// program in another language: a reply that does not fit is a named error, not an undefined somewhere later.
import type {
  Baselines,
  DeviceChoice,
  DeviceName,
  ModelDescription,
  Predictions,
  Preparing,
  RunConfig,
  SettingField,
  WebglInfo,
} from '../messages/state.ts';
import type { Counters } from '../messages/commands.ts';
import { MOST_COLUMNS } from '../messages/data.ts';
import * as v from '../messages/validate.ts';

const count = v.integer(0);
const loss = v.nullable(v.anyNumber);
const device: v.Check<DeviceName> = v.oneOf('cpu', 'webgl');

const model: v.Check<ModelDescription> = v.object({
  name: v.text(100, 1),
  label: v.text(100, 1),
  task: v.oneOf('forecast', 'image', 'text', 'table'),
  help: v.withDefault(v.text(), ''),
  fields: v.list(
    v.object({
      name: v.text(100, 1),
      type: v.oneOf('int', 'float', 'bool', 'choice'),
      default: v.fieldValue,
      min: v.nullable(v.anyNumber),
      max: v.nullable(v.anyNumber),
      choices: v.list(v.text(100, 1), 100),
      help: v.withDefault(v.text(), ''),
    }),
    1000,
  ),
});

export const settings: v.Check<SettingField[]> = v.list(
  v.object({
    group: v.oneOf('data', 'training'),
    name: v.text(100, 1),
    type: v.oneOf('int', 'float', 'bool', 'choice', 'text', 'texts'),
    label: v.text(1000, 1),
    help: v.text(),
    place: v.oneOf('front', 'more', 'elsewhere'),
    default: (value, path) =>
      Array.isArray(value)
        ? v.list(v.text(1000), 1000)(value, path)
        : value === ''
          ? value
          : v.fieldValue(value, path),
    min: v.nullable(v.anyNumber),
    max: v.nullable(v.anyNumber),
    choices: v.list(v.object({ value: v.text(100, 1), label: v.text(1000, 1) }), 100),
    when: v.nullable(
      v.object({
        field: v.text(100, 1),
        is: v.list(v.text(100, 1), 100),
        initial: v.mapOf(v.anyNumber),
      }),
    ),
  }),
  1000,
);

export interface CoreInfo {
  version: string;
  models: ModelDescription[];
  settings: SettingField[];
  webgl: WebglInfo | null;
  /** Why there is none. */
  webglReason: string;
}

export const coreInfo: v.Check<CoreInfo> = v.object({
  version: v.text(100),
  models: v.list(model, 1000),
  settings,
  webgl: v.nullable(v.object({ renderer: v.text(), software: v.boolean })),
  webglReason: v.text(),
});

/** Rows of a data set in shards that a session waits for: float32 values at `pointer`, column after column. */
export interface Needs {
  first: number;
  rows: number;
  columns: number[];
  pointer: number;
  /** Rows of this loading. */
  done: number;
  total: number;
}

export const needs: v.Check<Needs | null> = v.nullable(
  v.object({
    first: count,
    rows: count,
    columns: v.list(count, 1_000_000),
    pointer: count,
    done: count,
    total: count,
  }),
);

export interface StepReply {
  step: number;
  /** Finished epochs. */
  epoch: number;
  /** All steps of the epoch are made and their losses are here. */
  epochDone: boolean;
  /** All epochs are done. */
  finished: boolean;
  /** Losses still on the device. */
  pending: number;
  stepInEpoch: number;
  stepsPerEpoch: number;
  trainLoss: number | null;
  recent: [number, number][];
  learningRate: number | null;
  gradientNorm: number | null;
  /** Where the run keeps its best weights. */
  best: { epoch: number; loss: number } | null;
  /** Another one than at the start where a lost one was replaced. */
  device: DeviceName;
  /** Share of the time that the run's effort lets it work in. */
  duty: number;
  /** Most bytes of the device's memory so far. */
  peakBytes: number;
  /** What of the device's programs is ready, while it prepares them. */
  preparing: Omit<Preparing, 'what'> | null;
  /** What a person should know that has happened since the last reply. */
  notices: { code: string; message: string }[];
  /** Until they are brought nothing was done. */
  needs: Needs | null;
}

const lossAtStep: v.Check<[number, number]> = (value, path) => {
  const [step = 0, at = NaN] = v.list(v.numberOrNaN, 2, 2)(value, path);
  return [step, at];
};

export const stepReply: v.Check<StepReply> = v.object({
  step: count,
  epoch: count,
  epochDone: v.boolean,
  finished: v.boolean,
  pending: count,
  stepInEpoch: count,
  stepsPerEpoch: count,
  trainLoss: loss,
  recent: v.list(lossAtStep, 1_000_000),
  learningRate: loss,
  gradientNorm: loss,
  best: v.nullable(v.object({ epoch: count, loss: v.anyNumber })),
  device,
  duty: v.number(0.01, 1),
  peakBytes: count,
  preparing: v.nullable(v.object({ done: count, total: count })),
  notices: v.list(v.object({ code: v.text(200, 1), message: v.text() }), 1000),
  needs,
});

export interface SessionInfo {
  session: number;
  config: RunConfig;
  device: DeviceName;
  choice: DeviceChoice;
  parameters: number;
  stepsPerEpoch: number;
  trainWindows: number;
  validationWindows: number;
  skippedWindows: number;
  state: StepReply;
  /** What a person should know about a restored session, such as that the data has changed. */
  notice: string | null;
}

/** The core fills in defaults; its fields are its own, so only the shape that pages rely on is checked. */
const filledConfig: v.Check<RunConfig> = (value, path) => {
  const {
    model: chosen,
    data,
    training,
  } = v.object({
    model: v.record,
    data: v.record,
    training: v.record,
  })(value, path);
  v.object({ name: v.text(100, 1) })(chosen, `${path}.model`);
  v.object({ features: v.list(v.text(100_000), MOST_COLUMNS), target: v.text(100_000) })(
    data,
    `${path}.data`,
  );
  return { model: chosen, data, training } as unknown as RunConfig;
};

const timing = v.nullable(v.object({ ms: v.number(0), steps: count, preparingMs: v.number(0) }));

const choice: v.Check<DeviceChoice> = v.object({
  device,
  how: v.oneOf('raced', 'forced', 'no_gpu', 'software', 'resumed', 'moved', 'lost'),
  detail: v.text(),
  cpu: timing,
  webgl: timing,
});

const sessionInfo: v.Check<SessionInfo> = v.object({
  session: count,
  config: filledConfig,
  device,
  choice,
  parameters: count,
  stepsPerEpoch: count,
  trainWindows: count,
  validationWindows: count,
  skippedWindows: count,
  state: stepReply,
  notice: v.nullable(v.text()),
});

/** A run that is begun: its session, or how far the race for its device is, or what rows it waits for. */
export interface SessionStart {
  session: number;
  racing: number | null;
  needs: Needs | null;
  /** Once it may make steps. */
  info: SessionInfo | null;
}

export const sessionStart: v.Check<SessionStart> = (value, path) => {
  const { config, ...start } = v.object(
    { session: count, racing: v.nullable(v.number(0, 1)), needs },
    { config: v.record },
  )(value, path);
  return { ...start, info: config === undefined ? null : sessionInfo(value, path) };
};

/** What a checkpoint tells of its run beside the session; its notice may come when the rows are there. */
export interface SessionRestored extends SessionStart {
  /** What was given to the checkpoint as history. */
  history: unknown;
}

export const sessionRestored: v.Check<SessionRestored> = (value, path) => ({
  ...sessionStart(value, path),
  history: v.record(value, path)['history'],
});

/** The next rows that are needed; or the run, where it has waited for them to begin. */
export interface SessionFed {
  needs: Needs | null;
  start: SessionStart | null;
}

export const sessionFed: v.Check<SessionFed> = (value, path) => {
  const { session, ...fed } = v.object({ needs }, { session: count })(value, path);
  return { ...fed, start: session === undefined ? null : sessionStart(value, path) };
};

export interface ValidateReply {
  done: boolean;
  fraction: number;
  loss: number | null;
  /** Null when they cannot be compared with the loss. */
  baselines: Baselines | null;
  mae: number | null;
  rmse: number | null;
  r2: number | null;
  accuracy: number | null;
  needs: Needs | null;
}

const NOT_VALIDATED = {
  done: false,
  fraction: 0,
  loss: null,
  baselines: null,
  mae: null,
  rmse: null,
  r2: null,
  accuracy: null,
};

const rawValidation = v.object({
  done: v.boolean,
  needs,
  fraction: v.withDefault(v.anyNumber, 0),
  loss,
  mae: loss,
  rmse: loss,
  r2: v.withDefault(loss, null),
  classes: v.nullable(v.object({ accuracy: v.number(0, 1) })),
  baselines: v.nullable(v.object({ season: count, naiveLoss: loss, seasonalNaiveLoss: loss })),
});

export const validateReply: v.Check<ValidateReply> = (value, path) => {
  const waits = v.object({ needs })(value, path).needs;
  if (waits !== null) return { ...NOT_VALIDATED, needs: waits };
  const { baselines, classes, ...others } = rawValidation(value, path);
  const rest = { ...others, accuracy: classes?.accuracy ?? null };
  const naive = baselines?.naiveLoss ?? null;
  if (baselines === null || naive === null) return { ...rest, baselines: null };
  const { season, seasonalNaiveLoss: seasonalNaive } = baselines;
  return { ...rest, baselines: { naive, seasonalNaive, season } };
};

const valueRows = v.list(v.list(v.numberOrNaN, 100_000), 100_000);

const rawPredictions: v.Check<Predictions> = v.object({
  first: count,
  count,
  total: count,
  horizon: count,
  rows: v.list(count, 100_000),
  truth: valueRows,
  forecast: valueRows,
});

/** Null as long as their rows are needed. */
export interface PredictReply {
  predictions: Predictions | null;
  needs: Needs | null;
}

export const predictReply: v.Check<PredictReply> = (value, path) => {
  const waits = v.object({ needs })(value, path);
  if (waits.needs !== null) return { predictions: null, needs: waits.needs };
  return { predictions: rawPredictions(value, path), needs: null };
};

export const counters: v.Check<Counters> = v.object({
  device,
  kernels: count,
  draws: count,
  allocations: count,
  liveBuffers: count,
  liveBytes: count,
  dataBytes: count,
  threads: count,
  fused: v.boolean,
});
