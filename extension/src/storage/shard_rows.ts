// Rows of a data set in shards, written where the core wants them. A request may span many shards; each is opened when
// its turn comes, and nothing is written after the asker has let go.
import { StoreError } from './checkpoint_store.ts';
import type { Manifest, ManifestColumn, ManifestShard } from './manifest.ts';
import { readColumn } from './shard.ts';
import type { ShardFile } from './shard.ts';

export interface RowRequest {
  first: number;
  rows: number;
  /** By index. */
  columns: number[];
}

/** Where the values go: column after column, each of all rows. The memory may move, so it is asked for anew. */
export interface RowTarget {
  memory: () => Uint8Array;
  pointer: number;
}

export interface Reading {
  /** Once it is aborted nothing more is written. */
  signal: AbortSignal;
  /** Between two shards: a file that is quick to open must not keep all else waiting until the last row is there. */
  pause?: () => Promise<void>;
  /** Rows that are there, of this request. */
  progress?: (rows: number) => void;
}

/** Opens what holds these columns of a shard: its own file, or what came of it from elsewhere. */
export interface ShardFiles {
  open: (
    shard: ManifestShard,
    columns: ManifestColumn[],
    signal: AbortSignal,
  ) => Promise<OpenShard>;
}

export interface OpenShard {
  fileOf: (column: ManifestColumn) => ShardFile;
  close: () => void;
}

export class ShardRows {
  readonly #manifest: Manifest;
  readonly #files: ShardFiles;
  readonly #columns: Map<number, ManifestColumn>;

  constructor(manifest: Manifest, files: ShardFiles) {
    this.#columns = new Map(manifest.columns.map((column) => [column.index, column]));
    this.#manifest = manifest;
    this.#files = files;
  }

  async read(
    request: RowRequest,
    target: RowTarget,
    { signal, pause, progress }: Reading,
  ): Promise<void> {
    const end = request.first + request.rows;
    const columns = this.#placed(request);
    for (const shard of this.#covering(request, columns)) {
      const mine = columns.filter(({ column }) => has(shard, column));
      const wanted = mine.map(({ column }) => column);
      const open = await this.#files.open(shard, wanted, signal);
      try {
        signal.throwIfAborted();
        const from = Math.max(request.first, shard.first);
        const rows = Math.min(end, shard.first + shard.rows) - from;
        const memory = target.memory();
        for (const { column, at } of mine) {
          const width = widthOf(column);
          const start = target.pointer + at + 4 * width * (from - request.first);
          const values = new Float32Array(memory.buffer, memory.byteOffset + start, rows * width);
          if (!readColumn(open.fileOf(column), column, from - shard.first, values))
            throw damaged(this.#manifest, `${shard.file} has no whole column "${column.name}"`);
        }
        progress?.(from + rows - request.first);
      } finally {
        open.close();
      }
      await pause?.();
      signal.throwIfAborted();
    }
  }

  /** The columns with where each begins, in bytes from the pointer. */
  #placed({ columns, rows }: RowRequest): { column: ManifestColumn; at: number }[] {
    let at = 0;
    return columns.map((index) => {
      const column = this.#columns.get(index);
      if (column?.dtype == null)
        throw new StoreError(
          'dataset.no_values',
          `Column ${String(index)} of "${this.#manifest.source.name}" has no values to train on.`,
        );
      const placed = { column, at };
      at += 4 * widthOf(column) * rows;
      return placed;
    });
  }

  /** In the order of their rows; together they must have every row of every column. */
  #covering({ first, rows }: RowRequest, columns: { column: ManifestColumn }[]): ManifestShard[] {
    const end = first + rows;
    const shards = this.#manifest.shards
      .filter((shard) => shard.first < end && shard.first + shard.rows > first)
      .filter((shard) => columns.some(({ column }) => has(shard, column)))
      .sort((a, b) => a.first - b.first);
    for (const { column } of columns) {
      let at = first;
      for (const shard of shards) {
        if (has(shard, column) && shard.first <= at) at = Math.max(at, shard.first + shard.rows);
      }
      if (at < end)
        throw damaged(this.#manifest, `no shard has row ${String(at + 1)} of "${column.name}"`);
    }
    return shards;
  }
}

function has({ columns: [first, count] }: ManifestShard, { index }: ManifestColumn): boolean {
  return index >= first && index < first + count;
}

function widthOf({ shape }: ManifestColumn): number {
  return shape.reduce((product, length) => product * length, 1);
}

export function damaged({ source }: Pick<Manifest, 'source'>, detail: string): StoreError {
  return new StoreError(
    'dataset.damaged',
    `The imported data of "${source.name}" is damaged: ${detail}. Import the file again: choose it once more, and a new import takes this one's place.`,
  );
}
