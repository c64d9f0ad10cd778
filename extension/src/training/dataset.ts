// Reads a data set into the core's memory, piece by piece: the way of the example, and of small files where the browser
// gives nowhere to keep shards. The data set of before stays until the new one is whole, so that a file that vanishes half
// way costs nothing.
import type {
  ArrayInfo,
  DatasetDescription,
  FirstRows,
  ReadingProgress,
  SourceInfo,
} from '../messages/state.ts';
import type { StoredDataset } from '../storage/datasets.ts';
import { CoreError } from './core.ts';
import type { Core } from './core.ts';
import { TrainingError } from './errors.ts';
import type { ByteSource, SourcePart } from './sources.ts';

export interface OpenDataset {
  handle: number;
  source: SourceInfo;
  description: DatasetDescription;
  /** Where its rows are; null: in the core. */
  stored: StoredDataset | null;
  /** Older imports of the same source: nobody needs them once this one is used. */
  replaced: string[];
  /** Of an archive whose file is at hand. */
  arrays?: ArrayInfo[];
}

export interface ReadingTask {
  progress: (reading: ReadingProgress) => void;
  /** What the file begins with, before all of it is read. */
  began: (firstRows: FirstRows) => void;
  signal: AbortSignal;
}

/** Throws what went wrong, naming the file; the core then holds nothing of it. */
export async function readDataset(
  core: Core,
  source: ByteSource,
  task: ReadingTask,
): Promise<OpenDataset> {
  const { info, parts } = source;
  if (parts.length > 1) {
    throw new TrainingError(
      'storage.missing',
      `"${info.name}" has several parts, which are put together in the browser's own storage; it is not to be had here. Use an ordinary window instead of a private one, or a single table.`,
    );
  }
  const { size, head, tail } = await source.fingerprint();
  const print = { size, head, tail };
  const handle = core.datasetOpen({ ...source.options, name: info.name, source: print });
  try {
    const meter = new ReadingMeter(info.size);
    for (const part of parts) {
      for await (const chunk of chunksOf(part, info.name, task.signal)) {
        const rows = core.datasetFeed(handle, chunk);
        task.progress(meter.at(source.consumed?.() ?? meter.bytes + chunk.length, rows));
      }
    }
    const description = withLeftOut(core.datasetFinish(handle), source.leftOut ?? []);
    return { handle, source: info, description, stored: null, replaced: [] };
  } catch (error) {
    core.datasetClose(handle);
    throw naming(info.name, error);
  }
}

function withLeftOut(description: DatasetDescription, leftOut: string[]): DatasetDescription {
  const told = leftOut.map((message) => ({ line: 0, column: 0, code: 'left_out', message }));
  const { repairs, repairCount } = description;
  return { ...description, repairs: [...told, ...repairs], repairCount: repairCount + told.length };
}

/** The part's bytes until the person calls it off, be it that the next piece never comes. */
export async function* chunksOf(
  { chunks }: SourcePart,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  let stop: () => void = () => undefined;
  const stopped = new Promise<null>((resolve) => {
    stop = () => {
      resolve(null);
    };
  });
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      if (signal.aborted) throw cancelled(name);
      const next = await Promise.race([iterator.next(), stopped]);
      if (next === null) throw cancelled(name);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // A source that is stuck would keep us waiting for its end.
    iterator.return?.().catch(() => undefined);
  }
}

export function cancelled(name: string): TrainingError {
  return new TrainingError('dataset.cancelled', `Reading "${name}" was cancelled.`);
}

/** The core speaks of "the file"; a person wants to know which. */
export function naming(name: string, error: unknown): unknown {
  if (!(error instanceof CoreError) || error.message.includes(name)) return error;
  return new TrainingError(error.code, `"${name}": ${error.message}`);
}

const FIRST_RATE_MS = 500;

/** How far a reading is, and how fast it goes. */
export class ReadingMeter {
  readonly #total: number;
  readonly #began = performance.now();
  #bytes = 0;

  constructor(total: number) {
    this.#total = total;
  }

  get bytes(): number {
    return this.#bytes;
  }

  at(bytes: number, rows: number): ReadingProgress {
    this.#bytes = bytes;
    const ms = performance.now() - this.#began;
    const rate = ms < FIRST_RATE_MS ? null : (1000 * this.#bytes) / ms;
    const left = Math.max(0, this.#total - this.#bytes);
    const secondsLeft = rate === null || rate === 0 ? null : left / rate;
    return { bytes: this.#bytes, total: this.#total, rows, rate, secondsLeft };
  }
}
