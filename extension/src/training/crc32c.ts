// CRC-32C (Castagnoli), the checksum at the end of the native host's streams. Eight bytes at a time by eight tables,
// since a stream must not wait for it.

const TABLES: Uint32Array[] = [];
for (let t = 0; t < 8; t += 1) {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i += 1) {
    let c = t === 0 ? i : (TABLES[t - 1]?.[i] ?? 0);
    const rounds = t === 0 ? 8 : 0;
    for (let k = 0; k < rounds; k += 1) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
    if (t > 0) c = (c >>> 8) ^ (TABLES[0]?.[c & 0xff] ?? 0);
    table[i] = c >>> 0;
  }
  TABLES.push(table);
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
];

const at = (table: Uint32Array, i: number): number => table[i & 0xff] ?? 0;

/** The checksum of all bytes so far; begin with 0 and pass the last result on. */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  let c = ~previous;
  let i = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (; i + 8 <= bytes.length; i += 8) {
    c ^= view.getUint32(i, true);
    const high = view.getUint32(i + 4, true);
    c =
      at(t7, c) ^
      at(t6, c >>> 8) ^
      at(t5, c >>> 16) ^
      at(t4, c >>> 24) ^
      at(t3, high) ^
      at(t2, high >>> 8) ^
      at(t1, high >>> 16) ^
      at(t0, high >>> 24);
  }
  for (; i < bytes.length; i += 1) c = (c >>> 8) ^ at(t0, c ^ (bytes[i] ?? 0));
  return ~c >>> 0;
}
