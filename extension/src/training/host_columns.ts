// Columns of a shard from the native host, checked by their SHA-256. They may come packed: bytes of equal place side by
// side in blocks, and deflated. A host that ends on the way is asked again; it begins with the same shard.
import type { FetchColumns } from '../storage/remote_shards.ts';
import { sha256Of } from '../storage/shard_store.ts';
import { bytesOf } from '../storage/remote_shards.ts';
import { HostError } from './host_errors.ts';
import type { HostLink } from './hostlink.ts';

const TRIES = 3;
const PAUSE_MS = 500;
/** Plain bytes that are shuffled together. */
const BLOCK = 65_536;

export function fetchColumns(link: HostLink, pauseMs = PAUSE_MS): FetchColumns {
  return async (...asked) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transfer(link, ...asked);
      } catch (error) {
        const [, , , signal] = asked;
        signal.throwIfAborted();
        if (!isBroken(error) || attempt === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs * attempt));
      }
    }
  };
}

/** The link's failures, not what the host refuses. */
function isBroken(error: unknown): boolean {
  return error instanceof HostError && /^(host|relay)\./.test(error.code);
}

async function transfer(
  link: HostLink,
  ...[dataset, shard, columns, signal]: Parameters<FetchColumns>
): ReturnType<FetchColumns> {
  const what = `Shard ${String(shard)} of ${dataset}`;
  const fields = { dataset, shard, columns: columns.map(({ index }) => index), deflate: true };
  const { reply, chunks, sha256 } = await link.read('shard.read', fields, what);
  const frames = whileWanted(chunks, signal);
  const plain = new Uint8Array(reply.bytes);
  if (reply.encoding === 'identity') fill(plain, await gather(frames), what);
  else {
    const packed = new Blob((await gather(frames)) as Uint8Array<ArrayBuffer>[]);
    const unpacked = packed.stream().pipeThrough(new DecompressionStream('deflate'));
    const shuffled = new Uint8Array(reply.bytes);
    fill(shuffled, [new Uint8Array(await new Response(unpacked).arrayBuffer())], what);
    let at = 0;
    for (const { dtype, bytes } of reply.columns) {
      const width = bytesOf(dtype as 'F32');
      unshuffle(shuffled.subarray(at, at + bytes), width, plain.subarray(at, at + bytes));
      at += bytes;
    }
  }
  const digest = await sha256Of(plain);
  if (digest === sha256()) return { bytes: plain, sha256: digest };
  throw new HostError(
    'host.incomplete',
    `${what}: the values that arrived are not those that the native host read (SHA-256). Try again.`,
  );
}

async function* whileWanted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

function fill(into: Uint8Array, pieces: Uint8Array[], what: string): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length !== into.length)
    throw new HostError(
      'host.incomplete',
      `${what}: ${String(length)} of ${String(into.length)} bytes arrived. Try again.`,
    );
  let at = 0;
  for (const piece of pieces) {
    into.set(piece, at);
    at += piece.length;
  }
}

/** Block by block: the first bytes of all values, then the second ones, and so on. */
export function unshuffle(from: Uint8Array, width: number, to: Uint8Array): void {
  for (let begin = 0; begin < from.length; begin += BLOCK) {
    const block = from.subarray(begin, begin + BLOCK);
    const values = block.length / width;
    for (let byte = 0; byte < width; byte += 1) {
      for (let value = 0; value < values; value += 1)
        to[begin + value * width + byte] = block[byte * values + value] ?? 0;
    }
  }
}
