// What a search may vary of a run: its learning rate, and of the chosen model its size and its dropout, where the model
// declares them. Each is varied around its value in the form, within the limits that its declaration has.
import type { ModelDescription, ModelField } from '../messages/state.ts';
import type { SearchRange } from '../messages/search.ts';
import { sizeField } from './choices.ts';
import type { Choices } from './choices.ts';
import { partLabel } from './described.ts';
import type { Settings } from './settings.ts';

/** How many times as small and as large a learning rate may be. */
const RATE_FACTOR = 10;
/** How often the size is halved and doubled: a larger model takes longer than the run as it is set. */
const HALVINGS = 2;
const DOUBLINGS = 1;
const DROPOUTS = [0, 0.1, 0.2, 0.3, 0.5];

interface Limits {
  min: number | null;
  max: number | null;
}

export function rangesFor(
  choices: Choices,
  model: ModelDescription | undefined,
  settings: Settings,
): SearchRange[] {
  const size = sizeField(model);
  const dropout = model?.fields.find(({ name, type }) => name === 'dropout' && type === 'float');
  return [
    rateRange(choices, settings),
    size && listRange(size, choices, powersAround),
    (dropout && listRange(dropout, choices, () => DROPOUTS)) ?? null,
  ].filter((range) => range !== null);
}

function rateRange({ given }: Choices, settings: Settings): SearchRange | null {
  const field = settings.fields.find(
    ({ group, name }) => group === 'training' && name === 'learningRate',
  );
  if (field === undefined) return null;
  const { name, label, min, max } = field;
  const now = settings.number(name, given);
  if (!(now > 0)) return null;
  const [least, most] = [Math.max(min ?? 0, now / RATE_FACTOR), now * RATE_FACTOR];
  const limits = { least: rounded(least), most: rounded(Math.min(max ?? Infinity, most)) };
  return { kind: 'log', group: 'training', field: name, label, now, ...limits };
}

function listRange(
  { name, min, max }: ModelField,
  { fields }: Choices,
  valuesFor: (now: number) => number[],
): SearchRange | null {
  const now = fields[name];
  if (typeof now !== 'number' || !Number.isFinite(now)) return null;
  const values = valuesFor(now).filter((value) => isWithin(value, { min, max }));
  if (values.length < 2) return null;
  return { kind: 'list', group: 'model', field: name, label: partLabel(name), now, values };
}

/** Powers of two, the middle one nearest to `size`. */
function powersAround(size: number): number[] {
  const nearest = Math.round(Math.log2(Math.max(1, size)));
  const first = nearest - HALVINGS;
  return Array.from({ length: HALVINGS + DOUBLINGS + 1 }, (_, i) => 2 ** (first + i)).filter(
    Number.isInteger,
  );
}

function isWithin(value: number, { min, max }: Limits): boolean {
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity);
}

/** Without the last digits that a division leaves. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
