// Whole files in the browser's own storage (OPFS), written by a sync access handle: into a .partial beside, flushed, then
// renamed, so that a file is there as a whole or not at all. Works in workers only.

/** What TypeScript's DOM library leaves out, since workers alone have it. */
export interface SyncAccess {
  getSize: () => number;
  truncate: (size: number) => void;
  read: (into: Uint8Array, options: { at: number }) => number;
  write: (bytes: Uint8Array, options: { at: number }) => number;
  flush: () => void;
  close: () => void;
}

/** `move` replaces a file of that name, in Chromium and in Firefox. */
type WritableFile = FileSystemFileHandle & {
  createSyncAccessHandle: (options?: { mode: string }) => Promise<SyncAccess>;
  move: (name: string) => Promise<void>;
};

const PARTIAL = '.partial';

export function isPartial(name: string): boolean {
  return name.endsWith(PARTIAL);
}

export async function writeWhole(
  folder: FileSystemDirectoryHandle,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const partial = (await folder.getFileHandle(name + PARTIAL, { create: true })) as WritableFile;
  try {
    await fill(partial, bytes);
    await partial.move(name);
  } catch (error) {
    await removeQuietly(folder, name + PARTIAL);
    throw error;
  }
}

async function fill(file: WritableFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const access = await file.createSyncAccessHandle();
  try {
    access.truncate(0);
    let at = 0;
    while (at < bytes.length) {
      const written = access.write(bytes.subarray(at), { at });
      if (written === 0)
        throw new DOMException('No more bytes can be written.', 'QuotaExceededError');
      at += written;
    }
    access.flush();
  } finally {
    access.close();
  }
}

/** Several may read at once where the browser knows how (Firefox gives a file to one alone). */
export function openToRead(file: FileSystemFileHandle): Promise<SyncAccess> {
  return (file as WritableFile).createSyncAccessHandle({ mode: 'read-only' });
}

/** Fills `into` from byte `at` on; false where the file ends before. It may lie in shared memory. */
export function readFully(access: SyncAccess, into: Uint8Array, at: number): boolean {
  for (let done = 0; done < into.length;) {
    const count = access.read(into.subarray(done), { at: at + done });
    if (count === 0) return false;
    done += count;
  }
  return true;
}

export async function readWhole(
  folder: FileSystemDirectoryHandle,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = await (await folder.getFileHandle(name)).getFile();
  return new Uint8Array(await file.arrayBuffer());
}

/** What writes that never ended have left behind. */
export async function removePartials(folder: FileSystemDirectoryHandle): Promise<void> {
  const names: string[] = [];
  for await (const name of folder.keys()) if (isPartial(name)) names.push(name);
  for (const name of names) await removeQuietly(folder, name);
}

export async function removeQuietly(
  folder: FileSystemDirectoryHandle,
  name: string,
): Promise<void> {
  try {
    await folder.removeEntry(name, { recursive: true });
  } catch {
    // It is not there, or another context holds it and removes it itself.
  }
}

/** Whether an error of the browser has one of these names. */
export function isNamed(error: unknown, ...names: string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}
