// The checkpoints of a store by run, and which of a run's are the best and the last: pages mark them, and saving keeps
// them.
import { runOf } from './checkpoint_names.ts';
import type { CheckpointEntry, StoredRun, StoreName } from './state.ts';

export interface RunGroup extends StoredRun {
  /** The last one first; those that cannot be used at the end. */
  checkpoints: CheckpointEntry[];
}

/** Smallest validation loss; of equal ones the first, since those after it may be its weights trained on. */
export function bestOf(entries: readonly CheckpointEntry[]): CheckpointEntry | null {
  let best: CheckpointEntry | null = null;
  for (const entry of entries) {
    if (!entry.ok || entry.loss === null) continue;
    const lead = (best?.loss ?? Infinity) - entry.loss;
    if (lead > 0 || (lead === 0 && (entry.step ?? 0) < (best?.step ?? 0))) best = entry;
  }
  return best;
}

export function lastOf(entries: readonly CheckpointEntry[]): CheckpointEntry | null {
  let last: CheckpointEntry | null = null;
  for (const entry of entries) {
    if (entry.ok && entry.step !== null && entry.step >= (last?.step ?? 0)) last = entry;
  }
  return last;
}

/** Groups of both stores, the one with the newest checkpoint first; runs without checkpoints come last. */
export function groupRuns(
  checkpoints: readonly CheckpointEntry[],
  runs: readonly StoredRun[],
): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  const groupOf = (store: StoreName, run: string): RunGroup => {
    const key = `${store}/${run}`;
    const group = groups.get(key) ?? {
      store,
      run,
      name: '',
      note: '',
      reason: null,
      checkpoints: [],
    };
    groups.set(key, group);
    return group;
  };
  for (const run of runs) Object.assign(groupOf(run.store, run.run), run);
  for (const entry of checkpoints) groupOf(entry.store, runOf(entry.id)).checkpoints.push(entry);
  for (const { checkpoints: own } of groups.values()) {
    own.sort((a, b) => (b.step ?? -1) - (a.step ?? -1) || b.time - a.time);
  }
  const newest = ({ checkpoints: own }: RunGroup): number =>
    Math.max(0, ...own.map(({ time }) => time));
  return [...groups.values()].sort((a, b) => newest(b) - newest(a) || a.run.localeCompare(b.run));
}

export type RunOrderName = 'newest' | 'name' | 'loss' | 'size';

/** "#rain" and the like in a note, without regard to case. */
export function tagsOf(note: string): string[] {
  const found = note.matchAll(/(?:^|\s)(#[\p{L}\p{N}_-]{1,40})(?=$|[\s.,;:!?])/gu);
  return [...new Set(Array.from(found, ([, tag = '']) => tag.toLowerCase()))];
}

/** `newest` is the order in which groups come; runs without a loss come last where the loss decides. */
export function sortRuns(groups: readonly RunGroup[], by: RunOrderName): RunGroup[] {
  if (by === 'newest') return [...groups];
  const title = ({ name, run }: RunGroup): string => (name === '' ? run : name);
  if (by === 'name') return [...groups].sort((a, b) => title(a).localeCompare(title(b)));
  const key = (group: RunGroup): number =>
    by === 'loss'
      ? (bestOf(group.checkpoints)?.loss ?? Infinity)
      : -group.checkpoints.reduce((sum, { size }) => sum + size, 0);
  const keys = new Map(groups.map((group) => [group, key(group)]));
  const of = (group: RunGroup): number => keys.get(group) ?? Infinity;
  return [...groups].sort((a, b) => (of(a) === of(b) ? 0 : of(a) - of(b)));
}
