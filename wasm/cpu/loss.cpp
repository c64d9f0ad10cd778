// Losses whose errors are more than a row of pointwise.def.
#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace {

/// log Γ((df + 1) / 2) - log Γ(df / 2) - log(df π) / 2, without the difference of two large numbers: three steps of
/// Γ(x + 1) = x Γ(x), then the asymptotic series, within 1e-7.
vf constant_of(vf df) {
  const vf w = 1.0f / (df + 6.0f), s = w * w;
  const vf series = w * (-0.25f + s * (1.0f / 24 + s * (-0.05f + s * (17.0f / 112))));
  const vf steps = df / (df + 1.0f) * ((df + 2.0f) / (df + 1.0f)) * (1.0f - 1.0f / ((df + 3.0f) * (df + 3.0f))) *
                   (1.0f - 1.0f / ((df + 5.0f) * (df + 5.0f)));
  return series + 0.5f * log(steps) - 0.918938533f;
}

vf slope_of_constant(vf df) {
  const vf w = 1.0f / (df + 6.0f), s = w * w;
  const vf series = s * (0.25f + s * (-0.125f + s * (0.25f - s * (17.0f / 16))));
  return series + 1.0f / (df * (df + 1.0f) * (df + 2.0f)) + 1.0f / ((df + 2.0f) * (df + 3.0f) * (df + 4.0f)) +
         1.0f / ((df + 4.0f) * (df + 5.0f) * (df + 6.0f));
}

}  // namespace

namespace kernels {

void quantile_error(const params::quantile_error& p, const Args& args) {
  constexpr int kMost = 16;
  const std::array<float, kMost + kSlack> quantiles{p.q0, p.q1, p.q2,  p.q3,  p.q4,  p.q5,  p.q6,  p.q7,
                                                    p.q8, p.q9, p.q10, p.q11, p.q12, p.q13, p.q14, p.q15};
  const int64_t n = args.out_size(0);
  if (p.count < 1 || p.count > kMost || n % p.count != 0)
    args.fail(std::to_string(n) + " floats are no rows of " + std::to_string(p.count) + " quantiles");
  const float *given = args.in(0, n), *const target = args.in(1, n / p.count);
  float *y = args.out(0, n), *slope = args.out(1, n);
  for (ptrdiff_t row = 0; row < n / p.count; ++row, given += p.count, y += p.count, slope += p.count) {
    for (ptrdiff_t j = 0; j < p.count; j += 4) {
      const vf q = load(quantiles.data() + j), error = splat(target[row]) - load(given + j);
      store(y + j, cpu::max(q * error, (q - 1.0f) * error));
      store(slope + j, 0.5f - q - 0.5f * sign(error));
    }
  }
}

/// With e = (target - loc) / scale and k = (df + 1) e / (df + e²):
///   y = log(scale) - C(df) + (df + 1) / 2 log(1 + e² / df), C the logarithm of the constant before the density;
///   dloc = -k / scale    dscale = (1 - k e) / scale    ddf = -C'(df) + (log(1 + e² / df) - k e / df) / 2
void student_t_error(const params::student_t_error& p, const Args& args) {
  const int64_t n = args.count({p.size});
  const float *const loc = args.in(0, n), *const scale = args.in(1, n), *const df = args.in(2, n);
  const float* const target = args.in(3, n);
  float *const y = args.out(0, n), *const dloc = args.out(1, n), *const dscale = args.out(2, n);
  float* const ddf = args.out(3, n);
  for (ptrdiff_t i = 0; i < n; i += 4) {
    const vf width = load(scale + i), freedom = load(df + i), error = (load(target + i) - load(loc + i)) / width;
    const vf square = error * error, spread = log1p(square / freedom);
    const vf k = (freedom + 1.0f) * error / (freedom + square);
    store(y + i, log(width) - constant_of(freedom) + 0.5f * (freedom + 1.0f) * spread);
    store(dloc + i, -k / width);
    store(dscale + i, (1.0f - k * error) / width);
    store(ddf + i, 0.5f * (spread - k * error / freedom) - slope_of_constant(freedom));
  }
}

}  // namespace kernels
}  // namespace sg::cpu
