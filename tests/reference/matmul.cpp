// Products of matrices, and the LSTM layer as PyTorch's documentation states it.
#include <cmath>

#include "tests/reference/reference.h"

namespace sg::reference {

Array matmul(const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
  const int m = a.sizes[transpose_a ? 1 : 0], k = a.sizes[transpose_a ? 0 : 1], n = b.sizes[transpose_b ? 0 : 1];
  Array c({m, n});
  each(c.sizes, [&](const Index& at) {
    double sum = 0;
    for (int l = 0; l < k; ++l) {
      const int i = transpose_a ? l * m + at[0] : at[0] * k + l;
      const int j = transpose_b ? at[1] * k + l : l * n + at[1];
      sum += a.values[static_cast<size_t>(i)] * b.values[static_cast<size_t>(j)];
    }
    c.at(at) = sum;
  });
  return c;
}

Array linear(const Array& x, const Array& weight, const Array* bias) {
  const int out = weight.sizes[0], in = weight.sizes[1];
  Sizes sizes = x.sizes;
  sizes.back() = out;
  Array y(sizes);
  for (int row = 0; row < x.size() / in; ++row) {
    for (int o = 0; o < out; ++o) {
      double sum = bias ? bias->values[static_cast<size_t>(o)] : 0;
      for (int i = 0; i < in; ++i) {
        sum += weight.at({o, i}) * x.values[static_cast<size_t>(row * in + i)];
      }
      y.values[static_cast<size_t>(row * out + o)] = sum;
    }
  }
  return y;
}

Array lstm(const Array& z, const Array& weight_hh) {
  const int batch = z.sizes[0], steps = z.sizes[1], hidden = weight_hh.sizes[1];
  const auto sigma = [](double x) { return 1 / (1 + std::exp(-x)); };
  Array out({batch, steps, hidden});
  for (int n = 0; n < batch; ++n) {
    std::vector<double> h(static_cast<size_t>(hidden), 0), c = h;
    for (int t = 0; t < steps; ++t) {
      const std::vector<double> before = h;
      for (int j = 0; j < hidden; ++j) {
        double gate[4];
        for (int q = 0; q < 4; ++q) {
          const int row = q * hidden + j;
          gate[q] = z.at({n, t, row});
          for (int l = 0; l < hidden; ++l) gate[q] += weight_hh.at({row, l}) * before[static_cast<size_t>(l)];
        }
        const double i = sigma(gate[0]), f = sigma(gate[1]), g = std::tanh(gate[2]), o = sigma(gate[3]);
        double& cell = c[static_cast<size_t>(j)];
        cell = f * cell + i * g;
        h[static_cast<size_t>(j)] = out.at({n, t, j}) = o * std::tanh(cell);
      }
    }
  }
  return out;
}

}  // namespace sg::reference
