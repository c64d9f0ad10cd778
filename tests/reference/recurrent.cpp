#include "tests/reference/recurrent.h"

#include <algorithm>
#include <cmath>

namespace sg::reference {
namespace {

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<double> row_of(const Array* x, int n, int width) {
  std::vector<double> row(static_cast<size_t>(width), 0);
  for (int j = 0; x && j < width; ++j) row[static_cast<size_t>(j)] = x->at({n, j});
  return row;
}

double dot(const Array& weight, int row, const std::vector<double>& h) {
  double sum = 0;
  for (size_t l = 0; l < h.size(); ++l) sum += weight.at({row, static_cast<int>(l)}) * h[l];
  return sum;
}

}  // namespace

Array lstm_states(const Array& z, const Array& weight_hh, const Array* h0, const Array* c0) {
  const int batch = z.sizes[0], steps = z.sizes[1], hidden = weight_hh.sizes[1];
  Array out({batch, steps, 2, hidden});
  for (int n = 0; n < batch; ++n) {
    std::vector<double> h = row_of(h0, n, hidden), c = row_of(c0, n, hidden);
    for (int t = 0; t < steps; ++t) {
      const std::vector<double> before = h;
      for (int j = 0; j < hidden; ++j) {
        double gate[4];
        for (int q = 0; q < 4; ++q) gate[q] = z.at({n, t, q * hidden + j}) + dot(weight_hh, q * hidden + j, before);
        const double i = sigma(gate[0]), f = sigma(gate[1]), g = std::tanh(gate[2]), o = sigma(gate[3]);
        double& cell = c[static_cast<size_t>(j)];
        out.at({n, t, 1, j}) = cell = f * cell + i * g;
        h[static_cast<size_t>(j)] = out.at({n, t, 0, j}) = o * std::tanh(cell);
      }
    }
  }
  return out;
}

Array lstm(const Array& z, const Array& weight_hh, const Array* h0, const Array* c0) {
  const Array both = lstm_states(z, weight_hh, h0, c0);
  Array out({both.sizes[0], both.sizes[1], both.sizes[3]});
  each(out.sizes, [&](const Index& i) { out.at(i) = both.at({i[0], i[1], 0, i[2]}); });
  return out;
}

Array gru(const Array& z, const Array& weight_hh, const Array& bias_hh, const Array* h0) {
  const int batch = z.sizes[0], steps = z.sizes[1], hidden = weight_hh.sizes[1];
  Array out({batch, steps, hidden});
  for (int n = 0; n < batch; ++n) {
    std::vector<double> h = row_of(h0, n, hidden);
    for (int t = 0; t < steps; ++t) {
      const std::vector<double> before = h;
      const auto state = [&](int row) { return dot(weight_hh, row, before) + bias_hh.at({row}); };
      for (int j = 0; j < hidden; ++j) {
        const double reset = sigma(z.at({n, t, j}) + state(j));
        const double update = sigma(z.at({n, t, hidden + j}) + state(hidden + j));
        const double fresh = std::tanh(z.at({n, t, 2 * hidden + j}) + reset * state(2 * hidden + j));
        const double old = before[static_cast<size_t>(j)];
        h[static_cast<size_t>(j)] = out.at({n, t, j}) = (1 - update) * fresh + update * old;
      }
    }
  }
  return out;
}

Array reverse_sequence(const Array& x, const Array& lengths) {
  Array y = x;
  each(x.sizes, [&](const Index& i) {
    const int length = static_cast<int>(lengths.at({i[0]}));
    if (i[1] < length) y.at({i[0], length - 1 - i[1], i[2]}) = x.at(i);
  });
  return y;
}

Array mask_sequence(const Array& x, const Array& lengths) {
  Array y(x.sizes);
  each(x.sizes, [&](const Index& i) {
    if (i[1] < lengths.at({i[0]})) y.at(i) = x.at(i);
  });
  return y;
}

Array last_of_sequence(const Array& x, const Array& lengths) {
  Array y({x.sizes[0], x.sizes[2]});
  each(y.sizes, [&](const Index& i) { y.at(i) = x.at({i[0], static_cast<int>(lengths.at({i[0]})) - 1, i[1]}); });
  return y;
}

}  // namespace sg::reference
