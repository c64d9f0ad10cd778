// States of a run as the training worker would post them, for tests and pictures: a year and more of daily weather.

import { appendLosses, emptyHistory, emptyState } from '../../../extension/src/messages/state.ts';
import type {
  CheckpointEntry,
  ColumnDescription,
  DatasetDescription,
  Phase,
  Predictions,
  RunConfig,
  RunState,
  StoredRun,
} from '../../../extension/src/messages/state.ts';
import { settings } from '../settings.ts';

const time = Date.UTC(2026, 4, 14, 9, 41);

export function column(name: string, change: Partial<ColumnDescription> = {}): ColumnDescription {
  return {
    name,
    type: 'number',
    count: 1461,
    missing: 0,
    min: -1.6,
    max: 35.6,
    mean: 16.439,
    std: 7.3497,
    distinct: 67,
    first: null,
    last: null,
    ...change,
  };
}

const noNumbers = { min: null, max: null, mean: null, std: null };

export function description(change: Partial<DatasetDescription> = {}): DatasetDescription {
  return {
    rows: 1461,
    columns: [
      column('date', {
        ...noNumbers,
        type: 'datetime',
        distinct: 1461,
        first: '2012-01-01',
        last: '2015-12-31',
        stepSeconds: 86400,
        gaps: 0,
      }),
      column('precipitation', {
        min: 0,
        max: 55.9,
        mean: 3.0294,
        std: 6.68,
        distinct: 111,
      }),
      column('temp_max'),
      column('temp_min', {
        min: -7.1,
        max: 18.3,
        mean: 8.2348,
        std: 5.023,
        missing: 3,
        count: 1458,
      }),
      column('wind', {
        min: 0.4,
        max: 9.5,
        mean: 3.2411,
        std: 1.4378,
        distinct: 79,
      }),
      column('weather', { ...noNumbers, type: 'category', distinct: 5 }),
    ],
    preview: Array.from({ length: 50 }, (_, i) => [
      `2012-${i < 31 ? '01' : '02'}-${String((i % 31) + 1).padStart(2, '0')}`,
      String((i * 7) % 23),
      (12.8 - (i % 9)).toFixed(1),
      (5 - (i % 7)).toFixed(1),
      '4.7',
      ['drizzle', 'rain', 'sun', 'snow'][i % 4] ?? '',
    ]),
    repairs: [
      {
        line: 212,
        column: 4,
        code: 'csv.missing',
        message: '"n/a" was read as a missing value.',
      },
      {
        line: 640,
        column: 2,
        code: 'csv.quote',
        message: 'A quote was never closed; it ends with the line.',
      },
      {
        line: 902,
        column: 6,
        code: 'csv.fields',
        message: 'The row has 7 fields; the last one was left out.',
      },
    ],
    repairCount: 3,
    ...change,
  };
}

export const config: RunConfig = {
  model: { name: 'lstm', hidden: 32, layers: 1, dropout: 0 },
  data: {
    features: ['precipitation', 'temp_max', 'temp_min', 'wind'],
    target: 'temp_max',
    lookBack: 30,
    horizon: 7,
    validationFraction: 0.2,
    season: 365,
  },
  training: {
    epochs: 20,
    batchSize: 32,
    learningRate: 0.003,
    optimizer: 'adam',
    loss: 'mse',
    device: 'auto',
  },
};

const models: RunState['models'] = [
  {
    name: 'lstm',
    label: 'LSTM',
    task: 'forecast',
    help: 'Reads the series step by step and remembers what matters.',
    fields: [
      {
        name: 'hidden',
        type: 'int',
        default: 32,
        min: 1,
        max: 1024,
        choices: [],
        help: 'numbers in the memory',
      },
      {
        name: 'layers',
        type: 'int',
        default: 1,
        min: 1,
        max: 8,
        choices: [],
        help: 'LSTM layers stacked on each other',
      },
      {
        name: 'dropout',
        type: 'float',
        default: 0,
        min: 0,
        max: 0.9,
        choices: [],
        help: 'share of values left out',
      },
    ],
  },
  {
    name: 'residual_mlp',
    label: 'Residual MLP',
    task: 'table',
    help: 'Looks at all columns of a row together.',
    fields: [
      {
        name: 'width',
        type: 'int',
        default: 64,
        min: 4,
        max: 1024,
        choices: [],
        help: 'numbers in each layer',
      },
    ],
  },
];

export const checkpoints: CheckpointEntry[] = [
  {
    id: 'lstm-20260514-094100-1a2b3c4d/auto-180.safetensors',
    store: 'host',
    size: 61_304,
    time,
    step: 180,
    epoch: 5,
    loss: 0.1431,
    device: 'cpu',
    data: { name: 'seattle-weather.csv', rows: 1461, size: 48_219 },
    ok: true,
    reason: null,
  },
  {
    id: 'lstm-20260513-120700-5e6f7g8h/step-720.safetensors',
    store: 'browser',
    size: 61_304,
    time: time - 86_400_000,
    step: 720,
    epoch: 20,
    loss: 0.1102,
    device: 'webgl',
    data: null,
    ok: true,
    reason: null,
  },
  {
    id: 'gru-20260512-110000-9i0j1k2l/auto-40.safetensors',
    store: 'host',
    size: 20_480,
    time: time - 2 * 86_400_000,
    step: null,
    epoch: null,
    loss: null,
    device: null,
    data: null,
    ok: false,
    reason: 'the file ends at byte 20480, 40824 bytes early.',
  },
];

export const runs: StoredRun[] = [
  {
    store: 'host',
    run: 'lstm-20260514-094100-1a2b3c4d',
    name: 'Rain in Seattle',
    note: 'with the wind',
    reason: null,
  },
];

const host: RunState['host'] = {
  state: 'connected',
  version: '0.1.0',
  message: 'The native host is connected.',
  frames: 3,
  bytes: 48_219,
  roots: ['Shadegrad'],
  dialog: null,
};

/** A history of so many epochs of 36 steps. */
export function history(epochs: number): RunState['history'] {
  const made = emptyHistory();
  const loss = (step: number): number => 0.11 + 0.9 * Math.exp(-step / 60);
  for (let step = 1; step <= epochs * 36; step += 1) {
    appendLosses(made, [[step, loss(step) * (1 + 0.15 * Math.sin(step * 12.9898))]]);
  }
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    made.epochs.push({
      epoch,
      trainLoss: loss(epoch * 36 - 18),
      validationLoss: loss(epoch * 36) * 1.08 + 0.004 * epoch ** 0.5,
      stepsPerSecond: 112,
      mae: 2.31,
      rmse: 3.02,
      r2: null,
      accuracy: null,
    });
  }
  return made;
}

export function predictions(first = 0, count = 280): Predictions {
  const rows = Array.from({ length: count }, (_, i) => 1168 + 30 + first + i);
  const truth = (row: number): number =>
    16 + 9 * Math.sin((row - 110) / 58.1) + 3 * Math.sin(row * 1.7);
  const ahead = Array.from({ length: 7 }, (_, h) => h);
  return {
    first,
    count,
    total: 280,
    horizon: 7,
    rows,
    truth: rows.map((row) => ahead.map((h) => truth(row + h))),
    forecast: rows.map((row) =>
      ahead.map((h) => 16 + 9 * Math.sin((row + h - 112) / 58.1) + Math.sin(row * 1.7)),
    ),
  };
}

/** The state of one phase; `change` overrides what a test is about. */
export function stateOf(phase: Phase, change: Partial<RunState> = {}): RunState {
  const read = phase !== 'empty' && phase !== 'reading';
  const begun = read && phase !== 'ready' && phase !== 'preparing';
  const done = phase === 'finished' ? 20 : 5;
  const base: RunState = {
    ...emptyState(),
    phase,
    host,
    models,
    settings,
    webgl: { renderer: 'ANGLE (SwiftShader)', software: true },
    checkpoints: begun ? checkpoints : [],
    runs: begun ? runs : [],
  };
  if (phase !== 'empty')
    base.source = {
      kind: 'host',
      name: 'seattle-weather.csv',
      size: 48_219,
      path: 'Shadegrad/seattle-weather.csv',
      imported: null,
    };
  if (phase === 'reading') {
    base.reading = { bytes: 31_000, total: 48_219, rows: 940, rate: 24_000, secondsLeft: 0.7 };
    const { columns, preview } = description();
    base.firstRows = { columns: columns.map(({ name, type }) => ({ name, type })), rows: preview };
  }
  if (read) base.description = description();
  if (read && phase !== 'ready') base.config = config;
  if (begun) {
    base.device = 'cpu';
    base.choice = {
      device: 'cpu',
      how: 'software',
      detail: 'ANGLE (SwiftShader)',
      cpu: null,
      webgl: null,
    };
    base.parameters = 5127;
    base.windows = { train: 1132, validation: 280, skipped: 12 };
    base.history = history(done);
    base.predictions = predictions(0, 280);
    base.baselines = { naive: 0.183, seasonalNaive: 0.161, season: 365 };
    base.progress = {
      step: done * 36 + (phase === 'finished' ? 0 : 14),
      epoch: done,
      epochs: 20,
      stepInEpoch: phase === 'finished' ? 0 : 14,
      stepsPerEpoch: 36,
      stepsPerSecond: 112.4,
      secondsLeft: phase === 'finished' ? 0 : 83,
      trainLoss: 0.1523,
      learningRate: 0.003,
      gradientNorm: 0.4,
      peakBytes: 12_300_000,
      heapBytes: 64e6,
    };
  }
  if (phase === 'finished') base.outcome = 'completed';
  return { ...base, ...change };
}
