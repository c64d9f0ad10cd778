// What is wrong with a number that was typed, as a sentence.

import { formatValue } from './format.ts';
import { t } from '../texts.ts';

export function checkNumber(
  value: number,
  min: number,
  max: number,
  whole: boolean,
): string | null {
  if (Number.isFinite(value) && value >= min && value <= max && (!whole || Number.isInteger(value)))
    return null;
  const kind = whole ? 'whole' : 'number';
  if (min === -Infinity && max === Infinity) return t(`give_${kind}`);
  if (max === Infinity) return t(`give_${kind}_least`, formatValue(min));
  if (min === -Infinity) return t(`give_${kind}_most`, formatValue(max));
  return t(`give_${kind}_between`, formatValue(min), formatValue(max));
}
