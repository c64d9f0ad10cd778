// The optimisers, line by line as in the algorithm boxes of PyTorch's documentation and of their papers.
#include "tests/reference/optim.h"

#include <algorithm>
#include <cmath>

namespace sg::reference {

double clip_factor(double squared_norm, double max_norm) {
  if (max_norm == 0) return 1;
  const double factor = max_norm / (std::sqrt(squared_norm) + 1e-6);
  return factor < 1 ? factor : 1;
}

Array Clipping::operator()(Array g, double squared_norm) const {
  for (double& v : g.values) {
    v *= scale * clip_factor(squared_norm, max_norm);
    if (max_value != 0) v = std::min(std::max(v, -max_value), max_value);
  }
  return g;
}

void Sgd::step(Array& p, const Array& g, Array& momentum_buffer, bool first) const {
  for (size_t i = 0; i < p.values.size(); ++i) {
    double gradient = g.values[i] + weight_decay * p.values[i];
    double& b = momentum_buffer.values[i];
    b = first ? gradient : momentum * b + gradient;
    if (momentum != 0) gradient = nesterov ? gradient + momentum * b : b;
    p.values[i] -= learning_rate * gradient;
  }
}

void Adam::step(Array& p, const Array& g, Array& exp_avg, Array& exp_avg_sq, int t) const {
  for (size_t i = 0; i < p.values.size(); ++i) {
    double gradient = g.values[i];
    if (decoupled)
      p.values[i] -= learning_rate * weight_decay * p.values[i];
    else
      gradient += weight_decay * p.values[i];
    double &m = exp_avg.values[i], &v = exp_avg_sq.values[i];
    m = beta1 * m + (1 - beta1) * gradient;
    v = beta2 * v + (1 - beta2) * gradient * gradient;
    const double m_hat = m / (1 - std::pow(beta1, t)), v_hat = v / (1 - std::pow(beta2, t));
    p.values[i] -= learning_rate * m_hat / (std::sqrt(v_hat) + eps);
  }
}

void RmsProp::step(Array& p, const Array& g, Array& square_avg, Array& momentum_buffer) const {
  for (size_t i = 0; i < p.values.size(); ++i) {
    const double gradient = g.values[i] + weight_decay * p.values[i];
    double &v = square_avg.values[i], &b = momentum_buffer.values[i];
    v = alpha * v + (1 - alpha) * gradient * gradient;
    const double part = gradient / (std::sqrt(v) + eps);
    b = momentum * b + part;
    p.values[i] -= learning_rate * (momentum != 0 ? b : part);
  }
}

void Adagrad::step(Array& p, const Array& g, Array& sum, int t) const {
  const double rate = learning_rate / (1 + (t - 1) * rate_decay);
  for (size_t i = 0; i < p.values.size(); ++i) {
    const double gradient = g.values[i] + weight_decay * p.values[i];
    sum.values[i] += gradient * gradient;
    p.values[i] -= rate * gradient / (std::sqrt(sum.values[i]) + eps);
  }
}

void Lion::step(Array& p, const Array& g, Array& exp_avg) const {
  for (size_t i = 0; i < p.values.size(); ++i) {
    double& m = exp_avg.values[i];
    const double c = beta1 * m + (1 - beta1) * g.values[i];
    const double sign = c > 0 ? 1 : c < 0 ? -1 : 0;
    p.values[i] -= learning_rate * (sign + weight_decay * p.values[i]);
    m = beta2 * m + (1 - beta2) * g.values[i];
  }
}

namespace {

/// A · B, and A · Bᵀ.
Array times(const Array& a, const Array& b, bool transposed) {
  const int m = a.sizes[0], k = a.sizes[1], n = transposed ? b.sizes[0] : b.sizes[1];
  Array c({m, n});
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int q = 0; q < k; ++q) c.at({i, j}) += a.at({i, q}) * (transposed ? b.at({j, q}) : b.at({q, j}));
  return c;
}

Array turned(const Array& x) {
  Array y({x.sizes[1], x.sizes[0]});
  each(x.sizes, [&](const Index& i) { y.at({i[1], i[0]}) = x.at(i); });
  return y;
}

}  // namespace

Array orthogonalized(const Array& x) {
  if (x.sizes[0] > x.sizes[1]) return turned(orthogonalized(turned(x)));
  double squares = 0;
  for (const double v : x.values) squares += v * v;
  Array y = x;
  for (double& v : y.values) v /= std::sqrt(squares) + 1e-7;
  for (int step = 0; step < 5; ++step) {
    const Array a = times(y, y, true), aa = times(a, a, false);
    Array b = a;
    for (size_t i = 0; i < b.values.size(); ++i) b.values[i] = -4.7750 * a.values[i] + 2.0315 * aa.values[i];
    const Array by = times(b, y, false);
    for (size_t i = 0; i < y.values.size(); ++i) y.values[i] = 3.4445 * y.values[i] + by.values[i];
  }
  return y;
}

void Muon::step(Array& p, const Array& g, Array& momentum_buffer) const {
  Array update = g;
  for (size_t i = 0; i < g.values.size(); ++i) {
    double& b = momentum_buffer.values[i];
    b += (1 - momentum) * (g.values[i] - b);
    update.values[i] = nesterov ? g.values[i] + momentum * (b - g.values[i]) : b;
  }
  const Array direction = orthogonalized(update);
  for (size_t i = 0; i < p.values.size(); ++i) {
    p.values[i] *= 1 - learning_rate * weight_decay;
    p.values[i] -= learning_rate * ratio * direction.values[i];
  }
}

}  // namespace sg::reference
