// Trials of configurations: a session that makes a few steps, on the device that the run would be on, and is closed. A
// trial works turn by turn and is called off in the midst of any task, so that a run never waits for it; nothing of it is
// stored.
import type { RunConfig } from '../messages/state.ts';
import type { Measured, Trial } from '../messages/trial.ts';
import { trialKey, trialOf } from '../messages/trial.ts';
import type { Core } from './core.ts';
import type { SessionInfo, StepReply } from './core_replies.ts';
import type { OpenDataset } from './dataset.ts';
import { failureOf, TrainingError } from './errors.ts';
import { Pace, pause, rest } from './loop.ts';
import { nextTask, raced } from './preparing.ts';
import { feed } from './rows.ts';
import type { Feeding } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

const STEPS_MS = 600;
const VALIDATION_MS = 300;
const FEWEST_STEPS = 3;
/** The newest ones. */
const KEPT = 12;
/** What the core says of what does not fit. */
const UNFIT = new Set(['device.memory', 'memory.exhausted', 'core.memory', 'config.too_large']);

interface Trying {
  key: string;
  calledOff: AbortController;
  session: number | null;
  done: Promise<Trial>;
}

export class Trials {
  readonly #core: Core;
  readonly #snapshot: Snapshot;
  readonly #data: () => OpenDataset;
  #trying: Trying | null = null;

  /** `data` gives what the run would be on, or refuses a trial for now. */
  constructor({ core, snapshot }: { core: Core; snapshot: Snapshot }, data: () => OpenDataset) {
    this.#core = core;
    this.#snapshot = snapshot;
    this.#data = data;
  }

  /** What a run of this configuration would take. It is not measured again, unless that was called off. */
  async measure(config: RunConfig): Promise<Trial> {
    const dataset = this.#data();
    const key = trialKey(config);
    if (this.#trying?.key === key) return this.#trying.done;
    const known = trialOf(this.#snapshot.state.trials, key);
    if (known !== null && known.outcome !== 'cancelled') return known;
    this.cancel();
    const trying: Trying = {
      key,
      calledOff: new AbortController(),
      session: null,
      done: Promise.resolve({ key, outcome: 'measuring', measured: null, failure: null }),
    };
    this.#trying = trying;
    this.#keep({ key, outcome: 'measuring', measured: null, failure: null });
    trying.done = this.#run(trying, config, dataset);
    return trying.done;
  }

  /** At once: its session is gone when this returns. */
  cancel(): void {
    const trying = this.#trying;
    if (trying === null) return;
    this.#trying = null;
    trying.calledOff.abort(new TrainingError('trial.cancelled', 'The trial was called off.'));
    this.#close(trying);
    this.#keep({ key: trying.key, outcome: 'cancelled', measured: null, failure: null });
  }

  /** Other data: nothing is known of it. */
  clear(): void {
    this.cancel();
    if (this.#snapshot.state.trials.length > 0) this.#snapshot.update({ trials: [] });
  }

  /** A run that was found too large does not begin. */
  refuseUnfit(config: RunConfig): void {
    if (trialOf(this.#snapshot.state.trials, trialKey(config))?.outcome !== 'unfit') return;
    const message =
      'This run needs more memory than there is: choose a smaller model, a smaller batch or fewer columns.';
    throw new TrainingError('run.unfit', message);
  }

  async #run(trying: Trying, config: RunConfig, dataset: OpenDataset): Promise<Trial> {
    const { key } = trying;
    let trial: Trial;
    try {
      await nextTask();
      const measured = await this.#try(trying, config, dataset);
      trial = { key, outcome: 'measured', measured, failure: null };
    } catch (error) {
      const failure = failureOf(error);
      const outcome = UNFIT.has(failure.code) ? 'unfit' : 'failed';
      trial = { key, outcome, measured: null, failure };
    }
    if (trying.calledOff.signal.aborted)
      return { key, outcome: 'cancelled', measured: null, failure: null };
    this.#close(trying);
    this.#trying = null;
    this.#keep(trial);
    return trial;
  }

  async #try(
    trying: Trying,
    config: RunConfig,
    { handle, stored }: OpenDataset,
  ): Promise<Measured> {
    const { signal } = trying.calledOff;
    signal.throwIfAborted();
    const start = this.#core.sessionCreate(handle, config);
    trying.session = start.session;
    const feeding: Feeding = { stored, signal, tell: () => undefined };
    const info = await raced(this.#core, start, feeding);
    signal.throwIfAborted();
    const timed = await this.#steps(info, feeding);
    const validation = await this.#validation(info.session, signal);
    const { state, device, parameters, stepsPerEpoch } = info;
    const { peakBytes } = this.#core.sessionStep(info.session, 0);
    return {
      device,
      parameters,
      peakBytes,
      stepsPerEpoch,
      epochs: Number(info.config.training['epochs'] ?? 1),
      ...timed,
      secondsPerEpoch: (timed.step * stepsPerEpoch + validation) / 1000 / state.duty,
    };
  }

  /** The first step records what the others repeat: it counts only where there is no other. */
  async #steps(info: SessionInfo, feeding: Feeding): Promise<{ step: number; steps: number }> {
    const start = performance.now();
    let now = await this.#made(info, feeding, 0, 1);
    const from = now.step;
    const began = performance.now();
    if (now.epochDone) return { step: (began - start) / Math.max(1, from), steps: from };
    const pace = new Pace();
    while (!now.epochDone && !enough(now.step - from, performance.now() - began)) {
      const [before, turn] = [now.step, performance.now()];
      now = await this.#made(info, feeding, before, pace.steps);
      pace.took(now.step - before, performance.now() - turn, now.epochDone);
    }
    const steps = now.step - from;
    return { step: (performance.now() - began) / steps, steps };
  }

  /** At most so many steps after `from`, and at least one, done on the device. */
  async #made(
    { session, device }: SessionInfo,
    feeding: Feeding,
    from: number,
    most: number,
  ): Promise<StepReply> {
    let now: StepReply;
    let wanted = most;
    do {
      await pause();
      feeding.signal.throwIfAborted();
      now = this.#core.sessionStep(session, wanted);
      if (now.step > from) wanted = 0;
      if (now.device !== device) throw lost(now);
      if (now.needs !== null) await feed(this.#core, session, now.needs, feeding);
      else if (now.pending > 0 || now.preparing !== null) rest();
    } while (!now.epochDone && (now.step === from || now.pending > 0));
    return now;
  }

  /** Milliseconds of the whole of it, from the part that was done in its time; 0 where its rows are not there. */
  async #validation(session: number, signal: AbortSignal): Promise<number> {
    const began = performance.now();
    for (;;) {
      await pause();
      signal.throwIfAborted();
      const { done, fraction, needs } = this.#core.sessionValidate(session);
      const took = performance.now() - began;
      if (needs !== null) return 0;
      if (done) return took;
      if (took >= VALIDATION_MS && fraction > 0) return took / fraction;
    }
  }

  #close(trying: Trying): void {
    const { session } = trying;
    trying.session = null;
    if (session !== null) this.#core.sessionClose(session);
  }

  /** The newest last. */
  #keep(trial: Trial): void {
    const others = this.#snapshot.state.trials.filter(({ key }) => key !== trial.key);
    this.#snapshot.update({ trials: [...others, trial].slice(-KEPT) });
  }
}

function enough(steps: number, ms: number): boolean {
  return ms >= STEPS_MS && steps >= FEWEST_STEPS;
}

function lost({ notices }: StepReply): TrainingError {
  const said = notices.find(({ code }) => code.startsWith('device.'));
  return new TrainingError(said?.code ?? 'device.lost', said?.message ?? 'The device was lost.');
}
