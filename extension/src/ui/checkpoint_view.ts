// The saved checkpoints of both stores by run, the newest run first, as short texts.

import { runOf } from '../messages/checkpoint_names.ts';
import { bestOf, groupRuns, lastOf } from '../messages/runs.ts';
import type { RunGroup } from '../messages/runs.ts';
import { isSearching } from '../messages/search.ts';
import type { CheckpointEntry, RunState, StoreName } from '../messages/state.ts';
import { isActive } from '../messages/state.ts';
import { formatBytes, formatCount, formatLoss, formatMoment } from './format.ts';
import { counted, t } from '../texts.ts';

export interface CheckpointView {
  key: string;
  id: string;
  /** The file's name without its ending, which is the same for all. */
  name: string;
  store: StoreName;
  detail: string;
  moment: string;
  /** What a person looks for among a run's checkpoints. */
  marks: ('best' | 'last')[];
  /** Why it cannot be used; null when it is whole. */
  problem: string | null;
  canResume: boolean;
}

export interface RunGroupView {
  key: string;
  run: string;
  store: StoreName;
  storeLabel: string;
  /** The person's own, or the folder's. */
  title: string;
  name: string;
  note: string;
  /** How many checkpoints, how large they are together, and of which data. */
  detail: string;
  problem: string | null;
  checkpoints: CheckpointView[];
}

export function viewRuns(
  state: RunState,
  arrange: (groups: RunGroup[]) => RunGroup[] = (groups) => groups,
): RunGroupView[] {
  const free = !isActive(state.phase) && state.phase !== 'reading' && !isSearching(state);
  return arrange(groupRuns(state.checkpoints, state.runs)).map((group) => viewGroup(group, free));
}

/** "4 checkpoints, 1.2 MB" of all runs. */
export function totalText({ checkpoints }: RunState): string {
  return counted('checkpointsSize', checkpoints.length, formatBytes(sizeOf(checkpoints)));
}

function viewGroup(group: RunGroup, free: boolean): RunGroupView {
  const { store, run, name, note, reason, checkpoints } = group;
  const [best, last] = [bestOf(checkpoints), lastOf(checkpoints)];
  const data = checkpoints.find((entry) => entry.data !== null)?.data ?? null;
  const parts = [counted('checkpoints', checkpoints.length), formatBytes(sizeOf(checkpoints))];
  if (data !== null) parts.push(data.name);
  return {
    key: `${store}/${run}`,
    run,
    store,
    storeLabel: t(`store_${store}`),
    title: name === '' ? run : name,
    name,
    note,
    detail: parts.join(' · '),
    problem: reason,
    checkpoints: checkpoints.map((entry) => ({
      key: `${entry.store}/${entry.id}`,
      id: entry.id,
      name: entry.id.slice(runOf(entry.id).length + 1).replace(/\.safetensors$/, ''),
      store: entry.store,
      detail: detailOf(entry),
      moment: formatMoment(entry.time),
      marks: [
        ...(checkpoints.length > 1 && entry === best ? (['best'] as const) : []),
        ...(checkpoints.length > 1 && entry === last ? (['last'] as const) : []),
      ],
      problem: entry.ok ? null : t('cannotBeUsed', entry.reason ?? t('notWhole')),
      canResume: entry.ok && free,
    })),
  };
}

function sizeOf(entries: readonly CheckpointEntry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}

function detailOf({ step, epoch, loss, device, size }: CheckpointEntry): string {
  const parts: string[] = [];
  if (step !== null) parts.push(t('stepNumber', formatCount(step)));
  if (epoch !== null) parts.push(t('epochSmall', formatCount(epoch)));
  if (loss !== null) parts.push(t('lossNumber', formatLoss(loss)));
  if (device !== null) parts.push(t(`deviceSmall_${device}`));
  parts.push(formatBytes(size));
  return parts.join(' · ');
}
