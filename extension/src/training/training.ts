// The training room: one data set, at most one run, and what a page may ask of them. Everything that lasts lives here in
// the worker, so that pages may come and go; a failed step leaves what was there before it.
import type { CommandOf, DataSource, RunStarted } from '../messages/commands.ts';
import type { Evaluation, NewPredictions } from '../messages/evaluation.ts';
import type { HostStatus } from '../messages/host_status.ts';
import { emptyHistory, isActive } from '../messages/state.ts';
import type {
  CheckpointEntry,
  DeviceName,
  EpochSummary,
  Predictions,
  Preparing,
  RunState,
  StoreName,
} from '../messages/state.ts';
import type { Runs } from '../storage/runs.ts';
import { ActiveRun } from './active_run.ts';
import type { RunEvents } from './active_run.ts';
import type { SessionInfo, SessionRestored, SessionStart } from './core_replies.ts';
import { DataRoom } from './data_room.ts';
import type { DataParts } from './data_room.ts';
import type { OpenDataset } from './dataset.ts';
import { failureOf, TrainingError } from './errors.ts';
import { closingOnFailure, nextTask, raced } from './preparing.ts';
import { restoredHistory, addEpoch } from './history.ts';
import { tellBack, tellLost } from './host_notices.ts';
import { Keeper } from './keeper.ts';
import { NO_RUN, summaryIn } from './no_run.ts';
import { runName, runToGoOn } from './run_names.ts';
import type { Saving } from './saving.ts';
import { Trials } from './trials.ts';

const PREDICTIONS_MS = 1000;
const PREDICTED = 300;

export interface TrainingParts extends DataParts {
  saving: Saving;
  runs: Runs;
  /** Whether something would be lost if the worker ended now. */
  busy: (busy: boolean) => void;
}

export class Training {
  readonly #parts: TrainingParts;
  #run: ActiveRun | null = null;
  #predictedAt = 0;
  #preparing: AbortController | null = null;
  readonly data: DataRoom;
  readonly keeper: Keeper;
  readonly trials: Trials;

  constructor(parts: TrainingParts) {
    this.#parts = parts;
    this.trials = new Trials(parts, () => {
      this.#refuseWhileActive('try another one');
      return this.data.need();
    });
    this.data = new DataRoom(parts, {
      replacing: () => {
        this.trials.clear();
        this.#closeRun();
      },
      changed: () => {
        this.#tellBusy();
      },
    });
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
    await this.data.refresh();
  }

  openDataset(source: DataSource): ReturnType<DataRoom['open']> {
    this.#refuseWhileActive('open another file');
    return this.data.open(source);
  }

  makeRoom(): ReturnType<DataRoom['makeRoom']> {
    this.#refuseWhileActive('open another file');
    return this.data.makeRoom();
  }

  closeDataset(): void {
    this.#refuseWhileActive('close the file');
    this.data.close();
  }

  async startRun({ config }: CommandOf<'run.start'>): Promise<RunStarted> {
    this.#refuseWhileActive('start another run');
    this.data.refuseWhileReading();
    const dataset = this.data.need();
    this.trials.refuseUnfit(config);
    return this.#prepare(
      dataset,
      () => this.#parts.core.sessionCreate(dataset.handle, config),
      (info) => runName(info.config.model.name, new Date()),
    );
  }

  async resumeCheckpoint(command: CommandOf<'checkpoint.resume'>): Promise<RunStarted> {
    const { store, id, epochs, device } = command;
    this.#refuseWhileActive('resume a checkpoint');
    const closed = this.state.description === null;
    const bytes = await this.#parts.saving.read(store, id);
    const summary = summaryIn(bytes, id);
    if (closed) await this.data.reopenFor(id, summary.data);
    const checkpoints = await this.keeper.refresh();
    // While the checkpoint was read, another page may have started a run, opened a file or closed this one.
    this.#refuseWhileActive('resume a checkpoint');
    this.data.refuseWhileReading();
    const dataset = this.data.need();
    const total = epochs && (summary.epoch ?? 0) + epochs;
    const training = { ...(total && { epochs: total }), ...(device && { device }) };
    const restore = (): SessionRestored =>
      this.#parts.core.sessionRestore(dataset.handle, bytes, { training });
    return this.#prepare(dataset, restore, ({ state, config: { model } }) => {
      if (!state.finished) return runToGoOn(id, checkpoints) ?? runName(model.name, new Date());
      const message = `The run of ${id} has finished its ${String(state.epoch)} epochs: say how many more to train.`;
      throw new TrainingError('checkpoint.finished', message);
    });
  }

  removeRun(store: StoreName, run: string): Promise<void> {
    if (this.#run?.id === run) this.#refuseWhileActive('remove its checkpoints');
    return this.keeper.removeRun(store, run);
  }

  pause(): void {
    const run = this.#needActive();
    run.pause();
    this.#parts.snapshot.update({ phase: 'paused' });
    void this.keeper.paused(run, this.data.need().source);
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
    const { phase, preparing } = this.state;
    if (phase === 'preparing' && preparing?.what === 'rows') {
      const message = 'The run was called off while its rows were loaded.';
      this.#preparing?.abort(new TrainingError('run.cancelled', message));
      return;
    }
    const run = this.#needActive();
    run.stop();
    try {
      await this.#refreshPredictions(run);
    } catch (error) {
      // A device that was lost during a pause shows here first; the run ends all the same.
      const { code, message } = failureOf(error);
      this.#parts.snapshot.notice('error', code, message);
    }
    this.#parts.snapshot.update({ phase: 'finished', outcome: 'stopped' });
    await this.#saveAutomatic(run);
  }

  save(store: StoreName | undefined): Promise<CheckpointEntry> {
    return this.keeper.save(this.#needRun(), this.data.need().source, store);
  }

  predictions(first: number, count: number): Promise<Predictions> {
    return this.#needRun().predict(first, count);
  }

  evaluation = (): Promise<Evaluation> => this.#needRun().evaluate();

  predictOn(source: DataSource): Promise<NewPredictions> {
    return this.data.beside(source, (dataset) => this.#needRun().predictOn(dataset));
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
    tellLost(this.#parts.snapshot, message, this.active);
    if (this.#run !== null && this.active) void this.#saveAutomatic(this.#run);
  }

  hostBack(): void {
    tellBack(this.#parts.snapshot);
  }

  /** What was there before stays until the new session exists. */
  async #prepare(
    { stored }: OpenDataset,
    begin: () => SessionStart | SessionRestored,
    idOf: (info: SessionInfo) => string,
  ): Promise<RunStarted> {
    const { core, snapshot } = this.#parts;
    const { phase } = this.state;
    this.trials.cancel();
    snapshot.update({ phase: 'preparing', failure: null });
    await nextTask();
    try {
      const start = begin();
      const { signal } = (this.#preparing = new AbortController());
      const tell = (preparing: Preparing): void => {
        snapshot.updateSoon({ preparing });
      };
      const info = await raced(core, start, { stored, signal, tell });
      const id = closingOnFailure(core, info, idOf);
      this.#closeRun();
      const history = 'history' in start ? restoredHistory(start.history) : emptyHistory();
      const events = this.#runEvents(() => run);
      const curve = (): RunState['history'] => this.state.history;
      const run: ActiveRun = new ActiveRun(id, core, info, stored, events, curve);
      this.#run = run;
      this.keeper.begin(history.epochs, info.state.step);
      const { config, device, choice, parameters } = info;
      const { trainWindows: train, validationWindows: validation, skippedWindows: skipped } = info;
      snapshot.update({
        ...NO_RUN,
        phase: 'training',
        run: id,
        offered: null,
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
      // What came from the host for it takes room here by now.
      if (stored !== null && stored.manifest.remote !== null) void this.data.refresh();
      run.start();
      return { config, device, choice, parameters };
    } catch (error) {
      snapshot.update({ phase, preparing: null, failure: failureOf(error) });
      await this.#tellDamage(error);
      throw error;
    }
  }

  #runEvents(current: () => ActiveRun): RunEvents {
    const { snapshot } = this.#parts;
    return {
      progressed: (progress, losses) => {
        snapshot.progress(progress, losses);
        if (losses.length > 0) void this.keeper.stepDone(current(), this.data.need().source);
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
        void this.#completed(current());
      },
      failed: (error) => {
        const failure = failureOf(error);
        snapshot.update({ phase: 'failed', failure });
        this.#tellBusy();
        void this.#tellDamage(error);
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
    if (Date.now() - this.#predictedAt >= PREDICTIONS_MS) {
      this.#refreshPredictions(run).catch((error: unknown) => {
        run.fail(error);
      });
    }
    void this.keeper.epochDone(run, this.data.need().source, summary);
  }

  /** The list of imports says which one is to be made anew. */
  async #tellDamage(error: unknown): Promise<void> {
    if (failureOf(error).code === 'dataset.damaged') await this.data.refresh();
  }

  async #completed(run: ActiveRun): Promise<void> {
    const { snapshot } = this.#parts;
    try {
      await this.#refreshPredictions(run);
    } catch (error) {
      snapshot.update({ phase: 'failed', failure: failureOf(error) });
      this.#tellBusy();
      return;
    }
    if (this.#run !== run) return;
    snapshot.update({ phase: 'finished', outcome: 'completed' });
    await this.#saveAutomatic(run);
  }

  async #refreshPredictions(run: ActiveRun): Promise<void> {
    const total = this.state.windows?.validation ?? 0;
    if (total === 0) return;
    this.#predictedAt = Date.now();
    const predictions = await run.predict(0, Math.min(PREDICTED, total));
    if (this.#run === run) this.#parts.snapshot.updateSoon({ predictions });
  }

  #saveAutomatic(run: ActiveRun): Promise<void> {
    return this.keeper.saveAutomatic(run, this.data.need().source);
  }

  #closeRun(): void {
    this.#run?.close();
    this.#run = null;
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

  #tellBusy(): void {
    this.#parts.busy(this.active || this.data.busy || this.keeper.busy);
  }
}
