// Cases of the optimisers' fused kernels, run directly: one step from given moments; the result is every output,
// joined.
#include <cmath>

#include "tests/op_cases.h"

namespace sg::tests {
namespace {

/// Parameter, gradient, moments (the second of them not negative) and the squared norm of all gradients.
std::vector<Input> optimizer_inputs(const Sizes& sizes, bool second_moment) {
  std::vector<Input> inputs{{sizes}, {sizes, -1, 1}, {sizes, -1, 1}};
  if (second_moment) inputs.push_back({sizes, 0.05, 1});
  inputs.push_back({{1}, 0.5, 9});
  return inputs;
}

Tensor joined(const std::vector<Tensor>& outputs) { return ops::stack(outputs, 0); }
Array clipped(Array g, double squared_norm, double max_norm) {
  for (double& v : g.values) v *= reference::clip_factor(squared_norm, max_norm);
  return g;
}

void add_sgd(std::vector<OpCase>& table, const Sizes& sizes, float momentum, float weight_decay, float max_norm,
             bool first) {
  const params::sgd q{
      .learning_rate = 0.25f, .momentum = momentum, .weight_decay = weight_decay, .max_norm = max_norm, .first = first};
  table.push_back({"sgd",
                   text(sizes) + " momentum " + std::to_string(momentum) + " decay " + std::to_string(weight_decay) +
                       " clip " + std::to_string(max_norm) + (first ? " first" : ""),
                   optimizer_inputs(sizes, false),
                   [=](Device&, const Tensors& t) {
                     return joined(run_all(q, {t[0], t[1], t[2], t[3]}, shape_of(sizes)));
                   },
                   [=](const Arrays& t) {
                     Array p = t[0], buffer = t[2];
                     const Array g = clipped(t[1], t[3].values[0], max_norm);
                     reference::Sgd{0.25, momentum, weight_decay}.step(p, g, buffer, first);
                     return reference::stack({p, buffer}, 0);
                   },
                   1, false});
}

void add_adam(std::vector<OpCase>& table, const Sizes& sizes, int t, float weight_decay, bool decoupled,
              float max_norm) {
  const float beta1 = 0.75f, beta2 = 0.984375f, eps = 0.0009765625f;  // exact in both precisions
  const params::adam q{.learning_rate = 0.125f,
                       .beta1 = beta1,
                       .beta2 = beta2,
                       .eps = eps,
                       .weight_decay = weight_decay,
                       .decoupled = decoupled,
                       .correction1 = static_cast<float>(1 - std::pow(beta1, t)),
                       .correction2 = static_cast<float>(1 - std::pow(beta2, t)),
                       .max_norm = max_norm};
  table.push_back({"adam",
                   text(sizes) + " step " + std::to_string(t) + (decoupled ? " decoupled" : "") + " decay " +
                       std::to_string(weight_decay) + " clip " + std::to_string(max_norm),
                   optimizer_inputs(sizes, true),
                   [=](Device&, const Tensors& x) {
                     return joined(run_all(q, {x[0], x[1], x[2], x[3], x[4]}, shape_of(sizes)));
                   },
                   [=](const Arrays& x) {
                     Array p = x[0], m = x[2], v = x[3];
                     const Array g = clipped(x[1], x[4].values[0], max_norm);
                     reference::Adam{0.125, beta1, beta2, eps, weight_decay, decoupled}.step(p, g, m, v, t);
                     return reference::stack({p, m, v}, 0);
                   },
                   1, false});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Sizes& sizes : std::vector<Sizes>{{1}, {3}, {4}, {5}, {17}, {3, 5}, {33, 4}, {8197}}) {
    add_sgd(table, sizes, 0, 0, 0, true);
    add_sgd(table, sizes, 0, 0.125f, 0.5f, false);
    add_sgd(table, sizes, 0.75f, 0, 0, true);
    add_sgd(table, sizes, 0.75f, 0.125f, 64, false);
    add_adam(table, sizes, 1, 0, false, 0);
    add_adam(table, sizes, 3, 0.125f, false, 0.5f);
    add_adam(table, sizes, 7, 0.125f, true, 64);
    add_adam(table, sizes, 1000, 0.25f, true, 0.25f);
  }
});

}  // namespace sg::tests
