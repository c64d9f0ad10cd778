// The training room: one data set, at most one run, and what a page may ask of them. Everything that lasts lives here in
// the worker, so that pages may come and go; a failed step leaves what was there before it.
import type { CommandOf, DataSource, RunStarted } from '../messages/commands.ts';
import type { HostStatus } from '../messages/host_status.ts';
import { emptyHistory, isActive } from '../messages/state.ts';
import type {
  CheckpointEntry,
  DeviceName,
  EpochSummary,
  Predictions,
  RunState,
  StoreName,
} from '../messages/state.ts';
import type { Runs } from '../storage/runs.ts';
import { ActiveRun } from './active_run.ts';
import type { Core } from './core.ts';
import type { SessionInfo, SessionStart } from './core_replies.ts';
import { readDataset } from './dataset.ts';
import type { OpenDataset } from './dataset.ts';
import { failureOf, TrainingError } from './errors.ts';
import { nextTask, raced } from './preparing.ts';
import { restoredHistory, addEpoch } from './history.ts';
import type { HostLink } from './hostlink.ts';
import { Keeper } from './keeper.ts';
import { finishedEpochs, NO_RUN } from './no_run.ts';
import { runName, runOfCheckpoint } from './run_names.ts';
import type { Saving } from './saving.ts';
import type { Snapshot } from './snapshot.ts';
import { exampleSource, fileSource, hostSource, reopen } from './sources.ts';
import type { ByteSource, Examples } from './sources.ts';

const AUTOSAVE_MS = 30_000;
const PREDICTIONS_MS = 1000;
const PREDICTED = 300;

export interface TrainingParts {
  core: Core;
  link: HostLink;
  saving: Saving;
  runs: Runs;
  snapshot: Snapshot;
  examples: Examples;
  /** Whether something would be lost if the worker ended now. */
  busy: (busy: boolean) => void;
}

export class Training {
  readonly #parts: TrainingParts;
  #dataset: OpenDataset | null = null;
  #run: ActiveRun | null = null;
  #reading: AbortController | null = null;
  #predictedAt = 0;
  readonly keeper: Keeper;

  constructor(parts: TrainingParts) {
    this.#parts = parts;
    this.keeper = new Keeper(parts, () => {
      this.#tellBusy();
    });
  }

  get state(): Readonly<RunState> {
    return this.#parts.snapshot.state;
  }

  get active(): boolean {
    return isActive(this.state.phase);
  }

  /** What pages should know before anything was asked for. */
  async begin(): Promise<void> {
    const { core, runs, snapshot } = this.#parts;
    const { models, settings, webgl, webglReason } = core.describe();
    snapshot.update({ models, settings, webgl, webglReason, lastRun: await runs.last() });
    await this.connectHost();
    await this.keeper.refresh();
  }

  async openDataset(source: DataSource): Promise<{ description: OpenDataset['description'] }> {
    this.#refuseWhileActive('open another file');
    this.#refuseWhileReading();
    const { core, snapshot } = this.#parts;
    const { phase, source: before } = this.state;
    const reading = new AbortController();
    this.#reading = reading;
    this.#tellBusy();
    try {
      const bytes = await this.#byteSource(source);
      const start = { bytes: 0, total: bytes.info.size, rows: 0 };
      snapshot.update({ phase: 'reading', reading: start, source: bytes.info, failure: null });
      const opened = await readDataset(
        core,
        bytes,
        (progress) => {
          snapshot.updateSoon({ reading: progress });
        },
        reading.signal,
      );
      this.#useDataset(opened);
      return { description: opened.description };
    } catch (error) {
      const failure = failureOf(error);
      const kept = this.#dataset === null ? 'failed' : phase;
      snapshot.update({ phase: kept, reading: null, source: before, failure });
      throw error;
    } finally {
      this.#reading = null;
      this.#tellBusy();
    }
  }

  closeDataset(): void {
    this.#refuseWhileActive('close the file');
    this.#reading?.abort();
    this.#closeRun();
    if (this.#dataset !== null) this.#parts.core.datasetClose(this.#dataset.handle);
    this.#dataset = null;
    this.#parts.snapshot.update({ ...NO_RUN, phase: 'empty', source: null, description: null });
    this.#tellBusy();
  }

  async startRun({ config }: CommandOf<'run.start'>): Promise<RunStarted> {
    this.#refuseWhileActive('start another run');
    this.#refuseWhileReading();
    const dataset = this.#needDataset();
    return this.#prepare(
      () => this.#parts.core.sessionCreate(dataset.handle, config),
      (info) => runName(info.config.model.name, new Date()),
    );
  }

  async resumeCheckpoint(command: CommandOf<'checkpoint.resume'>): Promise<RunStarted> {
    const { store, id, epochs, device } = command;
    this.#refuseWhileActive('resume a checkpoint');
    await this.#reopenLastSource();
    this.#needDataset();
    const bytes = await this.#parts.saving.read(store, id);
    // While the checkpoint was read, another page may have started a run, opened a file or closed this one.
    this.#refuseWhileActive('resume a checkpoint');
    this.#refuseWhileReading();
    const dataset = this.#needDataset();
    const total = epochs === undefined ? undefined : finishedEpochs(bytes, id) + epochs;
    const restore = (): SessionStart => {
      const training = { ...(total && { epochs: total }), ...(device && { device }) };
      const info = this.#parts.core.sessionRestore(dataset.handle, bytes, { training });
      if (!info.state.finished) return { session: info.session, racing: null, info };
      this.#parts.core.sessionClose(info.session);
      const message = `The run of ${id} has finished its ${String(info.state.epoch)} epochs: say how many more to train.`;
      throw new TrainingError('checkpoint.finished', message);
    };
    return this.#prepare(restore, () => runOfCheckpoint(id));
  }

  pause(): void {
    this.#needActive().pause();
    this.#parts.snapshot.update({ phase: 'paused' });
  }

  resume(): void {
    const run = this.#needActive();
    this.#parts.snapshot.update({ phase: run.stage });
    run.start();
  }

  setEffort(effort: string): void {
    this.#needActive().setEffort(effort);
    const { config } = this.state;
    if (config === null) return;
    const training = { ...config.training, effort };
    this.#parts.snapshot.update({ config: { ...config, training } });
  }

  async stop(): Promise<void> {
    const run = this.#needActive();
    run.stop();
    try {
      this.#refreshPredictions(run);
    } catch (error) {
      // A device that was lost during a pause shows here first; the run ends all the same.
      const { code, message } = failureOf(error);
      this.#parts.snapshot.notice('error', code, message);
    }
    this.#parts.snapshot.update({ phase: 'finished', outcome: 'stopped' });
    await this.#saveAutomatic(run);
  }

  save(store: StoreName | undefined): Promise<CheckpointEntry> {
    return this.keeper.save(this.#needRun(), this.#needDataset().source, store);
  }

  predictions(first: number, count: number): Predictions {
    return this.#needRun().predict(first, count);
  }

  counters(): ReturnType<ActiveRun['counters']> {
    return this.#needRun().counters();
  }

  async connectHost(): Promise<HostStatus> {
    const { link, snapshot } = this.#parts;
    const status = await link.connect();
    snapshot.update({ host: { ...status } });
    return status;
  }

  /** The host went away: training goes on, and what it has reached is kept in the browser. */
  hostLost(message: string): void {
    const goesOn = this.active
      ? ' Training goes on; checkpoints go to the browser until the host is back.'
      : '';
    this.#parts.snapshot.notice('warning', 'host.lost', message + goesOn);
    if (this.#run !== null && this.active) void this.#saveAutomatic(this.#run);
  }

  hostBack(): void {
    const { snapshot } = this.#parts;
    snapshot.dismiss('host.lost');
    snapshot.notice(
      'info',
      'host.back',
      'The native host is back; checkpoints go to its folder again.',
    );
  }

  async #byteSource(source: DataSource): Promise<ByteSource> {
    if (source.kind === 'file') return fileSource(source.file);
    if (source.kind === 'host') return hostSource(this.#parts.link, source.path);
    return exampleSource(this.#parts.examples, source.name);
  }

  #useDataset(opened: OpenDataset): void {
    this.#closeRun();
    if (this.#dataset !== null) this.#parts.core.datasetClose(this.#dataset.handle);
    this.#dataset = opened;
    const { source, description } = opened;
    this.#parts.snapshot.update({ ...NO_RUN, phase: 'ready', source, description });
  }

  async #reopenLastSource(): Promise<void> {
    const source = this.state.lastRun?.source;
    if (this.#dataset === null && source !== undefined) await this.openDataset(reopen(source));
  }

  /** What was there before stays until the new session exists. */
  async #prepare(
    begin: () => SessionStart,
    idOf: (info: SessionInfo) => string,
  ): Promise<RunStarted> {
    const { core, snapshot } = this.#parts;
    const { phase } = this.state;
    snapshot.update({ phase: 'preparing', failure: null });
    await nextTask();
    try {
      const info = await raced(core, begin(), (preparing) => {
        snapshot.updateSoon({ preparing });
      });
      this.#closeRun();
      const history = info.history === undefined ? emptyHistory() : restoredHistory(info.history);
      const events = this.#runEvents(() => run);
      const run: ActiveRun = new ActiveRun(
        idOf(info),
        core,
        info,
        events,
        () => this.state.history,
      );
      this.#run = run;
      this.keeper.begin();
      const { config, device, choice, parameters } = info;
      const { trainWindows: train, validationWindows: validation, skippedWindows: skipped } = info;
      snapshot.update({
        ...NO_RUN,
        phase: 'training',
        config,
        device,
        choice,
        parameters,
        windows: { train, validation, skipped },
        history,
        best: info.state.best,
        progress: run.progress(),
      });
      if (info.notice !== null) snapshot.notice('info', 'checkpoint.data', info.notice);
      this.#noticed(info.state.notices, info.state.device);
      this.#tellBusy();
      run.start();
      return { config, device, choice, parameters };
    } catch (error) {
      snapshot.update({ phase, preparing: null, failure: failureOf(error) });
      throw error;
    }
  }

  #runEvents(current: () => ActiveRun): ConstructorParameters<typeof ActiveRun>[3] {
    const { snapshot } = this.#parts;
    return {
      progressed: (progress, losses) => {
        snapshot.progress(progress, losses);
      },
      preparing: (preparing) => {
        snapshot.updateSoon({ preparing });
      },
      validating: () => {
        snapshot.updateSoon({ phase: 'validating' });
      },
      noticed: (notices, device) => {
        this.#noticed(notices, device);
      },
      epochDone: (summary, baselines, best) => {
        snapshot.updateSoon({ best });
        this.#epochDone(current(), summary, baselines);
      },
      finished: () => {
        this.#refreshPredictions(current());
        snapshot.update({ phase: 'finished', outcome: 'completed' });
        void this.#saveAutomatic(current());
      },
      failed: (error) => {
        const failure = failureOf(error);
        snapshot.update({ phase: 'failed', failure });
        this.#tellBusy();
        // The step that would have spoilt the run was not applied: what it had reached is kept.
        if (failure.code === 'train.diverged') void this.#saveAutomatic(current());
      },
    };
  }

  #noticed(notices: { code: string; message: string }[], device: DeviceName): void {
    const { snapshot } = this.#parts;
    for (const { code, message } of notices) {
      const lost = code.startsWith('device.');
      snapshot.notice(lost ? 'warning' : 'info', code, message);
      const { choice } = this.state;
      if (device !== this.state.device && choice !== null)
        snapshot.update({ device, choice: { ...choice, device, how: 'lost', detail: message } });
    }
  }

  #epochDone(run: ActiveRun, summary: EpochSummary, baselines: RunState['baselines']): void {
    const { snapshot } = this.#parts;
    addEpoch(this.state.history, summary);
    const phase = this.state.phase === 'validating' ? 'training' : this.state.phase;
    snapshot.updateSoon({ phase, baselines: baselines ?? this.state.baselines });
    if (Date.now() - this.#predictedAt >= PREDICTIONS_MS) this.#refreshPredictions(run);
    if (this.keeper.unsavedMs >= AUTOSAVE_MS) void this.#saveAutomatic(run);
  }

  #refreshPredictions(run: ActiveRun): void {
    const total = this.state.windows?.validation ?? 0;
    if (total === 0) return;
    this.#predictedAt = Date.now();
    this.#parts.snapshot.updateSoon({ predictions: run.predict(0, Math.min(PREDICTED, total)) });
  }

  #saveAutomatic(run: ActiveRun): Promise<void> {
    return this.keeper.saveAutomatic(run, this.#needDataset().source);
  }

  #closeRun(): void {
    this.#run?.close();
    this.#run = null;
  }

  #needDataset(): OpenDataset {
    if (this.#dataset !== null) return this.#dataset;
    throw new TrainingError('dataset.missing', 'No file is open: pick one first.');
  }

  #needRun(): ActiveRun {
    if (this.#run !== null) return this.#run;
    throw new TrainingError('run.missing', 'There is no run: start one first.');
  }

  #needActive(): ActiveRun {
    if (this.state.phase === 'preparing') {
      const message = 'The run is still being prepared: try again in a moment.';
      throw new TrainingError('run.preparing', message);
    }
    const run = this.#needRun();
    if (this.active) return run;
    throw new TrainingError('run.inactive', `The run has ended; its phase is ${this.state.phase}.`);
  }

  #refuseWhileActive(what: string): void {
    if (!this.active) return;
    throw new TrainingError('run.active', `A run is in progress: stop it to ${what}.`);
  }

  /** The file that is being read will take the place of the data and of its run. */
  #refuseWhileReading(): void {
    if (this.#reading === null) return;
    throw new TrainingError('dataset.busy', 'A file is being read: wait for it, or cancel it.');
  }

  #tellBusy(): void {
    this.#parts.busy(
      this.active || this.#dataset !== null || this.#reading !== null || this.keeper.busy,
    );
  }
}
