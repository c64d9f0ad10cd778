// What the measurements share: medians, rounds in turn, and a way to print that the linter knows to be meant.
import { loadavg } from 'node:os';

export const say = (line = '') => process.stdout.write(`${line}\n`);

const finite = (values) => values.filter((value) => Number.isFinite(value));

export function median(values) {
  const sorted = finite(values).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The smallest: on a shared machine it is moved least by neighbours. */
export function least(values) {
  const known = finite(values);
  return known.length === 0 ? NaN : Math.min(...known);
}

/** Three significant digits without an exponent; '-' for what is not known. */
export function figure(value) {
  if (!Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const digits = Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toFixed(digits);
}

/** Rows of texts as lines: the first column to the left, the others to the right. */
export function columns(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => String(row[i] ?? '').length)));
  const pad = (text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]));
  return rows.map((row) =>
    widths
      .map((_, i) => pad(String(row[i] ?? ''), i))
      .join('  ')
      .trimEnd(),
  );
}

/** Processes that wait for a processor, over the last minute: how far a time can be believed. */
export const load = () => loadavg()[0];

/** Rounds of several measurements, each round in another order: {name: [values]}. */
export async function interleave(rounds, measurements) {
  const names = Object.keys(measurements);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length];
      results[name].push(await measurements[name]());
    }
  }
  return results;
}
