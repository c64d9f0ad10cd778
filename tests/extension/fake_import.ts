// The import of the fake core: comma-separated numbers become shards of a few rows, written as the real one writes them.
import type { DatasetDescription } from '../../extension/src/messages/state.ts';
import type {
  ImportFed,
  ImportFinished,
  ImportedShard,
  ImportSource,
} from '../../extension/src/training/core.ts';
import { CoreError } from '../../extension/src/training/core.ts';
import { f32, manifestOf, sha256, shardOf } from './fake_shards.ts';
import type { FakeShard } from './fake_shards.ts';

/** Few rows a shard, unless the file is long. */
export const rowsPerShard = (size: number): number => (size < 10_000 ? 4 : 20_000);
const END = 65_536;

export class FakeImport {
  readonly #source: ImportSource;
  readonly #perShard: number;
  readonly #shards: FakeShard[] = [];
  readonly #bytes: Uint8Array[] = [];
  #line = '';
  #names: string[] = [];
  #rows: number[][] = [];
  #done = 0;

  constructor(source: ImportSource) {
    this.#source = source;
    this.#perShard = rowsPerShard(source.size);
  }

  feed(bytes: Uint8Array): ImportFed {
    this.#bytes.push(bytes.slice());
    const lines = (this.#line + new TextDecoder().decode(bytes)).split('\n');
    this.#line = lines.pop() ?? '';
    lines.forEach((line) => {
      this.#add(line);
    });
    return { rows: this.#done + this.#rows.length, shards: this.#full() };
  }

  finish(): ImportFinished {
    if (this.#line !== '') this.#add(this.#line);
    if (this.#names.length === 0)
      throw new CoreError('csv.empty', `${this.#source.name} is empty.`);
    const shards = this.#full();
    if (this.#rows.length > 0) shards.push(this.#shard());
    const { name, size, mtime } = this.#source;
    const whole = Buffer.concat(this.#bytes);
    const { head = sha256(whole.subarray(0, END)) } = this.#source;
    const { tail = sha256(whole.subarray(Math.max(0, whole.length - END))) } = this.#source;
    const source = { name, size, mtime, head, tail, parts: [{ name, size }] };
    const columns = this.#names.map((column) => ({ name: column, dtype: 'F32' }));
    return { manifest: manifestOf(source, this.#done, columns, this.#shards), shards };
  }

  #add(line: string): void {
    const cells = line.split(',');
    if (this.#names.length === 0) this.#names = cells;
    else this.#rows.push(cells.map((cell) => (cell === '' ? NaN : Number(cell))));
  }

  #full(): ImportedShard[] {
    const shards: ImportedShard[] = [];
    while (this.#rows.length >= this.#perShard) shards.push(this.#shard());
    return shards;
  }

  #shard(): ImportedShard {
    const rows = this.#rows.splice(0, this.#perShard);
    const file = `${String(this.#shards.length).padStart(6, '0')}.safetensors`;
    const columns = this.#names.map((_, c) => rows.map((row) => row[c] ?? NaN));
    const bytes = shardOf(
      Object.fromEntries(columns.map((values, c) => [`c${String(c)}`, f32(values)])),
    );
    this.#shards.push({ file, bytes, first: this.#done, rows: rows.length });
    this.#done += rows.length;
    return { file, bytes: bytes.slice() };
  }
}

/** A table of numbers with these names in its first line. */
export function describeTable(
  header: string,
  rows: number,
  first: string[] = [],
): DatasetDescription {
  const columns = header.split(',').map((name) => ({
    name,
    type: 'number' as const,
    count: rows,
    missing: 0,
    min: 0,
    max: 1,
    mean: 0,
    std: 1,
    distinct: null,
    first: null,
    last: null,
  }));
  const preview = first.map((row) => row.split(','));
  return { rows, columns, preview, repairs: [], repairCount: 0 };
}
