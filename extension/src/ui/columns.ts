// Columns and repairs of the file that was read, as short texts.

import type {
  ColumnDescription,
  DatasetDescription,
  Repair,
  SourceInfo,
} from '../messages/state.ts';
import { formatBytes, formatCount, formatValue, plural } from './format.ts';

export interface ColumnView {
  name: string;
  type: ColumnDescription['type'];
  typeLabel: string;
  statistic: string;
  /** Whether it can be learnt from. */
  usable: boolean;
}

const typeLabels: Record<ColumnDescription['type'], string> = {
  number: 'number',
  datetime: 'date',
  category: 'category',
  text: 'text',
  elements: 'array',
};

/** What a column holds that is no number. */
export const otherKinds: Record<Exclude<ColumnDescription['type'], 'number'>, string> = {
  datetime: 'dates',
  category: 'categories',
  text: 'text',
  elements: 'arrays',
};

export function viewColumns(description: DatasetDescription): ColumnView[] {
  return description.columns.map((column) => ({
    name: column.name,
    type: column.type,
    typeLabel: typeLabels[column.type],
    statistic: statisticOf(column),
    usable: column.type === 'number',
  }));
}

/** One glance at a column: its range and mean, its first and last date, or how many values differ. */
export function statisticOf(column: ColumnDescription): string {
  const gaps = column.missing > 0 ? `, ${formatCount(column.missing)} missing` : '';
  if (column.count === 0) return 'empty';
  if (column.type === 'number') {
    if (column.min !== null && column.min === column.max)
      return `always ${formatValue(column.min)}${gaps}`;
    return `${formatValue(column.min)} to ${formatValue(column.max)}${gaps}`;
  }
  if (column.type === 'datetime' && column.first !== null && column.last !== null) {
    return `${dateOnly(column.first)} – ${dateOnly(column.last)}${gaps}`;
  }
  if (column.type === 'elements') return `${(column.shape ?? []).join(' × ')}${gaps}`;
  if (column.distinct !== null) return `${plural(column.distinct, 'value')}${gaps}`;
  return `${plural(column.count, 'entry').replace('entrys', 'entries')}${gaps}`;
}

/** Type, values, missing, smallest, largest, mean, deviation, different values: a row of the dashboard's table. */
export function statisticsOf(column: ColumnDescription): string[] {
  const { type, first, last } = column;
  const ends =
    type === 'datetime'
      ? [first ?? '–', last ?? '–']
      : [formatValue(column.min), formatValue(column.max)];
  return [
    typeLabels[type],
    formatCount(column.count),
    formatCount(column.missing),
    ...ends,
    formatValue(column.mean),
    formatValue(column.std),
    formatCount(column.distinct),
  ];
}

function dateOnly(text: string): string {
  return /^\d{4}-\d{2}-\d{2}[T ]/.test(text) ? text.slice(0, 10) : text;
}

/** "1,461 rows, 6 columns, 48 kB". */
export function shapeOf(description: DatasetDescription, source: SourceInfo | null): string {
  const parts = [plural(description.rows, 'row'), plural(description.columns.length, 'column')];
  if (source !== null && source.size > 0) parts.push(formatBytes(source.size));
  return parts.join(' · ');
}

export function repairSummary(description: DatasetDescription): string | null {
  const { repairCount } = description;
  return repairCount === 0 ? null : `${plural(repairCount, 'repair')} made while reading`;
}

export function repairLine(repair: Repair): string {
  return `Line ${formatCount(repair.line)}, column ${formatCount(repair.column)}: ${repair.message}`;
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
