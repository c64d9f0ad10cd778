// Waiting for what the browser or the host does outside of the pages: files and processes.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Paths of all files below a folder that end so. */
export function filesBelow(folder, ending) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.endsWith(ending));
}

export async function waitUntil(holds, what, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await holds()) return;
    await pause(50);
  }
  throw new Error(`waited ${seconds} s for ${what}`);
}

export async function waitForFile(folder, ending) {
  await waitUntil(() => filesBelow(folder, ending).length > 0, `a file *${ending} in ${folder}`);
  return filesBelow(folder, ending)[0];
}
