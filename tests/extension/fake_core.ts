// A core without mathematics, for tests of everything around it: it counts rows, "trains" by a formula, and writes
// checkpoints that are real safetensors files with no tensor. `lag` keeps losses on the device for some calls.
import type { Core, RestoreOptions } from '../../extension/src/training/core.ts';
import { CoreError } from '../../extension/src/training/core.ts';
import type {
  CoreInfo,
  SessionInfo,
  SessionStart,
  StepReply,
  ValidateReply,
} from '../../extension/src/training/core_replies.ts';
import type { Counters } from '../../extension/src/messages/commands.ts';
import type {
  DatasetDescription,
  Predictions,
  RunConfig,
} from '../../extension/src/messages/state.ts';
import { settings } from './settings.ts';

interface FakeDataset {
  name: string;
  text: string;
  finished: boolean;
}

interface FakeSession {
  /** Turns until its race is decided. */
  racing: number;
  config: RunConfig;
  step: number;
  epoch: number;
  stepInEpoch: number;
  onDevice: [number, number][];
  idleCalls: number;
}

const DUTIES: Record<string, number> = { full: 1, leave_room: 0.75, background: 0.4 };
export const STEPS_PER_EPOCH = 10;
export const lossAt = (step: number): number => 1 / (1 + step);

export class FakeCore implements Core {
  readonly datasets = new Map<number, FakeDataset>();
  readonly sessions = new Map<number, FakeSession>();
  lag = 0;
  /** What the next reply of a step says has happened. */
  notices: StepReply['notices'] = [];
  device: StepReply['device'] = 'cpu';
  best: StepReply['best'] = null;
  /** Turns that the race of the next run takes; 0: there is none. */
  raceTurns = 0;
  preparing: StepReply['preparing'] = null;
  /** The next call of this name throws. */
  failure: { call: string; error: Error } | null = null;
  #next = 1;

  describe(): CoreInfo {
    const field = {
      name: 'hidden',
      type: 'int' as const,
      default: 8,
      min: 1,
      max: 64,
      choices: [],
      help: 'Size.',
    };
    return {
      version: '0',
      models: [
        { name: 'lstm', label: 'LSTM', task: 'forecast', help: 'A model.', fields: [field] },
      ],
      settings,
      webgl: null,
      webglReason: 'There is none.',
    };
  }

  datasetOpen({ name }: { name: string }): number {
    this.datasets.set(this.#next, { name, text: '', finished: false });
    return this.#next++;
  }

  datasetFeed(dataset: number, bytes: Uint8Array): number {
    this.#mayFail('datasetFeed');
    const open = this.datasets.get(dataset)!;
    open.text += new TextDecoder().decode(bytes);
    return open.text.split('\n').length - 1;
  }

  datasetFinish(dataset: number): DatasetDescription {
    const open = this.datasets.get(dataset)!;
    if (open.text === '') throw new CoreError('csv.empty', `${open.name} is empty.`);
    open.finished = true;
    const [header = '', ...rows] = open.text.trim().split('\n');
    const columns = header.split(',').map((name) => ({
      name,
      type: 'number' as const,
      count: rows.length,
      missing: 0,
      min: 0,
      max: 1,
      mean: 0,
      std: 1,
      distinct: null,
      first: null,
      last: null,
    }));
    return {
      rows: rows.length,
      columns,
      preview: [],
      repairs: [],
      repairCount: 0,
    };
  }

  datasetClose(dataset: number): void {
    this.datasets.delete(dataset);
  }

  sessionCreate(dataset: number, config: RunConfig): SessionStart {
    this.#mayFail('sessionCreate');
    if (this.datasets.get(dataset)?.finished !== true)
      throw new CoreError('dataset.unfinished', 'No.');
    const place = { step: 0, epoch: 0, stepInEpoch: 0, onDevice: [], idleCalls: 0 };
    const info = this.#open({ config, racing: this.raceTurns, ...place }, undefined);
    const { session } = info;
    return this.raceTurns > 0
      ? { session, racing: 0, info: null }
      : { session, racing: null, info };
  }

  sessionRace(session: number): SessionStart {
    this.#mayFail('sessionRace');
    const run = this.#session(session);
    run.racing -= 1;
    if (run.racing > 0) return { session, racing: 1 - run.racing / this.raceTurns, info: null };
    return { session, racing: null, info: this.#info(session, run, undefined) };
  }

  sessionSetEffort(session: number, effort: string): StepReply {
    const run = this.#session(session);
    if (!(effort in DUTIES)) throw new CoreError('config.bad_field', `No effort ${effort}.`);
    run.config.training = { ...run.config.training, effort };
    return this.#reply(run, []);
  }

  sessionRestore(_dataset: number, bytes: Uint8Array, { training }: RestoreOptions): SessionInfo {
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8))) as {
      __metadata__: { config: string; state: string; history: string };
    };
    const metadata = header.__metadata__;
    const state = JSON.parse(metadata.state) as FakeSession;
    const config = JSON.parse(metadata.config) as RunConfig;
    config.training = { ...config.training, ...training };
    return this.#open(
      { ...state, config, racing: 0, onDevice: [], idleCalls: 0 },
      JSON.parse(metadata.history),
    );
  }

  sessionStep(session: number, maxSteps: number): StepReply {
    this.#mayFail('sessionStep');
    const run = this.#session(session);
    if (run.racing > 0) throw new CoreError('session.racing', 'The race is not over.');
    const steps = Math.min(maxSteps, STEPS_PER_EPOCH - run.stepInEpoch);
    for (let i = 0; i < steps; i += 1) {
      run.step += 1;
      run.stepInEpoch += 1;
      run.onDevice.push([run.step, lossAt(run.step)]);
    }
    run.idleCalls = steps > 0 ? 0 : run.idleCalls + 1;
    return this.#reply(run, run.idleCalls >= this.lag ? run.onDevice.splice(0) : []);
  }

  sessionNextEpoch(session: number): StepReply {
    const run = this.#session(session);
    run.epoch += 1;
    run.stepInEpoch = 0;
    return this.#reply(run, []);
  }

  sessionValidate(session: number): ValidateReply {
    const { step } = this.#session(session);
    const baselines = { naive: 0.5, seasonalNaive: 0.4, season: 7 };
    return {
      done: true,
      fraction: 1,
      loss: lossAt(step),
      baselines,
      mae: 1,
      rmse: 2,
    };
  }

  sessionPredict(session: number, first: number, count: number): Predictions {
    this.#mayFail('sessionPredict');
    this.#session(session);
    const indices = Array.from({ length: count }, (_, i) => first + i);
    const values = indices.map((i) => [i]);
    return {
      first,
      count,
      total: 5,
      horizon: 1,
      rows: indices,
      truth: values,
      forecast: values,
    };
  }

  sessionCheckpoint(session: number, history: unknown): Uint8Array<ArrayBuffer> {
    this.#mayFail('sessionCheckpoint');
    const run = this.#session(session);
    if (run.onDevice.length > 0)
      throw new CoreError('train.pending', 'Losses are still on the device.');
    const { step, epoch, stepInEpoch, config } = run;
    return safetensors({
      format: 'shadegrad/2',
      state: JSON.stringify({ step, epoch, stepInEpoch }),
      config: JSON.stringify(config),
      history: JSON.stringify(history),
    });
  }

  sessionCounters(): Counters {
    return {
      device: 'cpu',
      kernels: 1,
      draws: 0,
      allocations: 1,
      liveBuffers: 1,
      liveBytes: 4,
      threads: 1,
      fused: false,
    };
  }

  sessionClose(session: number): void {
    this.sessions.delete(session);
  }

  #open(run: FakeSession, history: unknown): SessionInfo {
    this.sessions.set(this.#next, run);
    return this.#info(this.#next++, run, history);
  }

  #info(session: number, run: FakeSession, history: unknown): SessionInfo {
    return {
      session,
      config: {
        ...run.config,
        training: { epochs: 2, ...run.config.training },
      },
      device: 'cpu',
      choice: { device: 'cpu', how: 'forced', detail: '', cpu: null, webgl: null },
      parameters: 42,
      stepsPerEpoch: STEPS_PER_EPOCH,
      trainWindows: 10,
      validationWindows: 5,
      skippedWindows: 0,
      state: this.#reply(run, []),
      history,
      notice: null,
    };
  }

  #reply(run: FakeSession, recent: [number, number][]): StepReply {
    const pending = run.onDevice.length;
    return {
      step: run.step,
      epoch: run.epoch,
      epochDone: run.stepInEpoch === STEPS_PER_EPOCH && pending === 0,
      finished: run.epoch >= Number(run.config.training['epochs'] ?? 2),
      pending,
      stepInEpoch: run.stepInEpoch,
      stepsPerEpoch: STEPS_PER_EPOCH,
      trainLoss: run.step > 0 ? lossAt(run.step) : null,
      recent,
      learningRate: 0.001,
      gradientNorm: 1,
      best: this.best,
      device: this.device,
      duty: DUTIES[String(run.config.training['effort'] ?? 'full')]!,
      peakBytes: 4096,
      preparing: this.preparing,
      notices: this.notices.splice(0),
    };
  }

  #session(session: number): FakeSession {
    const run = this.sessions.get(session);
    if (run === undefined)
      throw new CoreError('handle.unknown', `There is no session ${String(session)}.`);
    return run;
  }

  #mayFail(call: string): void {
    if (this.failure?.call !== call) return;
    const { error } = this.failure;
    this.failure = null;
    throw error;
  }
}

/** A safetensors file with strings and no tensor. */
export function safetensors(metadata: Record<string, string>): Uint8Array<ArrayBuffer> {
  const header = new TextEncoder().encode(JSON.stringify({ __metadata__: metadata }));
  const bytes = new Uint8Array(8 + header.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  return bytes;
}
