// What a person should know of the browser's own storage beside the failure of a single step: that it may be cleared, and
// that it does not take what a run has brought from the native host.
import type { Lack } from '../storage/remote_shards.ts';
import type { Snapshot } from './snapshot.ts';

export function tellEvictable(snapshot: Snapshot): void {
  snapshot.notice(
    'warning',
    'storage.evictable',
    "The browser may remove imported data and checkpoints from its own storage when the disk runs low, since it refuses to keep them for good. Checkpoints that matter are safe in the native host's folder.",
  );
}

export function tellLack(snapshot: Snapshot, { name, needed, free }: Lack): void {
  const room = free === null ? '' : `, and ${megabytes(free)} are free`;
  snapshot.notice(
    'warning',
    'storage.short',
    `The browser's storage has no room for the columns of "${name}": about ${megabytes(needed)} are needed${room}. Training goes on, but slower: what finds no room is asked of the native host in every epoch. Remove imported data that is no longer needed, or free disk space; then what comes is kept again.`,
  );
}

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
}
