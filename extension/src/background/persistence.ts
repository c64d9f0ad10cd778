// Whether the browser may clear what lies in its own storage when a disk fills up. In Chromium the permission
// unlimitedStorage exempts an extension from quota and from eviction, and nothing is to be asked. In Firefox the same
// permission only grants what navigator.storage.persist() asks for, without a question to the person; persist() is not to
// be had in workers, so whoever owns the training worker asks.

/** True: what is stored stays. */
export async function persisted(storage: StorageManager): Promise<boolean> {
  try {
    return (await storage.persisted()) || (await storage.persist());
  } catch {
    return false;
  }
}
