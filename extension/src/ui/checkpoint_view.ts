// The saved checkpoints of both stores by run, the newest run first, as short texts.

import { runOf } from '../messages/checkpoint_names.ts';
import { bestOf, groupRuns, lastOf } from '../messages/runs.ts';
import type { RunGroup } from '../messages/runs.ts';
import type { CheckpointEntry, RunState, StoreName } from '../messages/state.ts';
import { isActive } from '../messages/state.ts';
import { deviceText } from './device_view.ts';
import { formatBytes, formatCount, formatLoss, formatMoment, plural } from './format.ts';

export interface CheckpointView {
  key: string;
  id: string;
  /** The file's name without its ending, which is the same for all. */
  name: string;
  store: StoreName;
  detail: string;
  moment: string;
  /** What a person looks for among a run's checkpoints. */
  marks: string[];
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

export const storeLabels: Record<StoreName, string> = {
  host: 'Shadegrad folder',
  browser: 'This browser',
};

export function viewRuns(state: RunState): RunGroupView[] {
  const free = !isActive(state.phase) && state.phase !== 'reading';
  return groupRuns(state.checkpoints, state.runs).map((group) => viewGroup(group, free));
}

/** "4 checkpoints, 1.2 MB" of all runs. */
export function totalText({ checkpoints }: RunState): string {
  return `${plural(checkpoints.length, 'checkpoint')}, ${formatBytes(sizeOf(checkpoints))}`;
}

function viewGroup(group: RunGroup, free: boolean): RunGroupView {
  const { store, run, name, note, reason, checkpoints } = group;
  const [best, last] = [bestOf(checkpoints), lastOf(checkpoints)];
  const data = checkpoints.find((entry) => entry.data !== null)?.data ?? null;
  const parts = [plural(checkpoints.length, 'checkpoint'), formatBytes(sizeOf(checkpoints))];
  if (data !== null) parts.push(data.name);
  return {
    key: `${store}/${run}`,
    run,
    store,
    storeLabel: storeLabels[store],
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
        ...(checkpoints.length > 1 && entry === best ? ['best'] : []),
        ...(checkpoints.length > 1 && entry === last ? ['last'] : []),
      ],
      problem: entry.ok
        ? null
        : `Cannot be used: ${entry.reason ?? 'the file is not a whole checkpoint.'}`,
      canResume: entry.ok && free,
    })),
  };
}

function sizeOf(entries: readonly CheckpointEntry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}

function detailOf({ step, epoch, loss, device, size }: CheckpointEntry): string {
  const parts: string[] = [];
  if (step !== null) parts.push(`step ${formatCount(step)}`);
  if (epoch !== null) parts.push(`epoch ${formatCount(epoch)}`);
  if (loss !== null) parts.push(`loss ${formatLoss(loss)}`);
  if (device !== null) parts.push(deviceText(device, false).toLowerCase());
  parts.push(formatBytes(size));
  return parts.join(' · ');
}
