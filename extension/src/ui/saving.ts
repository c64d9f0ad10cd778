// Saving the run's checkpoint, said in a notice, and handing a checkpoint to the browser's downloads.

import type { StoreName } from '../messages/state.ts';
import { make } from './dom.ts';
import { formatCount } from './format.ts';
import type { Actions } from './page.ts';
import { t } from '../texts.ts';

/** How long a blob's address is kept, so that the download surely has it. */
const keepFor = 60_000;

export async function saveCheckpoint(actions: Actions): Promise<void> {
  const saved = await actions.run({ type: 'checkpoint.save' });
  if (saved === null) return;
  const where = t(`store_${saved.store}`);
  const message =
    saved.step === null
      ? t('saved', saved.id, where)
      : t('savedAtStep', saved.id, where, formatCount(saved.step));
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
