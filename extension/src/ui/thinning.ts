// What a chart draws of long lists: in each column of pixels the first, lowest, highest and last point of each curve, so
// that the picture is that of all points while their number stays within the width's.

import type uPlot from 'uplot';

type Values = ArrayLike<number | null | undefined>;

/** The lists between two values of x, thinned to so many columns; a list that is short enough stays as it is. */
export function thinned(
  data: uPlot.AlignedData,
  columns: number,
  range: readonly [number, number] | null = null,
): uPlot.AlignedData {
  const [x, ...curves] = data as [Values, ...Values[]];
  const from = range === null ? 0 : Math.max(0, firstAtLeast(x, range[0]) - 1);
  const to = range === null ? x.length : Math.min(x.length, firstAtLeast(x, range[1]) + 2);
  if (range === null && x.length <= 2 * columns) return data;
  const kept = to - from <= 2 * columns ? span(from, to) : extremes(x, curves, from, to, columns);
  const pick = (values: Values): (number | null)[] => kept.map((i) => values[i] ?? null);
  return [x, ...curves].map(pick) as uPlot.AlignedData;
}

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function extremes(
  x: Values,
  curves: Values[],
  from: number,
  to: number,
  columns: number,
): number[] {
  const kept = new Set<number>([from, to - 1]);
  const low = x[from] ?? 0;
  const width = ((x[to - 1] ?? 0) - low) / columns || 1;
  for (const curve of curves) {
    let column = -1;
    let [first, least, most, last] = [-1, -1, -1, -1];
    const keep = (): void => {
      if (first >= 0) for (const one of [first, least, most, last]) kept.add(one);
    };
    for (let i = from; i < to; i += 1) {
      const value = curve[i];
      if (value === null || value === undefined) continue;
      const here = Math.floor(((x[i] ?? 0) - low) / width);
      if (here !== column) {
        keep();
        column = here;
        first = least = most = i;
      }
      if (value < (curve[least] ?? value)) least = i;
      if (value > (curve[most] ?? value)) most = i;
      last = i;
    }
    keep();
  }
  return [...kept].sort((left, right) => left - right);
}

/** The index of the first x that is not below `value`; x rises. */
function firstAtLeast(x: Values, value: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An exponential moving average that starts unbiased: 0 is none, 0.99 averages some hundred points. */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return values.map(() => null);
  let [sum, norm] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    sum = weight * sum + (1 - weight) * value;
    norm = weight * norm + (1 - weight);
    return sum / norm;
  });
}
