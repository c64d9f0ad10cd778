// Hands a checkpoint to the browser's downloads. The address of the blob is given back once the download has it.

import type { StoreName } from '../messages/state.ts';
import { make } from './dom.ts';
import type { Actions } from './page.ts';

const keepFor = 60_000;

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
