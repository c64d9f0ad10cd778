// Hands bytes to the browser's downloads.

import { make } from './dom.ts';

/** How long a blob's address is kept, so that the download surely has it. */
const keepFor = 60_000;

export function download({ name, blob }: { name: string; blob: Blob }): void {
  const address = URL.createObjectURL(blob);
  const link = make('a', { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, keepFor);
}
