// A checkpoint's reader made from FORMATS.md alone, with Node's own JSON and SHA-256: whether the files that the core
// writes are what the page says.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

const SIZES = {
  ...{ BOOL: 1, U8: 1, I8: 1, U16: 2, I16: 2, F16: 2, BF16: 2 },
  ...{ U32: 4, I32: 4, F32: 4, U64: 8, I64: 8, F64: 8 },
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** {metadata, tensors: {name: {dtype, shape, bytes}}} of a file whose every byte is as it was written; throws otherwise. */
export function readCheckpoint(file) {
  const length = Number(file.readBigUInt64LE(0));
  assert.ok(length <= 8 * 1024 * 1024 && 8 + length <= file.length, 'the header fits the file');
  assert.equal(length % 8, 0, 'the header is padded to a multiple of 8');
  const header = Buffer.from(file.subarray(0, 8 + length));
  const { __metadata__: metadata, ...entries } = JSON.parse(header.toString('utf8', 8));
  assert.equal(metadata.format, 'shadegrad/2');

  const digits =
    header.indexOf(`"header_sha256":"${metadata.header_sha256}"`) + '"header_sha256":"'.length;
  header.fill('0', digits, digits + 64);
  assert.equal(sha256(header), metadata.header_sha256, "the header's hash");

  const hashes = JSON.parse(metadata.sha256);
  assert.deepEqual(Object.keys(hashes).sort(), Object.keys(entries).sort());
  const tensors = {};
  let at = 0;
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [begin, end],
    },
  ] of Object.entries(entries)) {
    assert.equal(begin, at, `${name} begins where the one before ends`);
    const values = shape.reduce((product, n) => product * n, 1);
    assert.equal(end - begin, values * SIZES[dtype], `${name} fills its shape`);
    const bytes = file.subarray(8 + length + begin, 8 + length + end);
    assert.equal(sha256(bytes), hashes[name], `the hash of ${name}`);
    tensors[name] = { dtype, shape, bytes };
    at = end;
  }
  assert.equal(8 + length + at, file.length, 'nothing follows the last tensor');
  return { metadata, tensors };
}
