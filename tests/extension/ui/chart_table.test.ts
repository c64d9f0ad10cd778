// @vitest-environment happy-dom
// The table behind a chart: there when it is opened, never older than a second, and not made for nothing.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChartTable } from '../../../extension/src/ui/chart_table.ts';

let table: ChartTable;
let made: number;

beforeEach(() => {
  vi.useFakeTimers();
  table = new ChartTable();
  made = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

function show(value: number): void {
  table.show(() => {
    made += 1;
    return { headings: ['epoch', 'loss'], rows: [['1', String(value)]] };
  });
}

const shown = (): string[] =>
  [...table.element.querySelectorAll('tbody > tr > *')].map((cell) => cell.textContent);

describe('the table of a chart', () => {
  it('is made when it is opened', () => {
    show(1);
    show(2);
    expect(made).toBe(0);
    table.element.open = true;
    expect(shown()).toEqual(['1', '2']);
    expect(made).toBe(1);
  });

  it('follows the chart once a second, with its newest numbers', () => {
    show(1);
    table.element.open = true;
    for (let i = 2; i <= 20; i += 1) {
      vi.advanceTimersByTime(60);
      show(i);
    }
    expect(made).toBeLessThanOrEqual(3);
    vi.advanceTimersByTime(1000);
    expect(shown()).toEqual(['1', '20']);
    show(21);
    vi.advanceTimersByTime(1000);
    expect(shown()).toEqual(['1', '21']);
  });

  it('is left alone once it is closed', () => {
    show(1);
    table.element.open = true;
    show(2);
    table.element.open = false;
    vi.advanceTimersByTime(5000);
    expect(made).toBe(1);
    table.element.open = true;
    expect(shown()).toEqual(['1', '2']);
  });
});
