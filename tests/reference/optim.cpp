// The optimisers, line by line as in the algorithm boxes of PyTorch's documentation.
#include <cmath>

#include "tests/reference/reference.h"

namespace sg::reference {

double clip_factor(double squared_norm, double max_norm) {
  if (max_norm == 0) return 1;
  const double factor = max_norm / (std::sqrt(squared_norm) + 1e-6);
  return factor < 1 ? factor : 1;
}

void Sgd::step(Array& p, const Array& g, Array& momentum_buffer, bool first) const {
  for (size_t i = 0; i < p.values.size(); ++i) {
    const double gradient = g.values[i] + weight_decay * p.values[i];
    double& b = momentum_buffer.values[i];
    b = first ? gradient : momentum * b + gradient;
    p.values[i] -= learning_rate * (momentum != 0 ? b : gradient);
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

}  // namespace sg::reference
