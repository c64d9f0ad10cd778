// A run, or a search, in one glance, for the browser's own places: the mark on the icon, its title, a notification, the machine's
// power. The training worker makes it from its state, and the background shows it without knowing any more of the run.
import { bestTrial, searchDone, searchOfRun } from './search.ts';
import type { Search } from './search.ts';
import { isActive } from './state.ts';
import type { Progress, RunState } from './state.ts';

export type MarkKind =
  'none' | 'preparing' | 'training' | 'paused' | 'interrupted' | 'done' | 'stopped' | 'failed';

/** What a person who looks elsewhere may want to be told. */
export interface MarkNews {
  what: 'done' | 'searched' | 'failed' | 'trouble' | 'interrupted';
  /** What went wrong, as a failure is told; '' where nothing did. */
  code: string;
  message: string;
}

export interface RunMark {
  kind: MarkKind;
  run: string | null;
  /** Of its data. */
  name: string;
  /** Done part in whole percent. */
  percent: number | null;
  loss: number | null;
  secondsLeft: number | null;
  /** What has happened just now. */
  news: MarkNews | null;
}

/** Done part of a run, 0 to 1. */
export function partDone({ epoch, epochs, stepInEpoch, stepsPerEpoch }: Progress): number | null {
  if (epochs <= 0 || stepsPerEpoch <= 0) return null;
  return Math.min(1, Math.max(0, (epoch + stepInEpoch / stepsPerEpoch) / epochs));
}

const SEARCH_KINDS: Record<Search['outcome'], MarkKind> = {
  running: 'training',
  completed: 'done',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'failed',
};

export function kindOf(state: RunState): MarkKind {
  const { phase, outcome, progress } = state;
  const search = searchOfRun(state);
  if (search !== null && phase !== 'paused') return SEARCH_KINDS[search.outcome];
  if (phase === 'validating') return 'training';
  if (phase === 'preparing' || phase === 'training' || phase === 'paused') return phase;
  if (phase === 'finished') return outcome === 'completed' ? 'done' : 'stopped';
  // A file that cannot be read is no failed run.
  return phase === 'failed' && progress !== null ? 'failed' : 'none';
}

export function markOf(state: RunState, news: MarkNews | null = null): RunMark {
  const { run, source, progress, phase, history } = state;
  const trainLoss = progress?.trainLoss ?? history.epochs.at(-1)?.trainLoss ?? null;
  const search = searchOfRun(state);
  const part =
    search !== null ? searchDone(search, progress) : progress === null ? null : partDone(progress);
  return {
    kind: kindOf(state),
    run,
    name: source?.name ?? '',
    // All but done is not done.
    percent: part === null ? null : Math.floor(100 * part),
    loss: search === null ? trainLoss : (search.trials[bestTrial(search) ?? -1]?.loss ?? null),
    // What is left of its run says nothing of a search.
    secondsLeft: isActive(phase) && search === null ? (progress?.secondsLeft ?? null) : null,
    news,
  };
}
