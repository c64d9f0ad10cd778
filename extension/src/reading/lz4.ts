// LZ4 frames, as Arrow files compress their buffers: no library for the browser keeps this format, whose description is
// at github.com/lz4/lz4 under doc/. Blocks may refer back over their own beginning, so they are unpacked into one buffer.
import { ReadingError } from './access.ts';

const MAGIC = 0x184d2204;

/** The frame's content. Throws on anything that is not such a frame, whole. */
export function unpackLz4Frame(frame: Uint8Array): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const out = new Output(frame.length * 4);
  try {
    let at = headerEnd(view);
    const checksummed = (view.getUint8(4) & 0x10) !== 0;
    for (;;) {
      const word = view.getUint32(at, true);
      at += 4;
      if (word === 0) return out.bytes();
      const length = word & 0x7fffffff;
      if (at + length > frame.length) throw damaged();
      const block = frame.subarray(at, at + length);
      if ((word & 0x80000000) !== 0) out.add(block);
      else unpack(block, out);
      at += length + (checksummed ? 4 : 0);
    }
  } catch (error) {
    if (error instanceof RangeError) throw damaged();
    throw error;
  }
}

function headerEnd(view: DataView): number {
  const flags = view.getUint8(4);
  if (view.getUint32(0, true) !== MAGIC || flags >> 6 !== 1 || (flags & 1) !== 0) throw damaged();
  return 7 + ((flags & 0x08) !== 0 ? 8 : 0);
}

/** What was unpacked so far. A frame seldom tells how much it holds; at most 255 times its own size. */
class Output {
  #bytes: Uint8Array;
  #length = 0;

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  add(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Bytes from `back` before the end, which may run into what they become. */
  repeat(back: number, length: number): void {
    if (back === 0 || back > this.#length) throw damaged();
    this.#reserve(length);
    for (let done = 0; done < length;) {
      const part = Math.min(back, length - done);
      const from = this.#length - back;
      this.#bytes.copyWithin(this.#length, from, from + part);
      this.#length += part;
      done += part;
    }
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}

/** Sequences of literals and a match; the last has literals alone. */
function unpack(block: Uint8Array, out: Output): void {
  let from = 0;
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    for (;;) {
      const more = byteAt(block, from++);
      length += more;
      if (more < 255) return length;
    }
  };
  while (from < block.length) {
    const token = byteAt(block, from++);
    const literals = lengthOf(token >> 4);
    if (from + literals > block.length) throw damaged();
    out.add(block.subarray(from, from + literals));
    from += literals;
    if (from === block.length) return;
    const back = byteAt(block, from) | (byteAt(block, from + 1) << 8);
    from += 2;
    out.repeat(back, lengthOf(token & 15) + 4);
  }
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw damaged();
  return byte;
}

function damaged(): ReadingError {
  return new ReadingError('arrow.corrupt', 'its compressed (LZ4) data is damaged');
}
