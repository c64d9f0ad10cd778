// Checks of the core's JSON replies and their translation into what pages show. The core is ours, but it is another
// program in another language: a reply that does not fit is a named error, not an undefined somewhere later.
import type {
  Baselines,
  ColumnDescription,
  DatasetDescription,
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
import * as v from '../messages/validate.ts';

const count = v.integer(0);
const loss = v.nullable(v.anyNumber);
const device: v.Check<DeviceName> = v.oneOf('cpu', 'webgl');

const model: v.Check<ModelDescription> = v.object({
  name: v.text(100, 1),
  label: v.text(100, 1),
  task: v.oneOf('forecast', 'image', 'text'),
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

const column = v.object({
  name: v.text(100_000),
  type: v.oneOf('number', 'datetime', 'category', 'text'),
  count,
  missing: count,
  min: loss,
  max: loss,
  mean: loss,
  std: loss,
  distinct: v.nullable(count),
  first: loss,
  last: loss,
  stepSeconds: loss,
  gaps: v.nullable(count),
});

const rawDescription = v.object({
  rows: count,
  columns: v.list(column, 10_000),
  preview: v.list(v.list(v.text(100_000), 10_000), 1000),
  repairs: v.object({
    total: count,
    first: v.list(
      v.object({ line: count, column: count, kind: v.text(), text: v.text(100_000) }),
      1000,
    ),
  }),
});

export const datasetDescription: v.Check<DatasetDescription> = (value, path) => {
  const { rows, columns, preview, repairs } = rawDescription(value, path);
  return {
    rows,
    columns: columns.map((entry): ColumnDescription => ({
      ...entry,
      first: dateText(entry.first),
      last: dateText(entry.last),
    })),
    preview,
    repairs: repairs.first.map(({ line, column: at, kind, text }) => ({
      line,
      column: at,
      code: kind,
      message: text,
    })),
    repairCount: repairs.total,
  };
};

/** Seconds since 1970 as "2012-01-01" or "2012-01-01 13:00:00". */
function dateText(seconds: number | null): string | null {
  if (seconds === null) return null;
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return null;
  const [day = '', rest = ''] = date.toISOString().split('T');
  const time = rest.slice(0, 8);
  return time === '00:00:00' ? day : `${day} ${time}`;
}

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
  /** What was given to the checkpoint as history; undefined for a new session. */
  history: unknown;
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
  v.object({ features: v.list(v.text(100_000), 10_000), target: v.text(100_000) })(
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

export const sessionInfo: v.Check<SessionInfo> = (value, path) => {
  const checked = v.object({
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
  })(value, path);
  return { ...checked, history: (value as { history?: unknown }).history };
};

/** A run that is begun: its session, or how far the race for its device is. */
export type SessionStart =
  | { session: number; racing: number; info: null }
  | { session: number; racing: null; info: SessionInfo };

export const sessionStart: v.Check<SessionStart> = (value, path) => {
  const { session, racing } = v.object({ session: count, racing: v.nullable(v.number(0, 1)) })(
    value,
    path,
  );
  if (racing !== null) return { session, racing, info: null };
  return { session, racing, info: sessionInfo(value, path) };
};

export interface ValidateReply {
  done: boolean;
  fraction: number;
  loss: number | null;
  /** Null when they cannot be compared with the loss. */
  baselines: Baselines | null;
  mae: number | null;
  rmse: number | null;
}

const rawValidation = v.object({
  done: v.boolean,
  fraction: v.withDefault(v.anyNumber, 0),
  loss,
  mae: loss,
  rmse: loss,
  baselines: v.nullable(v.object({ season: count, naiveLoss: loss, seasonalNaiveLoss: loss })),
});

export const validateReply: v.Check<ValidateReply> = (value, path) => {
  const { baselines, ...rest } = rawValidation(value, path);
  const naive = baselines?.naiveLoss ?? null;
  if (baselines === null || naive === null) return { ...rest, baselines: null };
  const { season, seasonalNaiveLoss: seasonalNaive } = baselines;
  return { ...rest, baselines: { naive, seasonalNaive, season } };
};

const valueRows = v.list(v.list(v.numberOrNaN, 100_000), 100_000);

export const predictions: v.Check<Predictions> = v.object({
  first: count,
  count,
  total: count,
  horizon: count,
  rows: v.list(count, 100_000),
  truth: valueRows,
  forecast: valueRows,
});

export const counters: v.Check<Counters> = v.object({
  device,
  kernels: count,
  draws: count,
  allocations: count,
  liveBuffers: count,
  liveBytes: count,
  threads: count,
  fused: v.boolean,
});
