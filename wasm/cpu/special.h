// The rarer functions that ops/pointwise.def may use, over four floats; shaders/special.glsl is their twin. Polynomials
// are fitted to the exact functions, so that both devices give the same values but for a rounding.
#pragma once
#include "cpu/simd.h"

namespace sg::cpu {

/// The largest whole number that is not above x.
inline vf floor(vf x) {
  const vi small = abs(x) < splat(8388608.0f);  // above, every float is whole
  const vf truncated = __builtin_convertvector(__builtin_convertvector(select(small, x, splat(0)), vi), vf);
  return select(small, truncated - select(truncated > x, splat(1), splat(0)), x);
}

/// The nearest whole number, the even one of two.
inline vf round(vf x) {
  const vf size = abs(x), magic = splat(8388608.0f);
  const vf nearest = (size + magic) - magic;
  return select(size < magic, floats(bits(nearest) | (bits(x) & INT32_MIN)), x);
}

/// e^x - 1 without loss where x is small.
inline vf expm1(vf x) { return select(abs(x) < splat(0.34657359f), exp_part(x), exp(x) - 1.0f); }

/// a^b = e^(b log a) for a > 0. A rounding of the exponent is an error of the result, so its large part is a product of
/// numbers of 12 bits, which is exact, and what is left comes as a factor.
inline vf pow_part(vf a, vf b) {
  const Parts parts = parts_of(a);
  const vf logarithm = log(a), plain = b * logarithm;
  const vf high = floats(bits(logarithm) & ~0xfff), b_high = floats(bits(b) & ~0xfff);
  const vf low = ((parts.e * 0.693359375f - high) + parts.m) + log_tail(parts.m, parts.e);
  const vf rest = b_high * low + (b - b_high) * logarithm;
  const vf exact = exp(b_high * high) * (1.0f + exp_part(rest));
  return select(abs(plain) < splat(90), exact, exp(plain));
}

/// IEEE's pow: NaN to the power 0 and 1 to the power NaN are 1.
inline vf pow(vf a, vf b) {
  const vf size = abs(a), one = splat(1), half = b * 0.5f;
  const vi whole = floor(b) == b, odd = whole & (floor(half) != half);
  vf y = select((b == splat(0)) | (size == one), one, pow_part(size, b));
  y = select(odd & (bits(a) < 0), -y, y);
  return select((a < splat(0)) & ~whole & (size < splat(__builtin_inff())), splat(__builtin_nanf("")), y);
}

/// What is left of x after n quarter turns, and n modulo 4.
struct Turn {
  vf rest;
  vi quarters;
};

/// For |x| of 1e4 and more, by Payne and Hanek: x = m 2^(e - 31), and of m times the bits of 2 / pi only those matter
/// that are worth less than 4.
inline Turn reduce_large(vf x) {
  static constexpr uint32_t two_over_pi[] = {0,           0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                             0xF534DDC0u, 0xDB629599u, 0x3C439041u};
  Turn turn{};
  for (int lane = 0; lane < 4; ++lane) {
    const auto word = static_cast<uint32_t>(bits(x)[lane]);
    const uint32_t m = (word | 0x00800000u) << 8, start = (word >> 23 & 0xffu) - 128u;
    const uint32_t at = start >> 5, shift = start & 31u;
    if (at > 3) continue;  // small, infinite or NaN
    const auto bits_from = [&](uint32_t i) {
      return static_cast<uint32_t>((uint64_t{two_over_pi[i]} << 32 | two_over_pi[i + 1]) << shift >> 32);
    };
    const uint64_t product =
        (uint64_t{m} * bits_from(at) << 32) + uint64_t{m} * bits_from(at + 1) + (uint64_t{m} * bits_from(at + 2) >> 32);
    const auto high = static_cast<uint32_t>(product >> 32);
    turn.quarters[lane] = static_cast<int32_t>((high + 0x20000000u) >> 30);
    turn.rest[lane] = static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(product >> 30))) * 3.6572952e-10f;
  }
  const vi negative = x < splat(0);
  return {select(negative, -turn.rest, turn.rest), negative ? -turn.quarters : turn.quarters};
}

/// By Cody and Waite: pi / 2 in three parts, whose products with n < 2^13 are exact.
inline Turn reduce(vf x) {
  const vf n = round(select(abs(x) < splat(1e4f), x, splat(0)) * 0.636619772f);
  Turn turn{((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.549789954891882e-8f,
            __builtin_convertvector(n, vi)};
  const vi large = abs(x) >= splat(1e4f);
  if (large[0] | large[1] | large[2] | large[3]) {
    const Turn far = reduce_large(x);
    turn = {select(large, far.rest, turn.rest), large ? far.quarters : turn.quarters};
  }
  turn.rest = select(abs(x) < splat(__builtin_inff()), turn.rest, splat(__builtin_nanf("")));
  return turn;
}

/// sin of (rest + quarters pi / 2), by Cephes' polynomials.
inline vf sin_of(Turn turn) {
  const vf x = turn.rest, s = x * x;
  const vf sine = ((s * -1.9515295891e-4f + 8.3321608736e-3f) * s - 1.6666654611e-1f) * s * x + x;
  const vf cosine =
      ((s * 2.443315711809948e-5f - 1.388731625493765e-3f) * s + 4.166664568298827e-2f) * s * s - 0.5f * s + 1.0f;
  const vf y = select((turn.quarters & 1) != 0, cosine, sine);
  return select((turn.quarters & 2) != 0, -y, y);
}
inline vf sin(vf x) { return sin_of(reduce(x)); }
inline vf cos(vf x) {
  Turn turn = reduce(x);
  turn.quarters += 1;
  return sin_of(turn);
}

/// erf x for |x| below 0.86.
inline vf erf_part(vf x) {
  const vf s = x * x;
  vf y = s * -5.974378477e-4f + 4.99028315e-3f;
  y = y * s - 2.67649234e-2f;
  y = y * s + 1.12817793e-1f;
  y = y * s - 3.761249139e-1f;
  return (y * s + 1.128379149f) * x;
}
/// erfc t for t above 0.86: e^(-t^2) times a polynomial in w = 1 / (1 + t / 2).
inline vf erfc_part(vf t) {
  t = smaller(t, splat(14));
  const vf w = 1.0f / (1.0f + 0.5f * t);
  vf y = w * 9.214514728e-2f - 2.238103282e-1f;
  y = y * w + 8.13129478e-2f;
  y = y * w + 6.054861832e-2f;
  y = y * w + 1.794027434e-1f;
  y = y * w + 2.467329342e-1f;
  y = y * w + 2.820768382e-1f;
  y = y * w + 2.820961781e-1f;
  return exp(-t * t) * w * y;
}
inline vf erf(vf x) {
  const vf size = abs(x), large = 1.0f - erfc_part(size);
  return select(size < splat(0.86f), erf_part(x), select(x < splat(0), -large, large));
}
/// 1 - erf x, without loss where that is small.
inline vf erfc(vf x) {
  const vf size = abs(x), large = erfc_part(size);
  return select(size < splat(0.86f), 1.0f - erf_part(x), select(x < splat(0), 2.0f - large, large));
}

/// tanh(log(1 + e^x)), by which mish scales x.
inline vf mish_gate(vf x) {
  const vf e = exp(smaller(x, splat(20))), n = e * (e + 2.0f);
  return n / (n + 2.0f);
}

/// d/dx of x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3): gelu's approximation by tanh.
inline vf gelu_tanh_slope(vf x) {
  const vf c = max(min(x, 10.0f), splat(-10)), s = c * c;  // beyond, it is 1 or 0
  const vf v = 1.5957691216f * c * (1.0f + 0.044715f * s);
  const vf e = exp(-abs(v)), near = 1.0f / (1.0f + e), far = e * near;  // sigmoid(|v|) and sigmoid(-|v|)
  const vi positive = v > splat(0);
  return select(positive, near, far) *
         (1.0f + 1.5957691216f * c * (1.0f + 0.134145f * s) * select(positive, far, near));
}

/// log gamma x for x > 0, NaN below: a polynomial around its zero at 2, from 0.5 on brought there by
/// gamma(x + 1) = x gamma(x); Stirling's series above 2.5.
inline vf lgamma(vf x) {
  const vi below_half = x < splat(0.5f), below = x < splat(1.5f);
  const vf t = x - select(below_half, splat(0), select(below, splat(1), splat(2)));
  vf y = t * -2.505620215e-4f + 5.702512503e-4f;
  y = y * t - 1.187484814e-3f;
  y = y * t + 2.878868684e-3f;
  y = y * t - 7.385920885e-3f;
  y = y * t + 2.058162544e-2f;
  y = y * t - 6.735229409e-2f;
  y = y * t + 3.22467018e-1f;
  y = (y * t + 4.227843351e-1f) * t;
  const vf logarithm = log(select(below_half, x * (x + 1.0f), x)), r = 1.0f / x, s = r * r;
  const vf series = (((s * 8.417508e-4f - 5.952381e-4f) * s + 7.9365079e-4f) * s - 2.77777778e-3f) * s + 8.33333333e-2f;
  const vf large = (x - 0.5f) * (logarithm - 1.0f) + series * r + 0.418938533f;
  y = select(x < splat(2.5f), y - select(below, logarithm, splat(0)), large);
  y = select(x < splat(0), splat(__builtin_nanf("")), y);
  return select(x < splat(__builtin_inff()), y, x);
}

/// The derivatives of lgamma for x > 0, NaN below: asymptotic series at x + 3, and the three steps down from there.
inline vf digamma(vf x) {
  const vf z = x + 3.0f, r = 1.0f / z, s = r * r;
  const vf series = ((s * 3.96825397e-3f - 8.33333333e-3f) * s + 8.33333333e-2f) * s;
  const vf steps = (1.0f / (x + 2.0f) + 1.0f / (x + 1.0f)) + 1.0f / x;
  return select(x < splat(0), splat(__builtin_nanf("")), ((log(z) - 0.5f * r) - series) - steps);
}
inline vf trigamma(vf x) {
  const vf r = 1.0f / (x + 3.0f), s = r * r, a = 1.0f / x, b = 1.0f / (x + 1.0f), c = 1.0f / (x + 2.0f);
  const vf series = r + 0.5f * s + r * s * (((s * 2.38095238e-2f - 3.33333333e-2f) * s + 1.66666667e-1f));
  return select(x < splat(0), splat(__builtin_nanf("")), series + c * c + b * b + a * a);
}

// A float by itself: one lane.
inline float floor(float x) { return floor(splat(x))[0]; }
inline float round(float x) { return round(splat(x))[0]; }
inline float expm1(float x) { return expm1(splat(x))[0]; }
inline float pow(float a, float b) { return pow(splat(a), splat(b))[0]; }
inline float sin(float x) { return sin(splat(x))[0]; }
inline float cos(float x) { return cos(splat(x))[0]; }
inline float erf(float x) { return erf(splat(x))[0]; }
inline float erfc(float x) { return erfc(splat(x))[0]; }
inline float lgamma(float x) { return lgamma(splat(x))[0]; }
inline float digamma(float x) { return digamma(splat(x))[0]; }
inline float trigamma(float x) { return trigamma(splat(x))[0]; }

}  // namespace sg::cpu
