// The golden files of tests/golden/reading, and what make_reading_golden.py put into them.
import { readFileSync } from 'node:fs';
import type { RandomAccess } from '../../../extension/src/reading/access.ts';

export function bytesFile(name: string, bytes: Uint8Array): RandomAccess {
  return {
    name,
    size: bytes.length,
    read: (start, end) => Promise.resolve(new Uint8Array(bytes.slice(start, end))),
  };
}

export function goldenBytes(name: string): Uint8Array<ArrayBuffer> {
  const bytes = readFileSync(new URL(`../../golden/reading/${name}`, import.meta.url));
  return new Uint8Array(bytes);
}

export function golden(name: string): RandomAccess {
  return bytesFile(name, goldenBytes(name));
}

/** Every seventh value is missing. */
function some<T>(rows: number, missing: T, make: (row: number) => T): T[] {
  return Array.from({ length: rows }, (_, i) => (i % 7 === 3 ? missing : make(i)));
}

const START = Date.UTC(2021, 2, 4, 5, 6, 7) / 1000;
const DAY = Date.UTC(2020, 0, 1) / 1000;

export function expectedColumns(rows: number): Record<string, { kind: string; values: unknown[] }> {
  const numbers = (make: (row: number) => number) => ({
    kind: 'f64',
    values: some(rows, NaN, make),
  });
  const times = (make: (row: number) => number) => ({
    kind: 'time',
    values: some(rows, NaN, make),
  });
  const words = (make: (row: number) => string) => ({
    kind: 'text',
    values: some<string | null>(rows, null, make),
  });
  return {
    float: numbers((i) => i / 4),
    double: numbers((i) => i / 8),
    int: numbers((i) => i - 5),
    long: numbers((i) => i * 1000),
    flag: words((i) => String(i % 2 === 0)),
    word: words((i) => `w${String(i % 3)}`),
    kind: words((i) => `k${String(i % 4)}`),
    when: times((i) => START + 60 * i),
    day: times((i) => DAY + 86_400 * i),
    price: numbers((i) => i / 100 - 1),
  };
}
