// Numbers as people read them.
import { afterEach, describe, expect, it } from 'vitest';
import {
  formatAlike,
  formatBytes,
  formatCount,
  formatDuration,
  formatLoss,
  formatMilliseconds,
  formatMoment,
  formatMomentUtc,
  formatPercent,
  formatRate,
  formatRowsAlike,
  formatShare,
  formatValue,
  shorten,
} from '../../../extension/src/ui/format.ts';
import { counted, joinWords } from '../../../extension/src/texts.ts';
import { speak } from '../texts.ts';

describe('numbers', () => {
  it('groups counts by thousands', () => {
    expect(formatCount(17420)).toBe('17,420');
    expect(formatCount(null)).toBe('–');
  });

  it.each([
    [0.4213, '0.42 ms'],
    [3.06, '3.1 ms'],
    [42.4, '42 ms'],
    [1234, '1.2 sec'],
    [null, '–'],
  ])('writes %s milliseconds as %s', (value, text) => {
    expect(formatMilliseconds(value)).toBe(text);
  });

  it.each([
    [0.123456, '0.1235'],
    [0.09, '0.09000'],
    [12.3456, '12.35'],
    [4321.9, '4,322'],
    [0.0000321, '3.21e-5'],
    [1.5e7, '1.50e7'],
    [0, '0'],
    [-0.5, '-0.5000'],
    [NaN, 'not a number'],
    [Infinity, 'infinite'],
    [undefined, '–'],
  ])('writes the loss %s as %s', (value, text) => {
    expect(formatLoss(value)).toBe(text);
  });

  it.each([
    [16.439, '16.439'],
    [0, '0'],
    [-1.6, '-1.6'],
    [35.6000001, '35.6'],
    [1000, '1000'],
    [1234567, '1,234,567'],
    [0.00001234, '1.23e-5'],
    [2e12, '2.00e12'],
    [NaN, '–'],
  ])('writes the value %s as %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it.each([
    [1234.4, '1,234'],
    [112.4, '112'],
    [99.96, '100'],
    [12.34, '12.3'],
    [0.42, '0.42'],
    [3, '3'],
    [-1, '–'],
  ])('writes %s steps a second as %s', (value, text) => {
    expect(formatRate(value)).toBe(text);
  });

  it.each([
    [
      [1.0986, 0.28, 0.21],
      ['1.0986', '0.2800', '0.2100'],
    ],
    [
      [0.1612, 0.66, null],
      ['0.1612', '0.6600', '–'],
    ],
    [
      [12.34567, 7.2, 0.00012],
      ['12.346', '7.200', '0.00012'],
    ],
    [
      [-0.4, 0, 0.30000000000000004],
      ['-0.4', '0.0', '0.3'],
    ],
    [
      [1, 20, 300],
      ['1', '20', '300'],
    ],
    [
      [123456.7, 1234.5],
      ['123,457', '1,235'],
    ],
    [
      [0.00001234, 0.00005],
      ['1.23e-5', '5.00e-5'],
    ],
    [
      [0, 0],
      ['0', '0'],
    ],
    [[], []],
  ])('writes %s beside each other with the same decimals', (values, texts) => {
    expect(formatAlike(values)).toEqual(texts);
  });

  it('writes losses beside each other with their four digits', () => {
    expect(formatAlike([0.152345, 0.183, 1.5], 4)).toEqual(['0.152', '0.183', '1.500']);
  });

  it('writes rows of values alike', () => {
    expect(
      formatRowsAlike([
        [1.4, 1.95],
        [10, 0.55],
      ]),
    ).toEqual([
      ['1.40', '1.95'],
      ['10.00', '0.55'],
    ]);
  });

  it('writes how often something is right with one decimal, and 100% only for always', () => {
    expect([0.9, 0.9333, 0.99999, 1].map(formatShare)).toEqual([
      '90.0%',
      '93.3%',
      '99.9%',
      '100.0%',
    ]);
  });

  it('writes shares as percents, small ones with one decimal', () => {
    expect(formatPercent(0.314)).toBe('31%');
    expect(formatPercent(0.004)).toBe('0.4%');
    expect(formatPercent(1)).toBe('100%');
    expect(formatPercent(0)).toBe('0%');
  });
});

describe('sizes and times', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1536, '1.5 kB'],
    [48_219, '48 kB'],
    [999_600, '1 MB'],
    [2_589_657, '2.6 MB'],
    [132_960_755, '133 MB'],
    [5e9, '5 GB'],
    [-1, '–'],
  ])('writes %s bytes as %s', (value, text) => {
    expect(formatBytes(value)).toBe(text);
  });

  it.each([
    [0.2, 'under 1s'],
    [4, '4s'],
    [60, '1m'],
    [200, '3m 20s'],
    [7500, '2h 5m'],
    [3600, '1h'],
    [90_061, '1d 1h'],
    [59.7, '1m'],
    [NaN, '–'],
    [null, '–'],
  ])('writes %s seconds as %s', (value, text) => {
    expect(formatDuration(value)).toBe(text);
  });

  it('writes a moment in the local time zone and refuses what is none', () => {
    expect(formatMoment(new Date(2026, 4, 14, 9, 41).getTime())).toMatch(
      /^May 14, 2026, 9:41\sAM$/,
    );
    expect(formatMoment(Infinity)).toBe('–');
    expect(formatMoment(9e15)).toBe('–');
  });

  it('writes dates of the data without a time zone, midnight as the day alone', () => {
    expect(formatMomentUtc(Date.UTC(2012, 0, 1))).toBe('Jan 1, 2012');
    expect(formatMomentUtc(Date.UTC(2012, 0, 1, 13))).toMatch(/^Jan 1, 2012, 1:00\sPM$/);
  });
});

describe('words', () => {
  it('counts nouns', () => {
    expect(counted('rows', 1)).toBe('1 row');
    expect(counted('rows', 1461)).toBe('1,461 rows');
  });

  it('joins words', () => {
    expect(joinWords([])).toBe('');
    expect(joinWords(['a'])).toBe('a');
    expect(joinWords(['a', 'b', 'c'])).toBe('a, b, and c');
  });

  it('keeps the ending of a long name', () => {
    expect(shorten('short.csv', 20)).toBe('short.csv');
    const cut = shorten('household-power-consumption.csv', 16);
    expect(cut).toHaveLength(16);
    expect(cut.endsWith('.csv')).toBe(true);
  });
});

describe('another language', () => {
  afterEach(() => {
    speak('en');
  });

  it('writes numbers, sizes, times and dates as its people do', () => {
    speak('de');
    expect([formatCount(17420), formatLoss(0.123456), formatLoss(0.0000321)]).toEqual([
      '17.420',
      '0,1235',
      '3,21e-5',
    ]);
    expect([formatValue(35.6), formatRate(12.34), formatBytes(1536)]).toEqual([
      '35,6',
      '12,3',
      '1,5 kB',
    ]);
    expect(formatDuration(200)).toBe('3 Min. 20 Sek.');
    expect(formatPercent(0.314)).toMatch(/^31\s%$/);
    expect(formatMomentUtc(Date.UTC(2012, 0, 1))).toBe('01.01.2012');
    speak('zh_CN');
    expect(formatDuration(200)).toBe('3分钟 20秒');
    expect(formatMomentUtc(Date.UTC(2012, 0, 1))).toBe('2012年1月1日');
  });

  it('counts and joins in the forms that it has', () => {
    speak('es');
    expect([counted('rows', 1), counted('rows', 1461)]).toEqual(['1 fila', '1461 filas']);
    expect(joinWords(['a', 'b', 'c'])).toBe('a, b y c');
    speak('zh_CN');
    expect([counted('rows', 1), counted('rows', 2)]).toEqual(['1 行', '2 行']);
  });
});
