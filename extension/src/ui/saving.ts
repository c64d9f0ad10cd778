// Saving the run's checkpoint, said in a notice, and handing a checkpoint to the browser's downloads.

import type { StoreName } from '../messages/state.ts';
import { storeLabels } from './checkpoint_view.ts';
import { make } from './dom.ts';
import { formatCount } from './format.ts';
import type { Actions } from './page.ts';

/** How long a blob's address is kept, so that the download surely has it. */
const keepFor = 60_000;

export async function saveCheckpoint(actions: Actions): Promise<void> {
  const saved = await actions.run({ type: 'checkpoint.save' });
  if (saved === null) return;
  const step = saved.step === null ? '' : ` at step ${formatCount(saved.step)}`;
  const message = `Saved${step} as ${saved.id} (${storeLabels[saved.store]}).`;
  actions.tell({ level: 'info', code: 'checkpoint.saved', message });
}

export async function downloadCheckpoint(
  actions: Actions,
  { store, id }: { store: StoreName; id: string },
): Promise<void> {
  const fetched = await actions.run({ type: 'checkpoint.fetch', store, id });
  if (fetched === null) return;
  const address = URL.createObjectURL(fetched.blob);
  const link = make('a', { href: address, download: fetched.name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, keepFor);
}
