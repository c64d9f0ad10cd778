// The optimisers, one step on one parameter each, in double.
#pragma once
#include "tests/reference/array.h"

namespace sg::reference {

/// min(1, max_norm / (norm + 1e-6)), or 1 where max_norm is 0; norm is the Euclidean norm of all gradients together.
double clip_factor(double squared_norm, double max_norm);

/// How gradients are changed before an optimiser takes them: a factor, then the norm of all, then each element.
struct Clipping {
  double scale = 1, max_norm = 0, max_value = 0;
  Array operator()(Array g, double squared_norm) const;
};

/// torch.optim.SGD without dampening.
struct Sgd {
  double learning_rate = 0, momentum = 0, weight_decay = 0;
  bool nesterov = false;
  void step(Array& p, const Array& g, Array& momentum_buffer, bool first) const;
};

/// torch.optim.Adam, or AdamW where decoupled: step number t, from 1.
struct Adam {
  double learning_rate = 0, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled = false;
  void step(Array& p, const Array& g, Array& exp_avg, Array& exp_avg_sq, int t) const;
};

/// torch.optim.RMSprop, not centred.
struct RmsProp {
  double learning_rate = 0, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  void step(Array& p, const Array& g, Array& square_avg, Array& momentum_buffer) const;
};

/// torch.optim.Adagrad: step number t, from 1.
struct Adagrad {
  double learning_rate = 0, rate_decay = 0, eps = 1e-10, weight_decay = 0;
  void step(Array& p, const Array& g, Array& sum, int t) const;
};

/// Algorithm 2 of Chen et al. 2023.
struct Lion {
  double learning_rate = 0, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  void step(Array& p, const Array& g, Array& exp_avg) const;
};

/// Jordan's Muon on a matrix: `ratio` is what the rate of an update is multiplied by for the matrix's shape.
struct Muon {
  double learning_rate = 0, momentum = 0.95, weight_decay = 0, ratio = 1;
  bool nesterov = true;
  void step(Array& p, const Array& g, Array& momentum_buffer) const;
};

/// Five Newton-Schulz steps from x over its Frobenius norm.
Array orthogonalized(const Array& x);

}  // namespace sg::reference
