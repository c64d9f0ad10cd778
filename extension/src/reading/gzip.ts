// One file under gzip, unpacked by the browser as it is read.
import type { Bytes, Part, RandomAccess } from './access.ts';
import { bytesOf, ReadingError, sequential, startsWith, streamOf } from './access.ts';
import { bounded } from './expanding.ts';

export function isGzip(head: Uint8Array): boolean {
  return startsWith(head, [0x1f, 0x8b, 0x08]);
}

/** The file inside, under its own name: "a.csv.gz" holds "a.csv". */
export function gunzip(file: RandomAccess): Part {
  const name = file.name.replace(/\.gz$/i, '').replace(/\.tgz$/i, '.tar');
  return { name, size: null, options: {}, chunks: () => unpacked(file) };
}

async function* unpacked(file: RandomAccess): Bytes {
  let packed = 0;
  const counted = async function* (): Bytes {
    for await (const chunk of sequential(file)) {
      packed += chunk.length;
      yield chunk;
    }
  };
  const stream = streamOf(counted()).pipeThrough(new DecompressionStream('gzip'));
  try {
    yield* bounded(bytesOf(stream), () => packed, file.name);
  } catch (error) {
    // The decoder's own complaint; what failed while reading the file says more and is passed on.
    if (!(error instanceof TypeError)) throw error;
    throw new ReadingError(
      'container.corrupt',
      `"${file.name}" is damaged or cut short: it stops being gzip after ${String(packed)} of ${String(file.size)} bytes were read. Fetch or copy it again.`,
    );
  }
}
