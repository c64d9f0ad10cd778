// What a chart does with long lists and with a person's wish for a part of them.
import { describe, expect, it } from 'vitest';
import { smoothed, thinned } from '../../../extension/src/ui/thinning.ts';
import { rangeAfter } from '../../../extension/src/ui/zoom.ts';

const COLUMNS = 600;
const many = Array.from({ length: 100_000 }, (_, i) => i);
const noise = many.map((i) => Math.sin(i * 12.9898) + (i === 54_321 ? 50 : 0));
const epochs = many.map((i) => (i % 5000 === 0 ? i / 1000 : null));

describe('thinning', () => {
  it('draws at most four points a curve in each column of pixels', () => {
    const [x, ...curves] = thinned([many, noise, epochs], COLUMNS);
    expect(x.length).toBeLessThanOrEqual(4 * (COLUMNS + 1) + 20 + 2);
    expect(x.length).toBeGreaterThan(2 * COLUMNS);
    for (const curve of curves) expect(curve).toHaveLength(x.length);
  });

  it('keeps the ends, every peak and every point of a curve that has few', () => {
    const [x, thin, few] = thinned([many, noise, epochs], COLUMNS);
    expect([x[0], x[x.length - 1]]).toEqual([0, 99_999]);
    expect(Math.max(...(thin as number[]))).toBe(Math.max(...noise));
    expect([...few!].filter((value) => value !== null)).toHaveLength(20);
    expect([...x].every((value, i) => i === 0 || value > x[i - 1]!)).toBe(true);
  });

  it('leaves a short list as it is', () => {
    const short = [
      [1, 2, 3],
      [4, null, 6],
    ] as [number[], (number | null)[]];
    expect(thinned(short, COLUMNS)).toBe(short);
  });

  it('draws the points of a range, and one beyond each end, so that lines go on to the edge', () => {
    const [x] = thinned([many, noise], COLUMNS, [1000, 1010]);
    expect([...x]).toEqual(Array.from({ length: 13 }, (_, i) => 999 + i));
  });
});

describe('smoothing', () => {
  it('averages the newest points most, is unbiased at the start, and leaves gaps', () => {
    const even = smoothed([1, 1, null, 1], 0.9);
    expect(even.map((value) => value?.toFixed(6))).toEqual([
      '1.000000',
      '1.000000',
      undefined,
      '1.000000',
    ]);
    const [first, second] = smoothed([4, 0], 0.5);
    expect(first).toBeCloseTo(4);
    expect(second).toBeCloseTo(4 / 3);
  });

  it('is no curve at all at 0', () => {
    expect(smoothed([1, 2], 0)).toEqual([null, null]);
  });
});

describe('the range by keys', () => {
  const whole = [0, 100] as const;
  it('halves, doubles, moves within the whole and comes back to it', () => {
    expect(rangeAfter('+', whole, whole)).toEqual([25, 75]);
    expect(rangeAfter('ArrowLeft', [25, 75], whole)).toEqual([12.5, 62.5]);
    expect(rangeAfter('ArrowLeft', [5, 55], whole)).toEqual([0, 50]);
    expect(rangeAfter('ArrowRight', [50, 98], whole)).toEqual([52, 100]);
    expect(rangeAfter('-', [40, 60], whole)).toEqual([30, 70]);
    expect(rangeAfter('-', [25, 75], whole)).toBeNull();
    expect(rangeAfter('0', [25, 75], whole)).toBeNull();
    expect(rangeAfter('a', whole, whole)).toBeUndefined();
  });
});
