// Four floats at once (`vf`), and the functions that ops/pointwise.def may use, as overloads for float and for vf. The
// float ones run one lane of the vf ones, so that an element's value never depends on where it lies in a buffer.
// NaN goes in as NaN and comes out as NaN; no function depends on the machine (no libm). In the
// build with relaxed SIMD those made with `fma` round less often.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE__)
#include <xmmintrin.h>
#else
#include <cmath>
#endif

namespace sg::cpu {

typedef float vf __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));
typedef uint32_t vu __attribute__((vector_size(16)));

inline vf splat(float x) { return vf{x, x, x, x}; }
inline vf load(const float* p) {
  vf v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, vf v) { __builtin_memcpy(p, &v, sizeof v); }
inline vi bits(vf v) { return (vi)v; }
inline vf floats(vi v) { return (vf)v; }
/// a * b + c, rounded once where the build has an instruction for it (relaxed SIMD), else twice.
inline vf fma(vf a, vf b, vf c) {
#if defined(__wasm_relaxed_simd__)
  return __builtin_wasm_fma_f32x4(a, b, c);
#else
  return a * b + c;
#endif
}
/// a where the mask's lane is set, else b.
inline vf select(vi mask, vf a, vf b) { return mask ? a : b; }
/// (v0 + v2) + (v1 + v3), always in this order.
inline float sum_lanes(vf v) { return (v[0] + v[2]) + (v[1] + v[3]); }

/// The first `valid` lanes of x, `other` in the rest: the end of a row, beside floats that are not its own.
inline vf head(vf x, ptrdiff_t valid, float other = 0) {
  const int32_t n = static_cast<int32_t>(valid < 4 ? valid : 4);
  return select(vi{0, 1, 2, 3} < vi{n, n, n, n}, x, splat(other));
}

/// Turns four rows of a 4 x 4 matrix into its columns.
inline void transpose(vf& r0, vf& r1, vf& r2, vf& r3) {
  const vf t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), t1 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const vf t2 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  r0 = __builtin_shufflevector(t0, t2, 0, 1, 4, 5), r1 = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  r2 = __builtin_shufflevector(t1, t3, 0, 1, 4, 5), r3 = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

/// The larger (smaller) of the two, and a where either is NaN: one instruction.
inline vf larger(vf a, vf b) {
#if defined(__wasm_simd128__)
  return (vf)wasm_f32x4_pmax((v128_t)a, (v128_t)b);
#else
  return a < b ? b : a;
#endif
}
inline vf smaller(vf a, vf b) {
#if defined(__wasm_simd128__)
  return (vf)wasm_f32x4_pmin((v128_t)a, (v128_t)b);
#else
  return b < a ? b : a;
#endif
}
inline vf max(vf a, vf b) { return select(b != b, b, larger(a, b)); }
inline vf min(vf a, vf b) { return select(b != b, b, smaller(a, b)); }
inline vf abs(vf x) { return floats(bits(x) & 0x7fffffff); }
/// -1, 0 or 1.
inline vf sign(vf x) {
  const vf one = splat(1), zero = splat(0);
  return select(x > zero, one, select(x < zero, -one, zero));
}
/// 1 where x >= edge, else 0.
inline vf step(vf edge, vf x) { return select(x >= edge, splat(1), splat(0)); }
/// a where c is not 0, else b: nothing of the other one, NaN or not.
inline vf choose(vf c, vf a, vf b) { return select(c != splat(0), a, b); }
inline vf choose(vf c, vf a, float b) { return choose(c, a, splat(b)); }
inline vf zeros(vf) { return splat(0); }
/// Values too small to matter become zero: subnormal numbers cost up to a hundred times a normal one.
inline vf flush(vf x) { return select(abs(x) < splat(1e-30f), splat(0), x); }

inline vf sqrt(vf x) {
#if defined(__wasm_simd128__)
  return (vf)wasm_f32x4_sqrt((v128_t)x);
#elif defined(__SSE__)
  return (vf)_mm_sqrt_ps((__m128)x);
#else
  return vf{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

/// e^r - 1 for |r| <= ln 2 / 2: Cephes' polynomial.
inline vf exp_part(vf r) {
  vf y = fma(r, splat(1.9875691500e-4f), splat(1.3981999507e-3f));
  y = fma(y, r, splat(8.3334519073e-3f));
  y = fma(y, r, splat(4.1665795894e-2f));
  y = fma(y, r, splat(1.6666665459e-1f));
  y = fma(y, r, splat(5.0000001201e-1f));
  return fma(y * r, r, r);
}

/// Cephes' expf: x = n ln 2 + r, eʳ by a polynomial, 2ⁿ made from bits. Relative error below 2e-7 where x > -86.98;
/// below that it is 0. Adding 1.5 · 2²³ rounds to an integer and leaves it in the low bits.
inline vf exp(vf x) {
  x = smaller(larger(x, splat(-87.6f)), splat(89.0f));  // at the ends 2ⁿ⁻¹ is 0, and 2y · 2ⁿ⁻¹ infinite
  const vf magic = splat(12582912.0f);
  const vf shifted = fma(x, splat(1.44269504088896341f), magic);
  const vf n = shifted - magic;
  const vf r = fma(n, splat(2.12194440e-4f), fma(n, splat(-0.693359375f), x));
  const vf y = exp_part(r) + 1.0f;
  const vf half_power = (vf)(((vu)shifted + 126u) << 23);  // 2ⁿ⁻¹, since 2ⁿ would overflow for n = 128
  return (y + y) * half_power;
}

/// log of 2^e (1 + m) for m in [sqrt(1/2) - 1, sqrt(2) - 1), without its two large terms m and e * 0.693359375.
inline vf log_tail(vf m, vf e) {
  vf y = fma(m, splat(7.0376836292e-2f), splat(-1.1514610310e-1f));
  y = fma(y, m, splat(1.1676998740e-1f));
  y = fma(y, m, splat(-1.2420140846e-1f));
  y = fma(y, m, splat(1.4249322787e-1f));
  y = fma(y, m, splat(-1.6668057665e-1f));
  y = fma(y, m, splat(2.0000714765e-1f));
  y = fma(y, m, splat(-2.4999993993e-1f));
  y = fma(y, m, splat(3.3333331174e-1f));
  const vf square = m * m;
  return y * m * square - e * 2.12194440e-4f - 0.5f * square;
}
inline vf log_part(vf m, vf e) { return m + log_tail(m, e) + e * 0.693359375f; }

/// x = 2^e (1 + m), m as above.
struct Parts {
  vf m, e;
};
inline Parts parts_of(vf x) {
  const vi tiny = x < splat(1.17549435e-38f);
  const vi from_root = (vi)((vu)bits(select(tiny, x * 33554432.0f, x)) - 0x3f3504f3u);  // wraps where x is negative
  return {floats((from_root & 0x007fffff) + 0x3f3504f3) - 1.0f,
          __builtin_convertvector(from_root >> 23, vf) - select(tiny, splat(25), splat(0))};
}

/// Cephes' logf: x = 2ᵉ m with m in [sqrt(1/2), sqrt(2)), log m by a polynomial in m - 1. log 0 is -inf, of less NaN.
inline vf log(vf x) {
  const vf zero = splat(0), infinity = splat(__builtin_inff());
  const Parts parts = parts_of(x);
  vf y = log_part(parts.m, parts.e);
  y = select(x == zero, -infinity, select(x < zero, splat(__builtin_nanf("")), y));
  return select(x < infinity, y, x);
}

/// log(1 + x) without the rounding of 1 + x where x is small.
inline vf log1p(vf x) {
  const vi near = (x > splat(-0.29289f)) & (x < splat(0.41421f));
  return select(near, log_part(x, splat(0)), log(1.0f + x));
}

/// A rational function of degree 13 over 6 on [-7.905, 7.905], where tanh reaches ±1 in float.
inline vf tanh(vf x) {
  const vf limit = splat(7.90531110763549805f);
  x = smaller(larger(x, -limit), limit);
  const vf s = x * x;
  vf p = fma(s, splat(-2.76076847742355e-16f), splat(2.00018790482477e-13f));
  p = fma(p, s, splat(-8.60467152213735e-11f));
  p = fma(p, s, splat(5.12229709037114e-08f));
  p = fma(p, s, splat(1.48572235717979e-05f));
  p = fma(p, s, splat(6.37261928875436e-04f));
  p = fma(p, s, splat(4.89352455891786e-03f));
  vf q = fma(s, splat(1.19825839466702e-06f), splat(1.18534705686654e-04f));
  q = fma(q, s, splat(2.26843463243900e-03f));
  q = fma(q, s, splat(4.89352518554385e-03f));
  return p * x / q;
}

inline vf max(vf a, float b) { return max(a, splat(b)); }
inline vf min(vf a, float b) { return min(a, splat(b)); }
inline vf step(vf edge, float x) { return step(edge, splat(x)); }
inline vf step(float edge, vf x) { return step(splat(edge), x); }
inline vf sigmoid(vf x) { return 1.0f / (1.0f + exp(-x)); }

inline float max(float a, float b) { return max(splat(a), splat(b))[0]; }
inline float min(float a, float b) { return min(splat(a), splat(b))[0]; }
inline float abs(float x) { return abs(splat(x))[0]; }
inline float sign(float x) { return sign(splat(x))[0]; }
inline float step(float edge, float x) { return step(splat(edge), splat(x))[0]; }
inline float sqrt(float x) { return sqrt(splat(x))[0]; }
inline float exp(float x) { return exp(splat(x))[0]; }
inline float log(float x) { return log(splat(x))[0]; }
inline float log1p(float x) { return log1p(splat(x))[0]; }
inline float tanh(float x) { return tanh(splat(x))[0]; }

/// to[0 .. n) = from[0 .. n). Emscripten's memcpy goes through JavaScript from 512 bytes on, and by words below.
inline void copy(float* to, const float* from, ptrdiff_t n) {
#if defined(__wasm_simd128__)
  ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const vf a = load(from + i), b = load(from + i + 4), c = load(from + i + 8), d = load(from + i + 12);
    store(to + i, a), store(to + i + 4, b), store(to + i + 8, c), store(to + i + 12, d);
  }
  for (; i + 4 <= n; i += 4) store(to + i, load(from + i));
  for (; i < n; ++i) to[i] = from[i];
#else
  __builtin_memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
#endif
}

/// Calls f(i) for i = 0, 4, 8, ... below n, four calls a round, since neither compiler unrolls such loops itself.
template <class F>
inline void each_four(ptrdiff_t n, F f) {
  ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) f(i), f(i + 4), f(i + 8), f(i + 12);
  for (; i < n; i += 4) f(i);
}

}  // namespace sg::cpu
