// A search for better settings: runs of one configuration with other values of a few fields, by successive halving
// (Jamieson and Talwalkar 2016, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", which Hyperband,
// Li et al. 2018, calls in its rounds). All candidates are trained for a few epochs, the third with the smallest
// validation losses goes on to three times as many, and so on, until one has all the epochs of the run as it was set.
import { sourceInfo } from './data.ts';
import { runConfig } from './run_config.ts';
import type { Progress, RunConfig, RunState } from './state.ts';
import * as v from './validate.ts';

/** Of each rung a third goes on. */
export const KEPT_OF = 3;
export const MOST_TRIALS = 27;
export const MOST_RANGES = 10;

const about = {
  group: v.oneOf('model', 'training'),
  field: v.text(100, 1),
  /** What a person called it who began the search: the names of its runs have it. */
  label: v.text(100),
  /** Its value in the run as it was set. */
  now: v.anyNumber,
};

/** A field that is varied, and what it may be. */
export const searchRange = v.variant('kind', {
  // As many values below the middle of the exponents as above it.
  log: v.object({
    kind: v.oneOf('log'),
    ...about,
    least: v.number(Number.MIN_VALUE),
    most: v.number(Number.MIN_VALUE),
  }),
  list: v.object({ kind: v.oneOf('list'), ...about, values: v.list(v.anyNumber, 20, 1) }),
});

export type SearchRange = v.Checked<typeof searchRange>;

const trial = v.object({
  /** By field. */
  values: v.mapOf(v.anyNumber),
  /** Index of the last one that it took part in. */
  rung: v.integer(0),
  /** In that rung. 'out': others were better. */
  outcome: v.oneOf('waiting', 'training', 'done', 'out', 'failed'),
  /** That it was trained for so far. */
  epochs: v.integer(0),
  /** It ended by itself before all its epochs. */
  ended: v.boolean,
  /** Its best validation loss; null before the first, and of one that failed. */
  loss: v.nullable(v.anyNumber),
  run: v.nullable(v.text(100)),
  failure: v.nullable(v.object({ code: v.text(200), message: v.text() })),
});

export type SearchTrial = v.Checked<typeof trial>;

const rung = v.object({
  trials: v.integer(1),
  /** In all, after it. */
  epochs: v.integer(1),
});

export type Rung = v.Checked<typeof rung>;

export const search = v.object({
  /** Its runs have it in their notes. */
  tag: v.text(100, 1),
  /** 'interrupted': the browser ended meanwhile. */
  outcome: v.oneOf('running', 'completed', 'stopped', 'interrupted', 'failed'),
  source: sourceInfo,
  config: runConfig,
  ranges: v.list(searchRange, MOST_RANGES, 1),
  rungs: v.list(rung, MOST_TRIALS, 1),
  /** Index of the one that is under way, or was last. */
  rung: v.integer(0),
  trials: v.list(trial, MOST_TRIALS, 1),
  failure: v.nullable(v.object({ code: v.text(200), message: v.text() })),
});

export type Search = v.Checked<typeof search>;

export function survivors(count: number): number {
  return Math.max(1, Math.floor(count / KEPT_OF));
}

/** How many are trained up to which epoch; where there are few epochs, there are few rungs. */
export function rungsFor(trials: number, epochs: number): Rung[] {
  const counts = [trials];
  for (let left = trials; left > 1; left = survivors(left)) counts.push(survivors(left));
  const ends = [epochs];
  while (ends.length < counts.length) {
    const [first = 1] = ends;
    if (first === 1) break;
    ends.unshift(Math.ceil(first / KEPT_OF));
  }
  return ends.map((end, i) => ({ trials: counts[i] ?? 1, epochs: end }));
}

/** Epochs that a rung adds for each of its candidates. */
function added(rungs: readonly Rung[], index: number): number {
  return (rungs[index]?.epochs ?? 0) - (rungs[index - 1]?.epochs ?? 0);
}

/** Epochs of all candidates together. */
export function totalEpochs(rungs: readonly Rung[]): number {
  return rungs.reduce((sum, { trials }, i) => sum + trials * added(rungs, i), 0);
}

/** The run of these settings as a person would begin it. */
export function configOf({ config, ranges, trials }: Search, index: number): RunConfig {
  const values = trials[index]?.values ?? {};
  const of = (group: SearchRange['group']): Record<string, number> =>
    Object.fromEntries(
      ranges.flatMap(({ group: own, field }) => {
        const value = values[field];
        return own === group && value !== undefined ? [[field, value]] : [];
      }),
    );
  return {
    ...config,
    model: { ...config.model, ...of('model') },
    training: { ...config.training, ...of('training') },
  };
}

/** Indices of these trials, the smallest loss first; those without one come last. */
export function ranked(
  trials: readonly SearchTrial[],
  indices: readonly number[] = trials.map((_, i) => i),
): number[] {
  const loss = (i: number): number => trials[i]?.loss ?? Infinity;
  return [...indices].sort((a, b) => (loss(a) === loss(b) ? a - b : loss(a) - loss(b)));
}

/** The trial with the smallest loss; null before there is one. */
export function bestTrial({ trials }: Search): number | null {
  const [best] = ranked(trials);
  return best !== undefined && trials[best]?.loss != null ? best : null;
}

/** Of the rung that is under way: those that are over, and all. */
export function rungDone({ trials, rung: at }: Search): { done: number; of: number } {
  const inRung = trials.filter(({ rung: own }) => own === at);
  const left = inRung.filter(({ outcome }) => outcome === 'waiting' || outcome === 'training');
  return { done: inRung.length - left.length, of: inRung.length };
}

/** Done part of the whole, 0 to 1; `progress` is that of the run that is under way. */
export function searchDone(now: Search, progress: Progress | null): number {
  if (now.outcome === 'completed') return 1;
  const { rungs, rung: at } = now;
  const before = rungs.slice(0, at);
  const { done, of } = rungDone(now);
  const epochs = (progress?.epoch ?? 0) + part(progress) - (rungs[at - 1]?.epochs ?? 0);
  const current = now.trials.some(({ outcome }) => outcome === 'training')
    ? Math.min(1, Math.max(0, epochs / added(rungs, at)))
    : 0;
  const inRung = of === 0 ? 1 : Math.min(1, (done + current) / of);
  const whole = totalEpochs(before) + inRung * (rungs[at]?.trials ?? 0) * added(rungs, at);
  return Math.min(1, whole / totalEpochs(rungs));
}

function part(progress: Progress | null): number {
  if (progress === null || progress.stepsPerEpoch <= 0) return 0;
  return progress.stepInEpoch / progress.stepsPerEpoch;
}

export function isSearching({ search: now }: Pick<RunState, 'search'>): boolean {
  return now?.outcome === 'running';
}

/** The search that the worker's run belongs to, or that is between two of its runs. */
export function searchOfRun(state: Pick<RunState, 'search' | 'candidate'>): Search | null {
  return state.candidate || isSearching(state) ? state.search : null;
}

/** It was stopped or cut off, and may go on. */
export function canContinue({ outcome }: Search): boolean {
  return outcome === 'stopped' || outcome === 'interrupted';
}
