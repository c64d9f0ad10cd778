// Saving the run's checkpoint, said in a notice, and handing a checkpoint to the browser's downloads.

import type { StoreName } from '../messages/state.ts';
import { download } from './downloads.ts';
import { formatCount } from './format.ts';
import type { Actions } from './page.ts';
import { t } from '../texts.ts';

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
  download(fetched);
}
