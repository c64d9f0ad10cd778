// Numbers, sizes and times as people of the browser's language write them. Every function is total: null, NaN and
// infinities come out as words, never as "NaN" in the middle of a sentence.

import { personsLanguage, t } from '../texts.ts';

export const missing = '–';

const formats = new Map<string, Intl.NumberFormat>();

/** Making a format costs a hundred times what using it does. */
function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const language = personsLanguage();
  const key = language + JSON.stringify(options);
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, options);
    formats.set(key, format);
  }
  return format;
}

const whole = { maximumFractionDigits: 0 };

/** 17420 -> "17,420". */
export function formatCount(value: number | null | undefined): string {
  return isNumber(value) ? grouped(value) : missing;
}

function grouped(value: number): string {
  return numberFormat(whole).format(value);
}

/** Significant digits of a loss. */
export const LOSS_DIGITS = 4;
/** Most significant digits of a value in the data's own units. */
const VALUE_DIGITS = 5;

/** A loss or an error: four significant digits, powers of ten only where zeros would hide them. */
export function formatLoss(value: number | null | undefined): string {
  if (value === null || value === undefined) return missing;
  if (Number.isNaN(value)) return t('notANumber');
  if (!Number.isFinite(value)) return t('infinite');
  const size = Math.abs(value);
  if (size === 0) return grouped(0);
  if (size < 1e-4 || size >= 1e6) return powerOfTen(value);
  if (size >= 1000) return grouped(value);
  const digits = { minimumSignificantDigits: LOSS_DIGITS, maximumSignificantDigits: LOSS_DIGITS };
  return numberFormat(digits).format(value);
}

/** A value in the data's own units: at most five significant digits, no trailing zeros. */
export function formatValue(value: number | null | undefined): string {
  if (!isNumber(value)) return missing;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return powerOfTen(value);
  if (size >= 1e5) return grouped(value);
  return numberFormat({ maximumSignificantDigits: VALUE_DIGITS, useGrouping: false }).format(value);
}

/**
 * Numbers that are read beside each other: all with as many decimals as the largest has room for in so many digits and any
 * of them needs. One that would be 0 by that stands by itself.
 */
export function formatAlike(
  values: readonly (number | null | undefined)[],
  digits = VALUE_DIGITS,
): string[] {
  const known = values.filter(isNumber);
  const largest = Math.max(0, ...known.map(Math.abs));
  const before = largest > 0 ? Math.floor(Math.log10(largest)) + 1 : 1;
  const room = Math.max(0, digits - before);
  if (largest >= 1e9 || before < -3) return values.map(formatValue);
  const decimals = Math.max(0, ...known.map((value) => decimalsOf(value, room)));
  const format = numberFormat({
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: largest >= 1e5,
  });
  return values.map((value) => {
    const lost = isNumber(value) && value !== 0 && Number(value.toFixed(decimals)) === 0;
    return isNumber(value) && !lost ? format.format(value) : formatValue(value);
  });
}

/** How many of so many decimals are not zeros at the end. */
function decimalsOf(value: number, most: number): number {
  return value.toFixed(most).split('.')[1]?.replace(/0+$/, '').length ?? 0;
}

/** Rows of one kind of number, all of them alike. */
export function formatRowsAlike(rows: readonly (readonly number[])[]): string[][] {
  const texts = formatAlike(rows.flat());
  let at = 0;
  return rows.map((row) => texts.slice(at, (at += row.length)));
}

/** 0.0000321 -> "3.21e-5". */
function powerOfTen(value: number): string {
  return numberFormat({
    notation: 'scientific',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
    .formatToParts(value)
    .map((part) => (part.type === 'exponentSeparator' ? 'e' : part.value))
    .join('');
}

/** Steps a second, without the unit: "1,234", "123", "12.3", "0.42". */
export function formatRate(value: number | null | undefined): string {
  if (!isNumber(value) || value < 0) return missing;
  if (value >= 99.95) return grouped(value);
  if (value >= 9.995)
    return numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value);
  return numberFormat({ maximumFractionDigits: 2 }).format(value);
}

/** How many times as fast or as large: "3.1", "12". */
export function formatFactor(value: number): string {
  if (value >= 9.95) return formatCount(value);
  return numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value);
}

function withUnit(value: number, unit: string, most = 0, least = 0, narrow = false): string {
  return numberFormat({
    style: 'unit',
    unit,
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    // "512 bytes" and not "512 byte", which the short form is.
    unitDisplay: narrow ? 'narrow' : unit === 'byte' ? 'long' : 'short',
  }).format(value);
}

/** 1536 -> "1.5 kB" (powers of 1000, as file managers count). */
export function formatBytes(value: number | null | undefined): string {
  if (!isNumber(value) || value < 0) return missing;
  if (value < 1000) return withUnit(Math.round(value), 'byte');
  const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  let scaled = value / 1000;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return withUnit(scaled, units[unit] ?? 'terabyte', scaled < 9.95 ? 1 : 0);
}

/** What takes from microseconds to seconds: "0.42 ms", "3.1 ms", "123 ms", "1.2 sec". */
export function formatMilliseconds(value: number | null | undefined): string {
  if (!isNumber(value) || value < 0) return missing;
  if (value >= 999.5) return withUnit(value / 1000, 'second', 1, 1);
  if (value >= 9.95) return withUnit(value, 'millisecond');
  return value >= 0.995 ? withUnit(value, 'millisecond', 1, 1) : withUnit(value, 'millisecond', 2);
}

/** Seconds as the two largest units: "4s", "3m 20s", "2h 5m", "3d 4h". */
export function formatDuration(seconds: number | null | undefined): string {
  if (!isNumber(seconds) || seconds < 0) return missing;
  if (seconds < 1) return t('under', withUnit(1, 'second', 0, 0, true));
  const rounded = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(rounded / 86400), 'day'],
    [Math.floor(rounded / 3600) % 24, 'hour'],
    [Math.floor(rounded / 60) % 60, 'minute'],
    [rounded % 60, 'second'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => withUnit(amount, unit, 0, 0, true))
    .join(' ');
}

/** A moment (milliseconds since 1970) in the person's own time zone: "May 14, 2026, 9:41 AM". */
export function formatMoment(milliseconds: number | null | undefined): string {
  if (!isNumber(milliseconds)) return missing;
  const moment = new Date(milliseconds);
  if (Number.isNaN(moment.getTime())) return missing;
  return dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(moment);
}

/** A date of the data, which has no time zone: the time is left out at midnight. */
export function formatMomentUtc(milliseconds: number): string {
  const moment = new Date(milliseconds);
  if (Number.isNaN(moment.getTime())) return missing;
  const midnight = milliseconds % 86_400_000 === 0;
  return dateFormat({
    dateStyle: 'medium',
    ...(!midnight && { timeStyle: 'short' }),
    timeZone: 'UTC',
  }).format(moment);
}

/** A day of the data in digits, for where there is little room: "12/31/2015". */
export function formatDay(milliseconds: number): string {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' } as const;
  return dateFormat(digits).format(new Date(milliseconds));
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const language = personsLanguage();
  const key = language + JSON.stringify(options);
  let format = dateFormats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language, options);
    dateFormats.set(key, format);
  }
  return format;
}

/** 0.314 -> "31%"; below one percent one decimal is kept. */
export function formatPercent(fraction: number | null | undefined): string {
  if (!isNumber(fraction)) return missing;
  const size = Math.abs(fraction);
  const digits = size !== 0 && size < 0.0095 ? 1 : 0;
  return numberFormat({
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(fraction);
}

/** A measure whose best is 1: three decimals. */
export function formatFraction(value: number | null | undefined): string {
  if (!isNumber(value)) return missing;
  return numberFormat({ minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(value);
}

/** How often something is right: one decimal, so that a list of them is even, and never a round 100% for less. */
export function formatShare(fraction: number | null | undefined): string {
  if (!isNumber(fraction)) return missing;
  const shown = fraction < 1 ? Math.min(fraction, 0.999) : fraction;
  return numberFormat({
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(shown);
}

/** Keeps both ends of a long name, so that the ending stays readable. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 3);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
