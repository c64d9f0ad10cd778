// Rewrites a WebAssembly module's relaxed SIMD instructions: the compiler (LLVM 14) writes the numbers that the proposal
// had in 2022, browsers know those of the finished one. Old and new take two bytes each, so nothing moves. It is the last
// step of a build, since Emscripten's own tools know the old numbers only.
//   node packaging/relaxed_simd.mjs FILE.wasm
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Old numbers, which the finished proposals use for nothing else, and what they have become. */
const RENUMBERED = new Map([
  [0xa2, 0x100], // i8x16.relaxed_swizzle
  [0xa5, 0x101], // i32x4.relaxed_trunc_f32x4_s, _u, _f64x2_s_zero, _u_zero
  [0xa6, 0x102],
  [0xc5, 0x103],
  [0xc6, 0x104],
  [0xaf, 0x105], // f32x4.relaxed_madd, nmadd
  [0xb0, 0x106],
  [0xcf, 0x107], // f64x2.relaxed_madd, nmadd
  [0xd0, 0x108],
  [0xb2, 0x109], // i8x16, i16x8, i32x4, i64x2.relaxed_laneselect
  [0xb3, 0x10a],
  [0xd2, 0x10b],
  [0xd3, 0x10c],
  [0xb4, 0x10d], // f32x4.relaxed_min, max
  [0xe2, 0x10e],
  [0xd4, 0x10f], // f64x2.relaxed_min, max
  [0xee, 0x110],
]);

const CODE_SECTION = 10;

class Walker {
  #bytes;
  #at;
  rewritten = 0;

  constructor(bytes, at) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get at() {
    return this.#at;
  }
  set at(place) {
    this.#at = place;
  }

  byte() {
    if (this.#at >= this.#bytes.length) throw new Error('the module ends within an instruction');
    return this.#bytes[this.#at++];
  }

  /** An unsigned number in LEB128. */
  number() {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  }

  numbers(count) {
    for (let i = 0; i < count; i += 1) this.number();
  }

  /** Alignment, where its bit 6 is set a memory's index, and offset. */
  address() {
    if (this.number() & 64) this.number();
    this.number();
  }

  simd() {
    const start = this.#at;
    const code = this.number();
    if (code <= 11 || code === 0x5c || code === 0x5d) this.address();
    else if (code === 12 || code === 13) this.#at += 16;
    else if (code >= 21 && code <= 34) this.#at += 1;
    else if (code >= 0x54 && code <= 0x5b) {
      this.address();
      this.#at += 1;
    } else if (RENUMBERED.has(code)) this.#rewrite(start, RENUMBERED.get(code));
  }

  #rewrite(start, code) {
    if (this.#at - start !== 2) throw new Error('an instruction is longer than it need be');
    this.#bytes[start] = (code & 127) | 128;
    this.#bytes[start + 1] = code >> 7;
    this.rewritten += 1;
  }

  /** One instruction with what follows its code. */
  instruction() {
    const code = this.byte();
    if (code === 0xfd) this.simd();
    else if (code === 0xfe) this.atomic();
    else if (code === 0xfc) this.bulk();
    else if (code >= 0x28 && code <= 0x3e) this.address();
    else if (code === 0x43) this.#at += 4;
    else if (code === 0x44) this.#at += 8;
    else if (code === 0x0e || code === 0x1c)
      this.numbers(this.number() + (code === 0x0e ? 1 : 0)); // br_table, select t*
    else if (code === 0x11 || code === 0x13)
      this.numbers(2); // call_indirect, return_call_indirect
    else if (WITH_A_NUMBER.has(code)) this.number();
    else if (!isBare(code)) {
      throw new Error(`no instruction 0x${code.toString(16)} is known, at byte ${this.#at - 1}`);
    }
  }

  atomic() {
    if (this.number() === 3)
      this.#at += 1; // atomic.fence
    else this.address();
  }

  bulk() {
    const code = this.number();
    if (code < 8) return; // trunc_sat
    this.numbers([8, 10, 12, 14].includes(code) ? 2 : 1);
  }

  /** A function's locals and instructions. */
  body() {
    const size = this.number();
    const end = this.#at + size;
    this.numbers(2 * this.number());
    while (this.#at < end) this.instruction();
    if (this.#at !== end) throw new Error(`a function ends at byte ${end}, not ${this.#at}`);
  }
}

/** Codes followed by one number in LEB128: block types, labels, indices, memories and integer constants. */
const WITH_A_NUMBER = new Set([
  ...[0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x12, 0x18],
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2],
]);

function isBare(code) {
  return (
    [0x00, 0x01, 0x05, 0x0a, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].includes(code) ||
    (code >= 0x45 && code <= 0xc4)
  );
}

/** Rewrites the module in place; how many instructions were. */
export function finishRelaxedSimd(bytes) {
  const walker = new Walker(bytes, 8);
  while (walker.at < bytes.length) {
    const section = walker.byte();
    const size = walker.number();
    const end = walker.at + size;
    if (section === CODE_SECTION) {
      const functions = walker.number();
      for (let i = 0; i < functions; i += 1) walker.body();
    }
    walker.at = end;
  }
  return walker.rewritten;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = process.argv[2];
  if (file === undefined) throw new Error('a file is needed: see the head of this file');
  const bytes = readFileSync(file);
  const count = finishRelaxedSimd(bytes);
  if (count > 0) writeFileSync(file, bytes);
}
