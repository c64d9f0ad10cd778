// The training room: one data set, at most one run, and what a page may ask of them. Everything that lasts lives here in
// the worker, so that pages may come and go; a failed step leaves what was there before it.
import type { CommandOf, DataSource, RunStarted } from '../messages/commands.ts';
import type { Evaluation, NewPredictions } from '../messages/evaluation.ts';
import type { HostStatus } from '../messages/host_status.ts';
import { emptyHistory, isActive } from '../messages/state.ts';
import type {
  CheckpointEntry,
  EpochSummary,
  Predictions,
  Preparing,
  RunState,
  StoreName,
} from '../messages/state.ts';
import type { Runs } from '../storage/runs.ts';
import { ActiveRun } from './active_run.ts';
import type { Outcome, RunEvents } from './active_run.ts';
import type { SessionInfo, SessionRestored, SessionStart } from './core_replies.ts';
import { DataRoom } from './data_room.ts';
import type { DataParts } from './data_room.ts';
import type { OpenDataset } from './dataset.ts';
import { tellNotices } from './device_notices.ts';
import { Ends } from './ends.ts';
import { failureOf, TrainingError } from './errors.ts';
import { closingOnFailure, nextTask, raced } from './preparing.ts';
import { restoredHistory, addEpoch } from './history.ts';
import { tellBack, tellLost } from './host_notices.ts';
import { Keeper } from './keeper.ts';
import { NO_RUN, summaryIn } from './no_run.ts';
import { runName, runToGoOn } from './run_names.ts';
import type { Saving } from './saving.ts';
import { ShownPredictions } from './shown_predictions.ts';
import { Trials } from './trials.ts';

export interface TrainingParts extends DataParts {
  saving: Saving;
  runs: Runs;
  /** Whether something would be lost if the worker ended now. */
  busy: (busy: boolean) => void;
}

export class Training {
  readonly #parts: TrainingParts;
  #run: ActiveRun | null = null;
  #preparing: AbortController | null = null;
  readonly data: DataRoom;
  readonly keeper: Keeper;
  readonly trials: Trials;
  readonly ends = new Ends();
  readonly #shown: ShownPredictions;

  constructor(parts: TrainingParts) {
    this.#parts = parts;
    this.#shown = new ShownPredictions(parts.snapshot, () => this.#run);
    this.trials = new Trials(parts, () => {
      this.refuseWhileActive('try another one');
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

  get canStop(): boolean {
    return this.active && (this.state.phase !== 'preparing' || this.#loadsRows);
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
    this.refuseWhileActive('open another file');
    return this.data.open(source);
  }

  makeRoom(): ReturnType<DataRoom['makeRoom']> {
    this.refuseWhileActive('open another file');
    return this.data.makeRoom();
  }

  closeDataset(): void {
    this.refuseWhileActive('close the file');
    this.data.close();
  }

  /** `until` so many epochs are done, where the run is to rest before its end. */
  async startRun({ config }: CommandOf<'run.start'>, until?: number): Promise<RunStarted> {
    this.refuseWhileActive('start another run');
    this.data.refuseWhileReading();
    const dataset = this.data.need();
    this.trials.refuseUnfit(config);
    return this.#prepare(
      dataset,
      () => this.#parts.core.sessionCreate(dataset.handle, config),
      (info) => runName(info.config.model.name, new Date()),
      until,
    );
  }

  async resumeCheckpoint(
    command: CommandOf<'checkpoint.resume'>,
    until?: number,
  ): Promise<RunStarted> {
    const { store, id, epochs, device } = command;
    this.refuseWhileActive('resume a checkpoint');
    const closed = this.state.description === null;
    const bytes = await this.#parts.saving.read(store, id);
    const summary = summaryIn(bytes, id);
    if (closed) await this.data.reopenFor(id, summary.data);
    const checkpoints = await this.keeper.refresh();
    // While the checkpoint was read, another page may have started a run, opened a file or closed this one.
    this.refuseWhileActive('resume a checkpoint');
    this.data.refuseWhileReading();
    const dataset = this.data.need();
    const total = epochs && (summary.epoch ?? 0) + epochs;
    const training = { ...(total && { epochs: total }), ...(device && { device }) };
    const restore = (): SessionRestored =>
      this.#parts.core.sessionRestore(dataset.handle, bytes, { training });
    const idOf = ({ state, config: { model } }: SessionInfo): string => {
      if (!state.finished) return runToGoOn(id, checkpoints) ?? runName(model.name, new Date());
      const message = `The run of ${id} has finished its ${String(state.epoch)} epochs: say how many more to train.`;
      throw new TrainingError('checkpoint.finished', message);
    };
    return this.#prepare(dataset, restore, idOf, until);
  }

  removeRun(store: StoreName, run: string): Promise<void> {
    if (this.#run?.id === run) this.refuseWhileActive('remove its checkpoints');
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
    if (this.#loadsRows) {
      const message = 'The run was called off while its rows were loaded.';
      this.#preparing?.abort(new TrainingError('run.cancelled', message));
      return;
    }
    const run = this.#needActive();
    run.stop();
    try {
      await this.#shown.refresh(run);
    } catch (error) {
      // A device that was lost during a pause shows here first; the run ends all the same.
      const { code, message } = failureOf(error);
      this.#parts.snapshot.notice('error', code, message);
    }
    await this.#end(run, 'stopped');
  }

  get #loadsRows(): boolean {
    return this.state.phase === 'preparing' && this.state.preparing?.what === 'rows';
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
    until: number | null = null,
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
      run.until = until;
      this.#run = run;
      this.keeper.begin(history.epochs, info.state.step);
      const { config, device, choice, parameters } = info;
      const { trainWindows: train, validationWindows: validation, skippedWindows: skipped } = info;
      snapshot.update({
        ...NO_RUN,
        phase: 'training',
        run: id,
        candidate: until !== null,
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
      tellNotices(snapshot, info.state);
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
        tellNotices(snapshot, { notices, device });
      },
      epochDone: (summary, baselines, best) => {
        snapshot.updateSoon({ best });
        this.#epochDone(current(), summary, baselines);
      },
      finished: (outcome) => {
        void this.#finished(current(), outcome);
      },
      failed: (error) => {
        const failure = failureOf(error);
        snapshot.update({ phase: 'failed', failure });
        this.#tellBusy();
        void this.#failed(current(), error);
      },
    };
  }

  #epochDone(run: ActiveRun, summary: EpochSummary, baselines: RunState['baselines']): void {
    const { snapshot } = this.#parts;
    addEpoch(this.state.history, summary);
    const phase = this.state.phase === 'validating' ? 'training' : this.state.phase;
    snapshot.updateSoon({ phase, baselines: baselines ?? this.state.baselines });
    if (this.#shown.due) {
      this.#shown.refresh(run).catch((error: unknown) => {
        run.fail(error);
      });
    }
    void this.keeper.epochDone(run, this.data.need().source, summary);
  }

  /** The list of imports says which one is to be made anew. */
  async #tellDamage(error: unknown): Promise<void> {
    if (failureOf(error).code === 'dataset.damaged') await this.data.refresh();
  }

  async #finished(run: ActiveRun, outcome: Outcome): Promise<void> {
    try {
      await this.#shown.refresh(run);
    } catch (error) {
      this.#parts.snapshot.update({ phase: 'failed', failure: failureOf(error) });
      this.#tellBusy();
      this.ends.tell();
      return;
    }
    if (this.#run === run) await this.#end(run, outcome);
  }

  async #end(run: ActiveRun, outcome: Outcome): Promise<void> {
    this.#parts.snapshot.update({ phase: 'finished', outcome });
    await this.#saveAutomatic(run).finally(this.ends.tell);
  }

  async #failed(run: ActiveRun, error: unknown): Promise<void> {
    const tellDamage = this.#tellDamage(error);
    // The step that would have spoilt the run was not applied: what it had reached is kept.
    if (failureOf(error).code === 'train.diverged') await this.#saveAutomatic(run);
    await tellDamage.finally(this.ends.tell);
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

  refuseWhileActive(what: string): void {
    if (!this.active) return;
    throw new TrainingError('run.active', `A run is in progress: stop it to ${what}.`);
  }

  #tellBusy(): void {
    this.#parts.busy(this.active || this.data.busy || this.keeper.busy);
  }
}
