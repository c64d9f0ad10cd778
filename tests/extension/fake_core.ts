// A core without mathematics, for tests of everything around it: it counts rows, "trains" by a formula, and writes
// checkpoints that are real safetensors files with no tensor. `lag` keeps losses on the device for some calls.
import type {
  AttachedDataset,
  Core,
  ImportFed,
  ImportFinished,
  ImportSource,
  RestoreOptions,
} from '../../extension/src/training/core.ts';
import { CoreError } from '../../extension/src/training/core.ts';
import type {
  CoreInfo,
  PredictReply,
  SessionFed,
  SessionInfo,
  SessionRestored,
  SessionStart,
  StepReply,
  ValidateReply,
} from '../../extension/src/training/core_replies.ts';
import type { Counters } from '../../extension/src/messages/commands.ts';
import type { DatasetDescription, RunConfig } from '../../extension/src/messages/state.ts';
import { describeTable, FakeImport } from './fake_import.ts';
import { FakeJudging } from './fake_judging.ts';
import { askAgain, needsOf, rowsOf, takeRows } from './fake_rows.ts';
import type { FakeRows } from './fake_rows.ts';
import { safetensors } from './fake_shards.ts';
import { settings, trainingDefaults } from './settings.ts';

interface FakeDataset {
  name: string;
  text: string;
  finished: boolean;
  /** Of one whose values are in shards. */
  attached?: { rows: number; columns: number };
}

interface FakeSession extends FakeRows {
  /** Turns until its race is decided. */
  racing: number;
  config: RunConfig;
  step: number;
  epoch: number;
  stepInEpoch: number;
  onDevice: [number, number][];
  idleCalls: number;
  data: string; // its name
}

const DUTIES: Record<string, number> = {
  full: 1,
  leave_room: 0.75,
  background: 0.4,
};
export const STEPS_PER_EPOCH = 10;
export const lossAt = (step: number): number => 1 / (1 + step);

export class FakeCore extends FakeJudging implements Core {
  readonly datasets = new Map<number, FakeDataset>();
  readonly sessions = new Map<number, FakeSession>();
  readonly imports = new Map<number, FakeImport>();
  readonly parts: string[] = [];
  readonly heap = new Uint8Array(4096);
  lag = 0;
  /** Whether a session in shards needs its rows anew for every epoch. */
  blocks = false;
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
    const limits = { default: 8, min: 1, max: 64, choices: [] };
    const field = { name: 'hidden', type: 'int' as const, ...limits, help: 'Size.' };
    return {
      version: '0',
      models: [
        {
          name: 'lstm',
          label: 'LSTM',
          task: 'forecast',
          help: 'A model.',
          fields: [field],
        },
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
    return describeTable(header, rows.length, rows.slice(0, 30));
  }

  datasetAttach(manifest: object): AttachedDataset {
    this.#mayFail('datasetAttach');
    const { rows, columns, source } = manifest as {
      rows: number;
      columns: { name: string }[];
      source: { name: string };
    };
    const attached = { rows, columns: columns.length };
    const text = [columns.map(({ name }) => name).join(','), ...Array<string>(rows).fill('')];
    this.datasets.set(this.#next, {
      name: source.name,
      text: text.join('\n'),
      finished: true,
      attached,
    });
    const dataset = this.#next++;
    return { dataset, description: describeTable(text[0] ?? '', rows) };
  }

  importOpen(source: ImportSource): number {
    this.imports.set(this.#next, new FakeImport(source));
    return this.#next++;
  }

  importPart(_opened: number, name: string): void {
    this.parts.push(name);
  }

  importFeed(opened: number, bytes: Uint8Array): ImportFed {
    this.#mayFail('importFeed');
    return this.imports.get(opened)!.feed(bytes);
  }

  importFinish(opened: number): ImportFinished {
    return this.imports.get(opened)!.finish();
  }

  importClose(opened: number): void {
    this.imports.delete(opened);
  }

  memory(): Uint8Array {
    return this.heap;
  }

  sessionFed(session: number): SessionFed {
    const run = this.#session(session);
    takeRows(run, this.heap);
    const needs = needsOf(run);
    if (needs !== null || run.began) return { needs, start: null };
    return { needs, start: this.#start(session, run) };
  }

  datasetClose(dataset: number): void {
    this.datasets.delete(dataset);
  }

  sessionCreate(dataset: number, config: RunConfig): SessionStart {
    this.#mayFail('sessionCreate');
    if (this.datasets.get(dataset)?.finished !== true)
      throw new CoreError('dataset.unfinished', 'No.');
    const place = { step: 0, epoch: 0, stepInEpoch: 0, onDevice: [], idleCalls: 0 };
    const data = this.datasets.get(dataset)!.name;
    const rows = rowsOf(this.datasets.get(dataset)?.attached);
    return this.#open({ config, racing: this.raceTurns, ...place, ...rows, data });
  }

  sessionRace(session: number): SessionStart {
    this.#mayFail('sessionRace');
    const run = this.#session(session);
    run.racing -= 1;
    return this.#start(session, run);
  }

  sessionSetEffort(session: number, effort: string): StepReply {
    const run = this.#session(session);
    if (!(effort in DUTIES)) throw new CoreError('config.bad_field', `No effort ${effort}.`);
    run.config.training = { ...run.config.training, effort };
    return this.#reply(run, []);
  }

  sessionRestore(
    dataset: number,
    bytes: Uint8Array,
    { training }: RestoreOptions,
  ): SessionRestored {
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8))) as {
      __metadata__: { config: string; state: string; history: string };
    };
    const metadata = header.__metadata__;
    const state = JSON.parse(metadata.state) as FakeSession;
    const config = JSON.parse(metadata.config) as RunConfig;
    config.training = { ...config.training, ...training };
    const place = { racing: 0, onDevice: [], idleCalls: 0 };
    const start = this.#open({
      ...state,
      config,
      ...place,
      data: this.datasets.get(dataset)?.name ?? '',
      ...rowsOf(this.datasets.get(dataset)?.attached),
    });
    return { ...start, history: JSON.parse(metadata.history) as unknown };
  }

  sessionStep(session: number, maxSteps: number): StepReply {
    this.#mayFail('sessionStep');
    const run = this.#session(session);
    if (run.racing > 0) throw new CoreError('session.racing', 'The race is not over.');
    if (needsOf(run) !== null) return this.#reply(run, []);
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
    if (this.blocks) askAgain(run);
    return this.#reply(run, []);
  }

  /** Of the weights after so many steps of a run of this configuration. */
  validationLoss: (step: number, config: RunConfig) => number | null = lossAt;

  sessionValidate(session: number): ValidateReply {
    const { step, config } = this.#session(session);
    const baselines = { naive: 0.5, seasonalNaive: 0.4, season: 7 };
    return {
      done: true,
      fraction: 1,
      loss: this.validationLoss(step, config),
      baselines,
      mae: 1,
      rmse: 2,
      r2: null,
      accuracy: null,
      needs: null,
    };
  }

  sessionPredict(session: number, first: number, count: number): PredictReply {
    this.#mayFail('sessionPredict');
    const needs = needsOf(this.#session(session));
    if (needs !== null) return { predictions: null, needs };
    const indices = Array.from({ length: count }, (_, i) => first + i);
    const values = indices.map((i) => [i]);
    const shape = { first, count, total: 5, horizon: 1 };
    const predictions = { ...shape, rows: indices, truth: values, forecast: values };
    return { predictions, needs: null };
  }

  sessionCheckpoint(session: number, history: unknown): Uint8Array<ArrayBuffer> {
    this.#mayFail('sessionCheckpoint');
    const run = this.#session(session);
    if (run.onDevice.length > 0)
      throw new CoreError('train.pending', 'Losses are still on the device.');
    const { step, epoch, stepInEpoch, config } = run;
    const validationLoss = epoch > 0 ? this.validationLoss(epoch * STEPS_PER_EPOCH, config) : null;
    return safetensors({
      format: 'shadegrad/2',
      state: JSON.stringify({ step, epoch, stepInEpoch, validationLoss }),
      dataset: JSON.stringify({ name: run.data, rows: 10, size: 100 }),
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
      dataBytes: 4096,
      threads: 1,
      fused: false,
    };
  }

  sessionClose(session: number): void {
    this.sessions.delete(session);
  }

  #open(run: FakeSession): SessionStart {
    this.sessions.set(this.#next, run);
    return this.#start(this.#next++, run);
  }

  /** As the core: nothing is known of a run before its rows are there and its race is over. */
  #start(session: number, run: FakeSession): SessionStart {
    const needs = needsOf(run);
    if (needs !== null) return { session, racing: null, needs, info: null };
    const racing = run.racing > 0 ? 1 - run.racing / this.raceTurns : null;
    return { session, racing, needs, info: racing === null ? this.#info(session, run) : null };
  }

  #info(session: number, run: FakeSession): SessionInfo {
    run.began = true;
    return {
      session,
      config: {
        ...run.config,
        training: { ...trainingDefaults, ...run.config.training },
      },
      device: 'cpu',
      choice: {
        device: 'cpu',
        how: 'forced',
        detail: '',
        cpu: null,
        webgl: null,
      },
      parameters: 42,
      stepsPerEpoch: STEPS_PER_EPOCH,
      trainWindows: 10,
      validationWindows: 5,
      skippedWindows: 0,
      state: this.#reply(run, []),
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
      needs: needsOf(run),
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
