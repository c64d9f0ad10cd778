// The core's checkpoints, read by a program that shares no line with the core.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { readCheckpoint } from './safetensors.mjs';

const root = join(import.meta.dirname, '..', '..');

/** The bytes of a listing "0010  64 61 ...   text" in a Markdown page. */
function listed(page, heading) {
  const lines = page.slice(page.indexOf(heading)).split('\n');
  const rows = lines.flatMap(
    (line) => /^[0-9a-f]{4} {2}((?:[0-9a-f]{2} ?){1,16})/.exec(line)?.[1] ?? [],
  );
  return Buffer.from(rows.join('').replaceAll(' ', ''), 'hex');
}

test('the file that the core wrote is what FORMATS.md says, by another reader', () => {
  const { metadata, tensors } = readCheckpoint(
    readFileSync(join(root, 'tests/golden/checkpoint.safetensors')),
  );
  assert.deepEqual(Object.keys(tensors), ['empty', 'lstm.weight_hh_l0', 'step', 'äöü "quoted"']);
  const { bytes, shape } = tensors['lstm.weight_hh_l0'];
  assert.deepEqual(shape, [2, 3]);
  const values = [...new Float32Array(Uint8Array.from(bytes).buffer)];
  assert.deepEqual(values, [1, -2, 0.5, 4, 5, 6]);
  assert.equal(tensors.step.bytes.readBigInt64LE(), 7n);
  assert.equal(JSON.parse(metadata.state).step, 7);
});

test('the listing in FORMATS.md is such a file', () => {
  const file = listed(readFileSync(join(root, 'wasm/io/FORMATS.md'), 'utf8'), '### Example');
  const { tensors } = readCheckpoint(file);
  assert.deepEqual([...new Float32Array(Uint8Array.from(tensors.w.bytes).buffer)], [1, 2]);
});

test('the other reader notices a change in header and data as well', () => {
  const file = readFileSync(join(root, 'tests/golden/checkpoint.safetensors'));
  for (let at = 0; at < file.length; at += 1) {
    file[at] ^= 4;
    assert.throws(() => readCheckpoint(file), `byte ${at}`);
    file[at] ^= 4;
  }
});
