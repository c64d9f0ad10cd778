// The list of saved checkpoints of both stores, newest first, as short texts.

import type { CheckpointEntry, RunState, StoreName } from '../messages/state.ts';
import { isActive } from '../messages/state.ts';
import { deviceText } from './device_view.ts';
import { formatBytes, formatCount, formatLoss, formatMoment } from './format.ts';

export interface CheckpointView {
  key: string;
  id: string;
  /** The id without its ending, which is the same for all. */
  name: string;
  store: StoreName;
  storeLabel: string;
  detail: string;
  moment: string;
  /** Why it cannot be used; null when it is whole. */
  problem: string | null;
  canResume: boolean;
}

export const storeLabels: Record<StoreName, string> = {
  host: 'Shadegrad folder',
  browser: 'This browser',
};

export function viewCheckpoints(state: RunState): CheckpointView[] {
  return [...state.checkpoints]
    .sort((left, right) => right.time - left.time || left.id.localeCompare(right.id))
    .map((entry) => ({
      key: `${entry.store}/${entry.id}`,
      id: entry.id,
      name: entry.id.replace(/\.safetensors$/, ''),
      store: entry.store,
      storeLabel: storeLabels[entry.store],
      detail: detailOf(entry),
      moment: formatMoment(entry.time),
      problem: entry.ok
        ? null
        : `Cannot be used: ${entry.reason ?? 'the file is not a whole checkpoint.'}`,
      canResume: entry.ok && !isActive(state.phase) && state.phase !== 'reading',
    }));
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
