// What a search tries: values drawn from its ranges by a seed, the first candidate being the run as it was set.
import type { SearchRange, SearchTrial } from '../messages/search.ts';

/** Draws in vain, where a short list holds few different candidates. */
const DRAWS_EACH = 50;

/** No two have the same values, so there may be fewer than were asked for. */
export function candidates(
  ranges: readonly SearchRange[],
  count: number,
  seed: number,
): SearchTrial[] {
  const random = randomFrom(seed);
  const found = new Map<string, Record<string, number>>();
  add(found, Object.fromEntries(ranges.map(({ field, now }) => [field, now])));
  for (let draws = 0; found.size < count && draws < DRAWS_EACH * count; draws += 1)
    add(found, Object.fromEntries(ranges.map((range) => [range.field, valueIn(range, random())])));
  return [...found.values()].map((values) => ({
    values,
    rung: 0,
    outcome: 'waiting',
    epochs: 0,
    ended: false,
    loss: null,
    run: null,
    failure: null,
  }));
}

function add(found: Map<string, Record<string, number>>, values: Record<string, number>): void {
  found.set(JSON.stringify(values), values);
}

function valueIn(range: SearchRange, random: number): number {
  if (range.kind === 'log')
    return Number((range.least * (range.most / range.least) ** random).toPrecision(2));
  return range.values[Math.floor(random * range.values.length)] ?? 0;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
