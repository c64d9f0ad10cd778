// The rows that a session of the fake core asks for, a few at a time, and what it was given.
import type { Needs } from '../../extension/src/training/core_replies.ts';
import { CoreError } from '../../extension/src/training/core.ts';

/** Rows of one request, and of all that a session asks for. */
const BLOCK = 3;
export const MOST_ROWS = 11;
const POINTER = 64;

export interface FakeRows {
  waits: { rows: number; columns: number; at: number } | null;
  /** Values of each column. */
  fed: number[][];
  began: boolean;
}

export function rowsOf(attached: { rows: number; columns: number } | undefined): FakeRows {
  if (attached === undefined) return { waits: null, fed: [], began: false };
  const { columns } = attached;
  const rows = Math.min(attached.rows, MOST_ROWS);
  const fed = Array.from({ length: columns }, (): number[] => []);
  return { waits: { rows, columns, at: 0 }, fed, began: false };
}

export function askAgain(run: FakeRows): void {
  if (run.fed.length === 0) return;
  run.waits = { rows: MOST_ROWS, columns: run.fed.length, at: 0 };
}

export function takeRows(run: FakeRows, heap: Uint8Array): void {
  const needs = needsOf(run);
  if (needs === null || run.waits === null) throw new CoreError('rows.not_asked', 'No.');
  const values = new Float32Array(heap.buffer, POINTER, needs.rows * run.waits.columns);
  run.fed.forEach((column, k) => {
    column.push(...values.subarray(k * needs.rows, (k + 1) * needs.rows));
  });
  run.waits.at += needs.rows;
  if (run.waits.at >= run.waits.rows) run.waits = null;
}

export function needsOf({ waits }: FakeRows): Needs | null {
  if (waits === null) return null;
  const { rows, columns, at } = waits;
  return {
    first: at,
    rows: Math.min(BLOCK, rows - at),
    columns: Array.from({ length: columns }, (_, c) => c),
    pointer: POINTER,
    done: at,
    total: rows,
  };
}
