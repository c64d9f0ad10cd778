// One training session in the core, driven turn by turn: steps until the epoch is done, validation until that is done, the
// next epoch. It can be paused between any two turns, and its checkpoint is taken at the first moment when no loss is
// still on the device.
import type {
  Baselines,
  EpochSummary,
  History,
  Predictions,
  Preparing,
  Progress,
} from '../messages/state.ts';
import type { Evaluation, NewPredictions } from '../messages/evaluation.ts';
import type { StoredDataset } from '../storage/datasets.ts';
import type { Counters } from '../messages/commands.ts';
import { CoreError } from './core.ts';
import type { Core } from './core.ts';
import type { Needs, SessionInfo, StepReply, ValidateReply } from './core_replies.ts';
import type { OpenDataset } from './dataset.ts';
import { TrainingError } from './errors.ts';
import { summaryOfEpoch } from './history.ts';
import { evaluate, Judging, predictOn } from './judging.ts';
import { savingPlan } from './retention.ts';
import type { SavingPlan } from './retention.ts';
import { Loop, Pace, rest, Rests, SpeedMeter } from './loop.ts';
import { nextTask } from './preparing.ts';
import { TimeLeft } from './time_left.ts';
import { feed } from './rows.ts';

const TURN_MS = 12;

export type Outcome = 'completed' | 'stopped';

export interface RunEvents {
  progressed: (progress: Progress, losses: [number, number][]) => void;
  /** Something that a person should know, and on which device the run goes on. */
  noticed: (notices: StepReply['notices'], device: StepReply['device']) => void;
  /** The device prepares its programs, or rows are loaded; null: that is done. */
  preparing: (preparing: Preparing | null) => void;
  validating: () => void;
  epochDone: (summary: EpochSummary, baselines: Baselines | null, best: StepReply['best']) => void;
  /** All epochs are done, or those until which it was to go. */
  finished: (outcome: Outcome) => void;
  failed: (error: unknown) => void;
}

/** A checkpoint and the place in the run at which it was taken. */
export interface Captured {
  bytes: Uint8Array<ArrayBuffer>;
  step: number;
  epoch: number;
}

interface Capture {
  resolve: (captured: Captured) => void;
  reject: (error: unknown) => void;
}

export class ActiveRun {
  readonly id: string;
  readonly epochs: number;
  readonly plan: SavingPlan;
  /** Epochs after which it rests before its end, as a candidate of a search does. */
  until: number | null = null;
  readonly #core: Core;
  readonly #session: number;
  /** Where its rows are, when they are not in the core. */
  readonly #stored: StoredDataset | null;
  readonly #closing = new AbortController();
  #loading: Promise<unknown> | null = null;
  readonly #judging = new Judging(
    () => !this.#paused && !this.#ended,
    () => this.#rested(),
  );
  readonly #events: RunEvents;
  readonly #history: () => History;
  readonly #loop = new Loop(() => this.#turn());
  #pace = new Pace();
  readonly #rests = new Rests();
  readonly #meter = new SpeedMeter();
  #captures: Capture[] = [];
  #state: StepReply;
  #stage: 'training' | 'validating' = 'training';
  #paused = false;
  #ended = false;
  #lastTurnAt: number | null = null;
  #epochSteps = 0;
  #epochMs = 0;
  #left = new TimeLeft();
  #trainLoss: number | null = null;
  #preparing = false;

  constructor(
    id: string,
    core: Core,
    info: SessionInfo,
    stored: StoredDataset | null,
    events: RunEvents,
    history: () => History,
  ) {
    this.id = id;
    this.epochs = Number(info.config.training['epochs'] ?? 1);
    this.plan = savingPlan(info.config.training);
    this.#core = core;
    this.#session = info.session;
    this.#stored = stored;
    this.#state = info.state;
    this.#rests.duty = info.state.duty;
    this.#events = events;
    this.#history = history;
  }

  get stage(): 'training' | 'validating' {
    return this.#stage;
  }

  /** Begins, or goes on after a pause. */
  start(): void {
    this.#judging.end();
    this.#paused = false;
    this.#lastTurnAt = null;
    this.#left.begin(performance.now(), this.#state.step);
    this.#loadFor(this.#state.needs);
    this.#loop.start();
    if (this.#ended || !this.#done) return;
    this.#ended = true;
    this.#tellDone();
  }

  pause(): void {
    this.#paused = true;
  }

  /** No further step is made; predictions and checkpoints are still to be had. */
  stop(): void {
    this.#ended = true;
  }

  close(): void {
    this.#ended = true;
    this.#judging.end();
    this.#closing.abort();
    this.#loop.close();
    this.#failCaptures(
      new TrainingError('run.closed', 'The run was closed before its checkpoint was taken.'),
    );
    this.#core.sessionClose(this.#session);
  }

  /** How hard it works from now on. */
  setEffort(effort: string): void {
    this.#note(this.#core.sessionSetEffort(this.#session, effort));
    this.#forgetRate();
    if (!this.#paused && !this.#ended) this.#loop.start();
  }

  /** The checkpoint of the next moment without pending losses. */
  capture(): Promise<Captured> {
    return new Promise((resolve, reject) => {
      this.#captures.push({ resolve, reject });
      this.#loop.start();
    });
  }

  async predict(first: number, count: number): Promise<Predictions> {
    for (;;) {
      await this.#loading;
      const { needs, predictions } = this.#core.sessionPredict(this.#session, first, count);
      if (predictions !== null) return predictions;
      this.#loadFor(needs);
    }
  }

  evaluate(): Promise<Evaluation> {
    return this.#judging.once((signal) =>
      evaluate(this.#core, this.#session, signal, async (needs) => {
        this.#loadFor(needs);
        await this.#loading;
      }),
    );
  }

  predictOn(dataset: OpenDataset): Promise<NewPredictions> {
    return this.#judging.judged((signal) => predictOn(this.#core, this.#session, dataset, signal));
  }

  /** Until no rows are being loaded, and the last checkpoint, which may just be on its way, is taken. */
  async #rested(): Promise<void> {
    await this.#loading;
    while (this.#captures.length > 0) await nextTask();
  }

  /** Ends it with what has gone wrong outside of its turns. */
  fail(error: unknown): void {
    if (!this.#ended) this.#fail(error);
  }

  counters(): Counters {
    return this.#core.sessionCounters(this.#session);
  }

  progress(): Progress {
    const { step, epoch, stepInEpoch, stepsPerEpoch, learningRate, gradientNorm } = this.#state;
    return {
      step,
      epoch,
      epochs: this.epochs,
      stepInEpoch,
      stepsPerEpoch,
      stepsPerSecond: this.#meter.perSecond,
      secondsLeft: this.#secondsLeft(),
      trainLoss: this.#trainLoss,
      learningRate,
      gradientNorm,
      peakBytes: this.#state.peakBytes,
      heapBytes: this.#core.memory().length,
    };
  }

  #turn(): number | null {
    if (this.#loading !== null) return null;
    if (this.#captures.length > 0 && !this.#capture()) return this.#goesOn ? 0 : null;
    if (this.#paused || this.#ended || this.#isLoading()) return null;
    this.#rests.working(performance.now());
    try {
      if (this.#stage === 'training') this.#train();
      else this.#validate();
    } catch (error) {
      this.#fail(error);
    }
    return this.#goesOn ? this.#rest() : null;
  }

  get #goesOn(): boolean {
    return this.#captures.length > 0 || !(this.#paused || this.#ended);
  }

  /** Once what the device has got is done. */
  #rest(): number {
    const now = performance.now();
    return this.#rests.due(now) && this.#state.pending === 0 ? this.#rests.take(now) : 0;
  }

  #train(): void {
    const { step } = this.#state;
    const began = performance.now();
    const most = this.#rests.due(began) ? 0 : this.#pace.steps;
    const reply = this.#core.sessionStep(this.#session, most);
    const now = performance.now();
    const steps = reply.step - step;
    this.#pace.took(steps, now - began, reply.stepInEpoch === reply.stepsPerEpoch);
    if (steps === 0 && (reply.pending > 0 || reply.preparing !== null)) rest();
    // Between two turns lies what commands and messages took: it belongs to the pace that a person sees.
    const elapsed = now - (this.#lastTurnAt ?? began);
    this.#lastTurnAt = now;
    this.#epochSteps += steps;
    this.#epochMs += elapsed;
    this.#meter.add(steps, elapsed);
    this.#note(reply);
    if (!reply.epochDone) return;
    this.#stage = 'validating';
    this.#lastTurnAt = null;
    this.#events.validating();
  }

  #validate(): void {
    const began = performance.now();
    let reply: ValidateReply;
    do reply = this.#core.sessionValidate(this.#session);
    while (!reply.done && reply.needs === null && performance.now() - began < TURN_MS);
    this.#loadFor(reply.needs);
    this.#left.note(performance.now(), this.#state.step);
    this.#events.progressed(this.progress(), []);
    if (!reply.done) return;
    const stepsPerSecond = this.#epochMs > 0 ? (1000 * this.#epochSteps) / this.#epochMs : null;
    const trained = { epoch: this.#state.epoch + 1, trainLoss: this.#trainLoss, stepsPerSecond };
    const summary = summaryOfEpoch(trained, reply);
    this.#epochSteps = 0;
    this.#epochMs = 0;
    this.#stage = 'training';
    this.#note(this.#core.sessionNextEpoch(this.#session));
    this.#ended = this.#done;
    this.#events.epochDone(summary, reply.baselines, this.#state.best);
    if (this.#ended) this.#tellDone();
  }

  get #done(): boolean {
    return this.#state.finished || this.#state.epoch >= (this.until ?? Infinity);
  }

  #tellDone(): void {
    this.#events.finished(this.#state.finished ? 'completed' : 'stopped');
  }

  /** False while losses are still on the device, and when it failed: the session is left alone until the next turn. */
  #capture(): boolean {
    let stepped = false;
    try {
      this.#note(this.#core.sessionStep(this.#session, 0));
      stepped = true;
      if (this.#state.pending > 0) {
        rest();
        return false;
      }
      const bytes = this.#core.sessionCheckpoint(this.#session, this.#history());
      const captures = this.#captures;
      this.#captures = [];
      const { step, epoch } = this.#state;
      for (const { resolve } of captures) resolve({ bytes, step, epoch });
      return true;
    } catch (error) {
      const code = error instanceof CoreError ? error.code : null;
      // A device that was lost right now has taken steps with it, which are made again first.
      if (code === 'train.pending') return false;
      // A refused checkpoint leaves a sound session; a failed step does not, nor a core that crashed.
      const broken = !stepped || code === 'core.crashed';
      if (broken && !this.#ended) this.#fail(error);
      else this.#failCaptures(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    this.#ended = true;
    this.#failCaptures(error);
    this.#events.failed(error);
  }

  #failCaptures(error: unknown): void {
    const captures = this.#captures;
    this.#captures = [];
    for (const { reject } of captures) reject(error);
  }

  #note(reply: StepReply): void {
    // What one device does in a turn may take another one minutes.
    const moved = reply.device !== this.#state.device;
    if (moved) this.#pace = new Pace();
    this.#state = reply;
    if (moved) this.#forgetRate();
    if (!this.#paused) this.#left.note(performance.now(), reply.step);
    this.#rests.duty = reply.duty;
    this.#trainLoss = reply.trainLoss ?? this.#trainLoss;
    this.#events.progressed(this.progress(), reply.recent);
    const { preparing } = reply;
    if (preparing !== null || this.#preparing)
      this.#events.preparing(preparing && { what: 'programs', ...preparing });
    this.#preparing = preparing !== null;
    if (reply.notices.length > 0) this.#events.noticed(reply.notices, reply.device);
    this.#loadFor(reply.needs);
  }

  #isLoading(): boolean {
    return this.#loading !== null;
  }

  /** Turns go on when the rows are there. */
  #loadFor(needs: Needs | null): void {
    if (needs === null || this.#loading !== null) return;
    const { signal } = this.#closing;
    const tell = (preparing: Preparing): void => {
      this.#events.preparing(preparing);
    };
    const feeding = { stored: this.#stored, signal, tell };
    this.#loading = feed(this.#core, this.#session, needs, feeding).finally(() => {
      this.#loading = null;
    });
    this.#loading.then(
      () => {
        this.#events.preparing(null);
        this.#loop.start();
      },
      (error: unknown) => {
        this.fail(error);
      },
    );
  }

  /** What it took so far says nothing of what it takes from now on. */
  #forgetRate(): void {
    this.#left = new TimeLeft();
    this.#left.begin(performance.now(), this.#state.step);
  }

  #secondsLeft(): number | null {
    const { step, stepsPerEpoch } = this.#state;
    return this.#left.seconds(Math.max(0, this.epochs * stepsPerEpoch - step));
  }
}
