// Sums and maxima along a row of contiguous floats, in several partial results.
#pragma once
#include "cpu/simd.h"

namespace sg::cpu {

/// The sum of f(i), vectors of four elements from i on of a row of n.
template <class F>
inline float sum_row(ptrdiff_t n, F f) {
  vf s0{}, s1{}, s2{}, s3{};
  ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) s0 += f(i), s1 += f(i + 4), s2 += f(i + 8), s3 += f(i + 12);
  for (; i < n; i += 4) s0 += head(f(i), n - i);
  return sum_lanes((s0 + s1) + (s2 + s3));
}

/// The largest of n floats, -inf of none; NaN where one is.
inline float max_row(const float* x, ptrdiff_t n) {
  const vf lowest = splat(-__builtin_inff());
  vf m0 = lowest, m1 = lowest;
  ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8) m0 = max(m0, load(x + i)), m1 = max(m1, load(x + i + 4));
  for (; i < n; i += 4) m0 = max(m0, head(load(x + i), n - i, -__builtin_inff()));
  const vf all = max(m0, m1), half = max(all, __builtin_shufflevector(all, all, 2, 3, 0, 1));
  return max(half, __builtin_shufflevector(half, half, 1, 0, 3, 2))[0];
}

}  // namespace sg::cpu
