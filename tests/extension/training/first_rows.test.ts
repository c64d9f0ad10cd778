// What of a file's beginning its first rows are taken from: whole lines, and no more than is read at once.
import { expect, test } from 'vitest';
import { firstRowsOf } from '../../../extension/src/training/first_rows.ts';
import { FakeCore } from '../fake_core.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rowsOf = (text: string, size?: number): string[][] | undefined => {
  const beginning = bytes(text);
  return firstRowsOf(new FakeCore(), 'a.csv', {}, beginning, size ?? beginning.length)?.rows;
};

test('a row that is cut is left out, unless the file ends with it', () => {
  expect(rowsOf('a,b\n1,2\n3,4', 1000)).toEqual([['1', '2']]);
  expect(rowsOf('a,b\n1,2\n3,4')).toEqual([
    ['1', '2'],
    ['3', '4'],
  ]);
});

test('of a long beginning the first 64 KiB are read', () => {
  const core = new FakeCore();
  let fed = 0;
  core.datasetFeed = (_, part) => {
    fed += part.length;
    return 0;
  };
  firstRowsOf(core, 'a.csv', {}, bytes(`a,b\n${'1,2\n'.repeat(100_000)}`), 1e9);
  expect(fed).toBe(65_536);
});

test('a beginning without the end of a line tells nothing', () => {
  expect(rowsOf('x'.repeat(1000), 5000)).toBeUndefined();
});
