// What is wrong with a number that was typed, as a sentence.

import { formatValue } from './format.ts';

export function checkNumber(
  value: number,
  min: number,
  max: number,
  whole: boolean,
): string | null {
  if (Number.isFinite(value) && value >= min && value <= max && (!whole || Number.isInteger(value)))
    return null;
  const kind = whole ? 'a whole number' : 'a number';
  if (min === -Infinity && max === Infinity) return `Give ${kind}.`;
  if (max === Infinity) return `Give ${kind}, ${formatValue(min)} or more.`;
  if (min === -Infinity) return `Give ${kind}, at most ${formatValue(max)}.`;
  return `Give ${kind} from ${formatValue(min)} to ${formatValue(max)}.`;
}
