// Checks of what the core says of data: descriptions, and the shards of an import.
import { COLUMN_TYPES, MOST_COLUMNS } from '../messages/data.ts';
import type { ColumnDescription, DatasetDescription } from '../messages/state.ts';
import * as v from '../messages/validate.ts';

const count = v.integer(0);
const statistic = v.nullable(v.anyNumber);

const column = v.object({
  name: v.text(100_000),
  type: v.oneOf(...COLUMN_TYPES),
  count,
  missing: count,
  min: statistic,
  max: statistic,
  mean: statistic,
  std: statistic,
  distinct: v.nullable(count),
  first: statistic,
  last: statistic,
  stepSeconds: statistic,
  gaps: v.nullable(count),
  shape: v.nullable(v.list(count, 32)),
});

const rawDescription = v.object({
  rows: count,
  columns: v.list(column, MOST_COLUMNS),
  preview: v.list(v.list(v.text(100_000), MOST_COLUMNS), 1000),
  repairs: v.object({
    total: count,
    first: v.list(
      v.object({ line: count, column: count, kind: v.text(), text: v.text(100_000) }),
      1000,
    ),
  }),
});

export const datasetDescription: v.Check<DatasetDescription> = (value, path) => {
  const { rows, columns, preview, repairs } = rawDescription(value, path);
  return {
    rows,
    columns: columns.map((entry): ColumnDescription => ({
      ...entry,
      first: dateText(entry.first),
      last: dateText(entry.last),
    })),
    preview,
    repairs: repairs.first.map(({ line, column: at, kind, text }) => ({
      line,
      column: at,
      code: kind,
      message: text,
    })),
    repairCount: repairs.total,
  };
};

/** Seconds since 1970 as "2012-01-01" or "2012-01-01 13:00:00". */
function dateText(seconds: number | null): string | null {
  if (seconds === null) return null;
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return null;
  const [day = '', rest = ''] = date.toISOString().split('T');
  const time = rest.slice(0, 8);
  return time === '00:00:00' ? day : `${day} ${time}`;
}

const shards = v.list(v.object({ file: v.text(100, 1), pointer: count, length: count }), 10_000);

export const importFed = v.object({ rows: count, shards });
export const importFinished = v.object({ manifest: v.record, shards });
