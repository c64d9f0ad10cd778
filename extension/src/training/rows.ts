// Brings a session the rows that it asks for: a data set in shards has no values in the core. Between two of its requests
// other messages are answered; a run that is closed meanwhile gets nothing more.
import type { Preparing } from '../messages/state.ts';
import { StoreError } from '../storage/checkpoint_store.ts';
import type { StoredDataset } from '../storage/datasets.ts';
import { ShardRows } from '../storage/shard_rows.ts';
import type { Core } from './core.ts';
import type { Needs, SessionStart } from './core_replies.ts';
import { TrainingError } from './errors.ts';
import { pause } from './loop.ts';

export interface Feeding {
  /** Where its rows are, when they are not in the core. */
  stored: StoredDataset | null;
  signal: AbortSignal;
  tell: (preparing: Preparing) => void;
}

/** Until the session needs nothing more; what it is then, where it has waited for the rows to begin. */
export async function feed(
  core: Core,
  session: number,
  first: Needs,
  { stored, signal, tell }: Feeding,
): Promise<SessionStart | null> {
  if (stored === null)
    throw new TrainingError(
      'dataset.no_rows',
      'The run asks for rows of a file that is in memory.',
    );
  const rows = new ShardRows(stored.manifest, stored.shards);
  let needs: Needs | null = first;
  for (;;) {
    const { done, total, pointer }: Needs = needs;
    tell({ what: 'rows', done, total });
    const target = { pointer, memory: () => core.memory() };
    await rows.read(needs, target, { signal, pause }).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'dataset.damaged')
        stored.shards.problem ??= error.message;
      throw error;
    });
    signal.throwIfAborted();
    const fed = core.sessionFed(session);
    if (fed.start !== null || fed.needs === null) return fed.start;
    needs = fed.needs;
  }
}
