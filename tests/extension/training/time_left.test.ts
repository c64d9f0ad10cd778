import { expect, test } from 'vitest';
import { TimeLeft } from '../../../extension/src/training/time_left.ts';

function after(...notes: [number, number][]): TimeLeft {
  const left = new TimeLeft();
  left.begin(0, 0);
  for (const [ms, step] of notes) left.note(ms, step);
  return left;
}

test('nothing is known before a step was made', () => {
  expect(after().seconds(100)).toBeNull();
  expect(after([500, 0]).seconds(100)).toBeNull();
});

test('the time left follows from the mean of all steps, validation and all', () => {
  expect(after([1000, 10]).seconds(20)).toBe(2);
  // Ten steps in a second, then one second of validation.
  expect(after([1000, 10], [2000, 10]).seconds(20)).toBe(4);
});

test('a pause does not count', () => {
  const left = after([1000, 10]);
  left.begin(3_600_000, 10);
  left.note(3_601_000, 20);
  expect(left.seconds(10)).toBe(1);
});

test('a night in which the machine slept does not count, slow steps do', () => {
  expect(after([1000, 10], [28_801_000, 11], [28_802_000, 21]).seconds(21)).toBe(2);
  expect(after([70_000, 1], [140_000, 2]).seconds(1)).toBe(70);
});

test('steps that are made again after a lost device are not counted twice', () => {
  expect(after([1000, 10], [1000, 5], [2000, 15]).seconds(15)).toBe(2);
});
