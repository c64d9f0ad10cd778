// Which arrays of an archive stand side by side: those that the person has chosen, or else those of the number of rows
// that most of them have. What is left out is told with the reason. The native host does the same by
// wasm/io/side_by_side.h; FORMATS.md has the rule.
import type { Part } from './access.ts';
import { ReadingError, startsWith } from './access.ts';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const LONGEST_HEADER = 10_000;

/** All of them; those that do not stand beside the others say why. `chosen` are names. */
export async function sideBySide(arrays: Part[], chosen?: readonly string[]): Promise<Part[]> {
  if (chosen !== undefined) checkNames(arrays, chosen);
  if (arrays.length < 2) return arrays;
  const all: (Part & { rows: number | null })[] = [];
  for (const array of arrays) all.push({ ...array, rows: await rowsOf(array) });
  if (chosen !== undefined) {
    const names = new Set(chosen);
    return all.map((array) =>
      names.has(array.name) ? array : { ...array, leftOut: leftOut(array, 'it was not chosen') },
    );
  }
  const most = frequent(all.map(({ rows }) => rows));
  if (most === null) return all;
  return all.map((array) => {
    const { rows } = array;
    if (rows === most) return array;
    const has = rows === null ? 'no rows' : `${String(rows)} ${rows === 1 ? 'row' : 'rows'}`;
    const why = `it has ${has}, and the arrays that were read have ${String(most)}`;
    return { ...array, leftOut: leftOut(array, why) };
  });
}

function leftOut({ name }: Part, why: string): string {
  return `"${name}" was left out: ${why}`;
}

function checkNames(arrays: readonly Part[], chosen: readonly string[]): void {
  const names = arrays.map(({ name }) => name);
  const missing = chosen.find((name) => !names.includes(name));
  if (missing === undefined) return;
  const shown = names.slice(0, 20).map((name) => `"${name}"`);
  throw new ReadingError(
    'npy.bad_option',
    `There is no array "${missing}" in it; there are ${shown.join(', ')}${names.length > shown.length ? ', ...' : ''}.`,
  );
}

/** Of lengths that are as frequent the greater one, and a single row only where there is no other length. */
function frequent(rows: readonly (number | null)[]): number | null {
  const uses = new Map<number, number>();
  for (const own of rows) if (own !== null) uses.set(own, (uses.get(own) ?? 0) + 1);
  const [best] = [...uses].sort(
    ([a, usesA], [b, usesB]) => Number(b > 1) - Number(a > 1) || usesB - usesA || b - a,
  );
  return best?.[0] ?? null;
}

/** By the header alone; null for a single value, and for what is no array: its reader says what is wrong with it. */
async function rowsOf({ chunks }: Part): Promise<number | null> {
  let head = new Uint8Array(0);
  for await (const chunk of chunks()) {
    const joined = new Uint8Array(head.length + chunk.length);
    joined.set(head);
    joined.set(chunk, head.length);
    head = joined;
    const end = headerEnd(head);
    if (end === null) return null;
    if (head.length >= end) return firstAxis(head.subarray(0, end));
  }
  return null;
}

/** Where the header ends, as far as it is known; null: this is none. */
function headerEnd(head: Uint8Array): number | null {
  if (head.length < 12) return 12;
  if (!startsWith(head, MAGIC)) return null;
  const view = new DataView(head.buffer, head.byteOffset);
  const long = view.getUint8(6) > 1;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  return length > LONGEST_HEADER ? null : length + (long ? 12 : 10);
}

function firstAxis(header: Uint8Array): number | null {
  const text = new TextDecoder('latin1').decode(header);
  const axis = /'shape':\s*\(\s*(\d+)/.exec(text)?.[1];
  return axis === undefined ? null : Number(axis);
}
