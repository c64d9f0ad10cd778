// Looking for files that the browser or the host wrote.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Paths of all files below a folder whose name ends so. */
export function filesBelow(folder, ending) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));
}

export async function waitForFile(folder, ending, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const [found] = filesBelow(folder, ending);
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`no file *${ending} came into ${folder} within ${seconds} s`);
}
