// Values as JavaScript libraries give them, made into the core's kinds of columns.
import { ReadingError } from './access.ts';
import type { WireColumn } from './columns_wire.ts';

/** As many as the core's readers take. */
export const MOST_COLUMNS = 10_000;

/** Numbers, big integers and booleans; all else is missing. */
export function values(name: string, given: readonly unknown[]): WireColumn {
  return { name, kind: 'f64', values: Float64Array.from(given, numberOf) };
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : NaN;
}

/** Dates, as seconds. */
export function times(name: string, given: readonly unknown[]): WireColumn {
  const seconds = Float64Array.from(given, (value) =>
    value instanceof Date ? value.getTime() / 1000 : NaN,
  );
  return { name, kind: 'time', values: seconds };
}

export function texts(name: string, given: readonly unknown[]): WireColumn {
  return { name, kind: 'text', values: given.map(textOf) };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value);
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : null;
}

export function noColumns(format: string, file: string, others: readonly string[]): ReadingError {
  const seen = others.slice(0, 10).map((name) => `"${name}"`);
  const what =
    seen.length === 0 ? 'no columns' : `only nested or binary columns (${seen.join(', ')})`;
  return new ReadingError(
    `${format}.no_columns`,
    `"${file}" has ${what}: columns of numbers, times or texts are needed. Flatten it, or export what you need as CSV.`,
  );
}
