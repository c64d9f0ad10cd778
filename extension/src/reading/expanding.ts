// What unpacks can unpack to anything. Deflate makes at most 1,032 bytes out of one, and data that people keep makes a
// few dozen: what grows far beyond that is refused before it fills the disk.
import type { Bytes } from './access.ts';
import { ReadingError } from './access.ts';

/** Of unpacked to packed bytes, once more than FREE bytes have come out. */
const MOST = 500;
const FREE = 64 * 1_048_576;

/** Passes bytes on; `packed` tells how many packed bytes they came from so far. */
export async function* bounded(unpacked: Bytes, packed: () => number, name: string): Bytes {
  let bytes = 0;
  for await (const chunk of unpacked) {
    bytes += chunk.length;
    if (bytes > FREE && bytes > MOST * packed()) {
      throw new ReadingError(
        'container.bomb',
        `"${name}" unpacks to more than ${String(MOST)} times its size: this is not a file of data. Nothing of it was kept.`,
      );
    }
    yield chunk;
  }
}
