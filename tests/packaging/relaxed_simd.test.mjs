// The last step of a build with relaxed SIMD, on modules written by hand: each old number becomes the instruction of the
// finished proposal, and whatever stands beside it, in the code and elsewhere, stays as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishRelaxedSimd } from '../../packaging/relaxed_simd.mjs';

const V128 = 123;
const I32 = 127;

const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);
const vector = (items) => [...number(items.length), ...items.flat()];
const section = (id, content) => [id, ...vector(content)];

/** A module with a memory, of one function () -> v128 of these instructions. */
function moduleOf(instructions, { locals = [], result = V128, more = [] } = {}) {
  const body = [...vector(locals), ...instructions, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, 0, 1, result]])),
    ...section(3, vector([0])),
    ...section(5, vector([[3, 1, 1]])), // shared, so that atomic instructions stand in a usual place
    ...more,
    ...section(10, vector([vector(body)])),
  ]);
}

const simd = (code) => [0xfd, ...number(code)];
const splat = (value) => [0x41, value, ...simd(15)];
/** A constant whose bytes look like old instructions. */
const decoy = [...simd(12), ...Array.from({ length: 8 }, () => [0xfd, 0xaf]).flat()];

const OLD = {
  swizzle: { old: 0xa2, now: 0x100, operands: 2 },
  trunc_f32x4_s: { old: 0xa5, now: 0x101, operands: 1 },
  trunc_f32x4_u: { old: 0xa6, now: 0x102, operands: 1 },
  trunc_f64x2_s_zero: { old: 0xc5, now: 0x103, operands: 1 },
  trunc_f64x2_u_zero: { old: 0xc6, now: 0x104, operands: 1 },
  f32x4_madd: { old: 0xaf, now: 0x105, operands: 3 },
  f32x4_nmadd: { old: 0xb0, now: 0x106, operands: 3 },
  f64x2_madd: { old: 0xcf, now: 0x107, operands: 3 },
  f64x2_nmadd: { old: 0xd0, now: 0x108, operands: 3 },
  i8x16_laneselect: { old: 0xb2, now: 0x109, operands: 3 },
  i16x8_laneselect: { old: 0xb3, now: 0x10a, operands: 3 },
  i32x4_laneselect: { old: 0xd2, now: 0x10b, operands: 3 },
  i64x2_laneselect: { old: 0xd3, now: 0x10c, operands: 3 },
  f32x4_min: { old: 0xb4, now: 0x10d, operands: 2 },
  f32x4_max: { old: 0xe2, now: 0x10e, operands: 2 },
  f64x2_min: { old: 0xd4, now: 0x10f, operands: 2 },
  f64x2_max: { old: 0xee, now: 0x110, operands: 2 },
};

for (const [name, { old, now, operands }] of Object.entries(OLD)) {
  test(`the instruction ${name} becomes one that is known`, () => {
    const before = Array.from({ length: operands }, () => decoy).flat();
    const bytes = moduleOf([...before, ...simd(old)]);
    assert.ok(!WebAssembly.validate(bytes));
    assert.equal(finishRelaxedSimd(bytes), 1);
    assert.deepEqual(bytes, moduleOf([...before, ...simd(now)]));
    assert.ok(WebAssembly.validate(bytes));
  });
}

test('a fused multiply-add gives its number', async () => {
  const float = (value) => [0x43, ...new Uint8Array(Float32Array.of(value).buffer), ...simd(19)];
  const lane = [...simd(31), 2];
  const sum = [...float(3), ...float(5), ...float(0.5), ...simd(0xaf), ...lane];
  const exported = section(7, vector([[...vector([...Buffer.from('f')]), 0, 0]]));
  const bytes = moduleOf(sum, { result: 125, more: exported });
  assert.equal(finishRelaxedSimd(bytes), 1);
  const { instance } = await WebAssembly.instantiate(bytes);
  assert.equal(instance.exports.f(), 15.5);
});

test('what lies around the instructions is passed over whole', () => {
  const around = [
    ...[0x02, 0x40, 0x03, 0x40, 0x0b, 0x0b], // block, loop
    ...[0x02, 0x40, 0x41, 0, 0x0e, ...vector([[0], [0]]), 0, 0x0b], // br_table
    ...[0x42, 0xfd, 0xaf, 0x01, 0x1a], // i64.const
    ...[0x44, 0xfd, 0xaf, 0x01, 0xfd, 0xaf, 0x01, 0xfd, 0xaf, 0x1a], // f64.const
    ...[0x41, 0, 0x28, 2, 0xfd, 0x01, 0x1a], // i32.load
    ...[0x41, 0, 0x41, 1, 0x41, 0, 0x1c, ...vector([I32]), 0x1a], // select
    ...[0x41, 0, 0xfe, 0x10, 2, 0xfd, 0x01, 0x1a], // i32.atomic.load
    ...[0xfe, 0x03, 0], // atomic.fence
    ...[0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 10, 0, 0], // memory.copy
    ...[0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 11, 0], // memory.fill
    ...[0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a], // i32.trunc_sat
    ...[0x41, 0, ...simd(0), 4, 0xfd, 0x01, 0x1a], // v128.load
    ...[0x41, 0, ...decoy, ...simd(0x54), 0, 0xfd, 0x01, 15, 0x1a], // v128.load8_lane
    ...[...decoy, ...decoy, ...simd(13), ...Array.from({ length: 16 }, (_, i) => i), 0x1a], // shuffle
    ...[0x3f, 0, 0x1a], // memory.size
    ...[0x41, 1, 0x21, 0, 0x20, 0, 0x1a], // local.set, local.get
    ...[0x06, 0x40, 0x19, 0x0b], // try, catch_all
  ];
  const locals = [[1, I32]];
  const end = (code) => [...splat(1), ...splat(2), ...simd(code)];
  const bytes = moduleOf([...around, ...end(0xa2)], { locals });
  assert.equal(finishRelaxedSimd(bytes), 1);
  assert.deepEqual(bytes, moduleOf([...around, ...end(0x100)], { locals }));
  assert.ok(WebAssembly.validate(bytes));
});

test('bytes of other sections are nothing to it, nor is a module without such instructions', () => {
  const custom = section(0, vector([[...vector([...Buffer.from('x')]), ...simd(0xaf)].flat()]));
  const bytes = moduleOf(splat(1), { more: custom });
  const before = bytes.slice();
  assert.equal(finishRelaxedSimd(bytes), 0);
  assert.deepEqual(bytes, before);
});

test('an instruction that it does not know stops it, as does a function that ends elsewhere', () => {
  assert.throws(() => finishRelaxedSimd(moduleOf([0xff])), /no instruction 0xff is known/);
  assert.throws(() => finishRelaxedSimd(moduleOf([0x43])), /a function ends at byte/);
});
