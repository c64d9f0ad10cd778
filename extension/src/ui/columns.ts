// Columns and repairs of the file that was read, as short texts.

import type {
  ColumnDescription,
  DatasetDescription,
  Repair,
  SourceInfo,
} from '../messages/state.ts';
import { formatBytes, formatCount, formatDay, formatValue } from './format.ts';
import { counted, t } from '../texts.ts';

export interface ColumnView {
  name: string;
  type: ColumnDescription['type'];
  typeLabel: string;
  statistic: string;
}

/** What a column holds that is no number. */
export function otherKind(type: Exclude<ColumnDescription['type'], 'number'>): string {
  return t(`kind_${type}`);
}

export function viewColumn(column: ColumnDescription): ColumnView {
  const { name, type } = column;
  return { name, type, typeLabel: t(`type_${type}`), statistic: statisticOf(column) };
}

/** One glance at a column: its range and mean, its first and last date, or how many values differ. */
export function statisticOf(column: ColumnDescription): string {
  const { count, missing } = column;
  if (count === 0) return t('empty');
  const whole = valuesOf(column);
  return missing > 0 ? t('someMissing', whole, formatCount(missing)) : whole;
}

function valuesOf(column: ColumnDescription): string {
  const { type, min, max, first, last } = column;
  if (type === 'number') {
    if (min !== null && min === max) return t('always', formatValue(min));
    return t('fromTo', formatValue(min), formatValue(max));
  }
  if (type === 'datetime' && first !== null && last !== null)
    return `${dateOnly(first)} – ${dateOnly(last)}`;
  if (type === 'elements') return (column.shape ?? []).join(' × ');
  if (column.distinct !== null) return counted('values', column.distinct);
  return counted('entries', column.count);
}

/** Type, values, missing, smallest, largest, mean, deviation, different values: a row of the dashboard's table. */
export function statisticsOf(column: ColumnDescription): string[] {
  const { type, first, last } = column;
  const ends =
    type === 'datetime'
      ? [first ?? '–', last ?? '–']
      : [formatValue(column.min), formatValue(column.max)];
  return [
    t(`type_${type}`),
    formatCount(column.count),
    formatCount(column.missing),
    ...ends,
    formatValue(column.mean),
    formatValue(column.std),
    formatCount(column.distinct),
  ];
}

/** In the person's way; a date that is written in another way stays as it is. */
function dateOnly(text: string): string {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
  return day === undefined ? text : formatDay(Date.parse(day));
}

/** "1,461 rows, 6 columns, 48 kB". */
export function shapeOf(description: DatasetDescription, source: SourceInfo | null): string {
  const parts = [counted('rows', description.rows), counted('columns', description.columns.length)];
  if (source !== null && source.size > 0) parts.push(formatBytes(source.size));
  return parts.join(' · ');
}

export function repairSummary(description: DatasetDescription): string | null {
  const { repairCount } = description;
  return repairCount === 0 ? null : counted('repairsMade', repairCount);
}

/** What is of no line, as an array that was left out, says itself what it is of. */
export function repairLine(repair: Repair): string {
  if (repair.line === 0) return repair.message;
  return t('repairAt', formatCount(repair.line), formatCount(repair.column), repair.message);
}

/** How many repairs the list leaves out. */
export function repairsLeftOut(description: DatasetDescription): number {
  return Math.max(0, description.repairCount - description.repairs.length);
}

/** When the rows are, by the first column of dates. */
export interface Calendar {
  /** Milliseconds since 1970, read as UTC. */
  first: number;
  stepSeconds: number;
  /** No row is missing, so that a row's date follows from its number. */
  regular: boolean;
}

export function calendarOf(description: DatasetDescription): Calendar | null {
  const column = description.columns.find(({ type }) => type === 'datetime');
  if (column?.first == null) return null;
  const first = parseMoment(column.first);
  const { stepSeconds = null, gaps = null } = column;
  if (first === null || stepSeconds === null || !(stepSeconds > 0)) return null;
  return { first, stepSeconds, regular: gaps === 0 && column.missing === 0 };
}

export function rowSeconds(description: DatasetDescription): number | null {
  return calendarOf(description)?.stepSeconds ?? null;
}

function parseMoment(text: string): number | null {
  const match = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?)?/.exec(
    text.trim(),
  );
  if (match === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
