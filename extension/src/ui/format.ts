// Numbers, sizes and times as people read them. Every function is total: null, NaN and infinities come out as
// words, never as "NaN" in the middle of a sentence. The locale is fixed so that a picture looks the same anywhere.

export const missing = '–';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 17420 -> "17,420". */
export function formatCount(value: number | null | undefined): string {
  return isNumber(value) ? grouped.format(value) : missing;
}

/** A loss or an error: four significant digits, powers of ten only where zeros would hide them. */
export function formatLoss(value: number | null | undefined): string {
  if (value === null || value === undefined) return missing;
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return 'infinite';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2).replace('e+', 'e');
  return size >= 1000 ? grouped.format(value) : value.toPrecision(4);
}

/** A value in the data's own units: at most five significant digits, no trailing zeros. */
export function formatValue(value: number | null | undefined): string {
  if (!isNumber(value)) return missing;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2).replace('e+', 'e');
  if (size >= 1e5) return grouped.format(value);
  return trimZeros(value.toPrecision(5));
}

/** Steps a second, without the unit: "1,234", "123", "12.3", "0.42". */
export function formatRate(value: number | null | undefined): string {
  if (!isNumber(value) || value < 0) return missing;
  if (value >= 99.95) return grouped.format(value);
  return value >= 9.995 ? value.toFixed(1) : trimZeros(value.toFixed(2));
}

/** 1536 -> "1.5 kB" (powers of 1000, as file managers count). */
export function formatBytes(value: number | null | undefined): string {
  if (!isNumber(value) || value < 0) return missing;
  if (value < 1000) return `${String(Math.round(value))} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let scaled = value / 1000;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  const digits = scaled < 9.95 ? trimZeros(scaled.toFixed(1)) : grouped.format(scaled);
  return `${digits} ${units[unit] ?? ''}`;
}

/** What takes from microseconds to seconds: "0.42 ms", "3.1 ms", "123 ms", "1.2 s". */
export function formatMilliseconds(value: number | null | undefined): string {
  if (!isNumber(value) || value < 0) return missing;
  if (value >= 999.5) return `${(value / 1000).toFixed(1)} s`;
  if (value >= 9.95) return `${grouped.format(value)} ms`;
  return `${value >= 0.995 ? value.toFixed(1) : trimZeros(value.toFixed(2))} ms`;
}

/** Seconds as the two largest units: "4 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
export function formatDuration(seconds: number | null | undefined): string {
  if (!isNumber(seconds) || seconds < 0) return missing;
  if (seconds < 1) return 'under 1 s';
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${String(amount)} ${unit}`)
    .join(' ');
}

/** A moment (milliseconds since 1970) in the person's own time zone: "2026-05-14 09:41". */
export function formatMoment(milliseconds: number | null | undefined): string {
  if (!isNumber(milliseconds)) return missing;
  const moment = new Date(milliseconds);
  if (Number.isNaN(moment.getTime())) return missing;
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** A date of the data, which has no time zone: the time is left out at midnight. */
export function formatMomentUtc(milliseconds: number): string {
  const moment = new Date(milliseconds);
  if (Number.isNaN(moment.getTime())) return missing;
  const [day = '', time = ''] = moment.toISOString().split('T');
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`;
}

/** 0.314 -> "31%"; below one percent one decimal is kept. */
export function formatPercent(fraction: number | null | undefined): string {
  if (!isNumber(fraction)) return missing;
  const percent = fraction * 100;
  const size = Math.abs(percent);
  return `${size !== 0 && size < 0.95 ? percent.toFixed(1) : grouped.format(percent)}%`;
}

/** plural(1, 'row') -> "1 row", plural(2, 'row') -> "2 rows". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** "a", "a and b", "a, b and c". */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1] ?? ''}`;
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

function trimZeros(digits: string): string {
  return digits.includes('.') && !digits.includes('e') ? digits.replace(/\.?0+$/, '') : digits;
}
