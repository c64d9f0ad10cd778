#include "tests/reference/attention.h"

#include <cmath>
#include <complex>

namespace sg::reference {
namespace {

/// x[N, T, H D] as [N, H, T, D].
Array split(const Array& x, int heads) {
  const int width = x.sizes[2] / heads;
  Array y({x.sizes[0], heads, x.sizes[1], width});
  each(y.sizes, [&](const Index& i) { y.at(i) = x.at({i[0], i[2], i[1] * width + i[3]}); });
  return y;
}

Array join(const Array& x) {
  const int width = x.sizes[3];
  Array y({x.sizes[0], x.sizes[2], x.sizes[1] * width});
  each(x.sizes, [&](const Index& i) { y.at({i[0], i[2], i[1] * width + i[3]}) = x.at(i); });
  return y;
}

}  // namespace

Array scaled_dot_product_attention(const Array& q, const Array& k, const Array& v, bool causal, const Array* padding) {
  const int queries = q.sizes[2], keys = k.sizes[2], width = q.sizes[3];
  Array y(q.sizes);
  each({q.sizes[0], q.sizes[1], queries}, [&](const Index& at) {
    const int n = at[0], h = at[1], t = at[2];
    std::vector<int> seen;
    std::vector<double> scores;
    for (int s = 0; s < keys; ++s) {
      if (causal && s > t + keys - queries) continue;
      if (padding && padding->at({n, s}) != 0) continue;
      double score = 0;
      for (int d = 0; d < width; ++d) score += q.at({n, h, t, d}) * k.at({n, h, s, d});
      seen.push_back(s);
      scores.push_back(score / std::sqrt(width));
    }
    for (int d = 0; d < width; ++d) {
      double all = 0, weighted = 0;
      for (size_t i = 0; i < seen.size(); ++i) {
        const double e = std::exp(scores[i] - scores[0]);  // the same quotient, and no overflow among near scores
        all += e;
        weighted += e * v.at({n, h, seen[i], d});
      }
      y.at({n, h, t, d}) = seen.empty() ? 0 : weighted / all;
    }
  });
  return y;
}

Array multi_head_attention(const Array& q, const Array& k, const Array& v, int heads, bool causal,
                           const Array* padding) {
  return join(scaled_dot_product_attention(split(q, heads), split(k, heads), split(v, heads), causal, padding));
}

/// A pair is a complex number, multiplied by e^(i angle).
Array rotary(const Array& x, int first, double base) {
  const int width = x.sizes[3], half = width / 2;
  Array y(x.sizes);
  each({x.sizes[0], x.sizes[1], x.sizes[2], half}, [&](const Index& at) {
    const int n = at[0], h = at[1], t = at[2], i = at[3];
    const std::complex<double> pair(x.at({n, h, t, i}), x.at({n, h, t, i + half}));
    const auto turned = pair * std::polar(1.0, (first + t) / std::pow(base, 2.0 * i / width));
    y.at({n, h, t, i}) = turned.real();
    y.at({n, h, t, i + half}) = turned.imag();
  });
  return y;
}

Array rotary_heads(const Array& x, int heads, int rotated, int first, double base) {
  const Array all = split(x, heads), turned = rotary(all, first, base);
  Array y(all.sizes);
  each(y.sizes, [&](const Index& i) { y.at(i) = i[1] < rotated ? turned.at(i) : all.at(i); });
  return join(y);
}

}  // namespace sg::reference
