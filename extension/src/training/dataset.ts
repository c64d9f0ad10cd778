// Reads a data set into the core, piece by piece. The data set of before stays until the new one is whole, so that a
// file that vanishes half way costs nothing.
import type { DatasetDescription, SourceInfo } from '../messages/state.ts';
import { CoreError } from './core.ts';
import type { Core } from './core.ts';
import { TrainingError } from './errors.ts';
import type { ByteSource } from './sources.ts';

export interface OpenDataset {
  handle: number;
  source: SourceInfo;
  description: DatasetDescription;
}

export interface ReadingProgress {
  bytes: number;
  total: number;
  rows: number;
}

/** Throws what went wrong, naming the file; the core then holds nothing of it. */
export async function readDataset(
  core: Core,
  source: ByteSource,
  progress: (reading: ReadingProgress) => void,
  signal: AbortSignal,
): Promise<OpenDataset> {
  const { info, chunks } = source;
  const handle = core.datasetOpen({ name: info.name });
  try {
    let bytes = 0;
    for await (const chunk of chunks) {
      if (signal.aborted)
        throw new TrainingError('dataset.cancelled', `Reading "${info.name}" was cancelled.`);
      const rows = core.datasetFeed(handle, chunk);
      bytes += chunk.length;
      progress({ bytes, total: info.size, rows });
    }
    return { handle, source: info, description: core.datasetFinish(handle) };
  } catch (error) {
    core.datasetClose(handle);
    throw naming(info.name, error);
  }
}

/** The core speaks of "the file"; a person wants to know which. */
function naming(name: string, error: unknown): unknown {
  if (!(error instanceof CoreError) || error.message.includes(name)) return error;
  return new TrainingError(error.code, `"${name}": ${error.message}`);
}
