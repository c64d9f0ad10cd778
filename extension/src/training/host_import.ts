// A large file below a granted folder is imported by the native host beside it, at the speed of the disk; what comes here
// is the manifest, and later the columns that a run asks for.
import { isRecord } from '../messages/validate.ts';
import { cancelled, ReadingMeter } from './dataset.ts';
import type { ReadingTask } from './dataset.ts';
import { HostError } from './host_errors.ts';
import type { HostLink } from './hostlink.ts';

/** From this size on the host imports, and not the browser what the host sends. */
export const LARGE_BYTES = 64e6;
/** Of a manifest. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

export interface HostImport {
  /** Its name on the host. */
  dataset: string;
  manifest: Record<string, unknown>;
}

/** Null: the host does not read this file, and its bytes are to be read here. */
export async function importOnHost(
  link: HostLink,
  { path, size, options }: { path: string; size: number; options: object },
  { progress, signal }: ReadingTask,
): Promise<HostImport | null> {
  const meter = new ReadingMeter(size);
  try {
    const { dataset } = await link.long(
      'dataset.import',
      { path, options },
      ({ bytes, rows }) => {
        progress(meter.at(bytes, rows));
      },
      signal,
    );
    return { dataset, manifest: await readManifest(link, dataset) };
  } catch (error) {
    if (signal.aborted) throw cancelled(path);
    const other = error instanceof HostError && UNREAD.has(error.code);
    if (other) return null;
    throw error;
  }
}

/** What the host leaves to the browser, and what an older host does not know. */
const UNREAD = new Set(['import.unsupported', 'message.unknown']);

async function readManifest(link: HostLink, dataset: string): Promise<Record<string, unknown>> {
  let text = '';
  for (let offset: number | null = 0; offset !== null;) {
    const page: { text: string; next: number | null } = await link.request('dataset.manifest', {
      dataset,
      offset,
    });
    text += page.text;
    offset = page.next;
    if (text.length > MOST_CHARACTERS) break;
  }
  const manifest = parse(text);
  if (isRecord(manifest)) return manifest;
  throw new HostError('host.reply', `The native host's manifest of ${dataset} is not whole.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
