// What pages know of data: where rows come from, what was read, what is kept in this browser. A part of RunState.
import * as v from './validate.ts';

/** No reader gives more. */
export const MOST_COLUMNS = 10_000;

export type SourceKind = 'file' | 'host' | 'example';

/** Where the rows came from. `path` is set for files of the native host and is relative to its granted folder. */
export interface SourceInfo {
  kind: SourceKind;
  name: string;
  size: number;
  path: string | null;
  /** The import that holds its rows; null where they are in memory. */
  imported: string | null;
}

export const sourceInfo: v.Check<SourceInfo> = v.object({
  kind: v.oneOf('file', 'host', 'example'),
  name: v.text(4096),
  size: v.integer(0),
  path: v.nullable(v.text(4096)),
  imported: v.nullable(v.text(100)),
});

/** A data set that was imported: its rows are in the browser's own storage, and its source is no longer needed. */
export interface ImportedDataset {
  id: string;
  kind: SourceKind;
  name: string;
  path: string | null;
  /** Of the source. */
  size: number;
  rows: number;
  /** What it takes here. */
  bytes: number;
  /** Milliseconds since 1970. */
  used: number;
  /** What is damaged, once that was found: it must be imported again. */
  problem: string | null;
}

/** An import that found too little room, and what could go for it. */
export interface Shortage {
  name: string;
  /** Bytes. */
  needed: number;
  free: number;
  /** What was used longest ago first; empty when all of it would not be enough. */
  offered: Pick<ImportedDataset, 'id' | 'name' | 'bytes' | 'used'>[];
}

/** One of the arrays that an archive holds. */
export interface ArrayInfo {
  name: string;
  /** Null: it is a single value. */
  rows: number | null;
  /** Whether it is a part of the table. */
  read: boolean;
}

export interface ReadingProgress {
  bytes: number;
  total: number;
  rows: number;
  /** Bytes a second, and the seconds that are left; null at the start. */
  rate: number | null;
  secondsLeft: number | null;
}

/** What a file begins with, and what its columns seem to hold. */
export interface FirstRows {
  columns: { name: string; type: ColumnType }[];
  rows: string[][];
}

/** elements: an array in every row, as a picture. */
export const COLUMN_TYPES = ['number', 'datetime', 'category', 'text', 'elements'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** One column as the CSV reader saw it; statistics are null for columns without numbers. */
export interface ColumnDescription {
  name: string;
  type: ColumnType;
  count: number;
  missing: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  std: number | null;
  distinct: number | null;
  /** Dates of the first and last row, year first. */
  first: string | null;
  last: string | null;
  /** Of dates: the usual seconds between two rows, and how often there are more. */
  stepSeconds?: number | null;
  gaps?: number | null;
  /** Of elements: those of one row. */
  shape?: number[] | null;
}

/** Something in the file that was mended while reading; line and column count from 1. */
export interface Repair {
  line: number;
  column: number;
  code: string;
  message: string;
}

export interface DatasetDescription {
  rows: number;
  columns: ColumnDescription[];
  preview: string[][];
  repairs: Repair[];
  /** All repairs of the file; `repairs` lists the first of them. */
  repairCount: number;
}
