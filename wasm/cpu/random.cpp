// Random numbers by position: the numbers of core/random.h, made for four counters at a time.
#include "core/random.h"

#include "core/step_values.h"
#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

/// The 64-bit products of each lane with m, split into halves.
struct Halves {
  vu low, high;
};

Halves multiply(vu x, uint32_t m) {
#if defined(__wasm_simd128__)
  const v128_t by = wasm_u32x4_splat(m);
  const vu first = (vu)wasm_u64x2_extmul_low_u32x4((v128_t)x, by),
           second = (vu)wasm_u64x2_extmul_high_u32x4((v128_t)x, by);
  return {__builtin_shufflevector(first, second, 0, 2, 4, 6), __builtin_shufflevector(first, second, 1, 3, 5, 7)};
#else
  Halves r{};
  for (int lane = 0; lane < 4; ++lane) {
    const uint64_t product = uint64_t{x[lane]} * m;
    r.low[lane] = static_cast<uint32_t>(product), r.high[lane] = static_cast<uint32_t>(product >> 32);
  }
  return r;
#endif
}

vu splat_bits(uint32_t x) { return vu{x, x, x, x}; }

/// The 24 high bits as a float in [0, 1).
vf uniform01(vu random) { return __builtin_convertvector((vi)(random >> 8), vf) * 5.9604644775390625e-8f; }

/// Calls f(i, the uniform numbers of i .. i + 3) for i = begin, begin + 4, ... below n, begin a multiple of 16. Word w
/// of four counters is a vector until the end, when a transpose puts the four words of each counter together.
template <class P, class F>
void each_draw(const P& p, ptrdiff_t begin, ptrdiff_t n, F f) {
  for (ptrdiff_t i = begin; i < n; i += 16) {
    vu w0 = splat_bits(static_cast<uint32_t>(i / 4)) + vu{0, 1, 2, 3}, w1 = splat_bits(static_cast<uint32_t>(p.stream));
    vu w2 = splat_bits(static_cast<uint32_t>(p.draw)), w3{};
    vu key0 = splat_bits(static_cast<uint32_t>(p.seed_low)), key1 = splat_bits(static_cast<uint32_t>(p.seed_high));
    for (int round = 0; round < 10; ++round) {
      const Halves p0 = multiply(w0, 0xD2511F53u), p1 = multiply(w2, 0xCD9E8D57u);
      w0 = p1.high ^ w1 ^ key0, w1 = p1.low, w2 = p0.high ^ w3 ^ key1, w3 = p0.low;
      key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
    }
    vf u0 = uniform01(w0), u1 = uniform01(w1), u2 = uniform01(w2), u3 = uniform01(w3);
    transpose(u0, u1, u2, u3);
    f(i, u0);
    if (i + 4 < n) f(i + 4, u1);
    if (i + 8 < n) f(i + 8, u2);
    if (i + 12 < n) f(i + 12, u3);
  }
}

}  // namespace

namespace kernels {

void uniform(const params::uniform& p, const Args& args) {
  float* const y = args.out(0, 0);
  const vf low = splat(p.low), range = splat(p.high - p.low);
  over_elements(args.out_size(0), kExponential, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    each_draw(p, begin, end, [=](ptrdiff_t i, vf u) { store(y + i, low + range * u); });
  });
}

void dropout(const params::dropout& p, const Args& args) {
  const float* const x = args.in(0, args.out_size(0));
  float* const y = args.out(0, 0);
  const vf threshold = splat(p.p), scale = splat(1.0f / (1.0f - p.p));
  const uint32_t draws = StepValues::from(args.in(1, StepValues::kCount)).draws();
  params::dropout at = p;
  at.draw = static_cast<int32_t>(draws + static_cast<uint32_t>(p.draw));
  over_elements(args.out_size(0), kExponential, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    each_draw(at, begin, end,
              [=](ptrdiff_t i, vf u) { store(y + i, select(u >= threshold, load(x + i) * scale, splat(0))); });
  });
}

}  // namespace kernels
}  // namespace sg::cpu
