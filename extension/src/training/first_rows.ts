// What a file begins with, while the rest of it is still to be imported: its first rows and the types of its columns as
// far as those rows tell. A reader of its own goes through the beginning, so that the import does not wait for a person
// to see whether it is the right file.
import type { FirstRows } from '../messages/state.ts';
import { CoreError } from './core.ts';
import type { Core } from './core.ts';

/** Of a file, in bytes: enough for any row to be whole, and read in no time. */
const BEGINNING = 65_536;
const MOST_ROWS = 20;
const LINE_END = 10;

/** Null: it tells nothing, as of a format whose reader wants the whole file; what is wrong with it the import says. */
export function firstRowsOf(
  core: Core,
  name: string,
  options: Record<string, unknown>,
  bytes: Uint8Array,
  size: number,
): FirstRows | null {
  const whole = bytes.length >= size && size <= BEGINNING;
  const beginning = whole ? bytes : wholeLines(bytes.subarray(0, BEGINNING));
  if (beginning.length === 0) return null;
  try {
    const handle = core.datasetOpen({ ...options, name });
    try {
      core.datasetFeed(handle, beginning);
      const { columns, preview } = core.datasetFinish(handle);
      return {
        columns: columns.map(({ name: column, type }) => ({ name: column, type })),
        rows: preview.slice(0, MOST_ROWS),
      };
    } finally {
      core.datasetClose(handle);
    }
  } catch (error) {
    if (error instanceof CoreError && error.code !== 'core.crashed') return null;
    throw error;
  }
}

/** What is read no further than this has no row that ends in the middle. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.lastIndexOf(LINE_END) + 1);
}
