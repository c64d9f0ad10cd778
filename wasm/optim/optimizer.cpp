#include "optim/optimizer.h"

#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::optim {

Optimizer::Optimizer(std::vector<Parameter> parameters, const Config& config) : config_(config) {
  SG_CHECK(!parameters.empty(), "an optimiser needs parameters");
  for (Parameter& p : parameters) {
    const auto zeros = [&] { return Tensor::full(p.value.device(), p.value.shape(), 0); };
    slots_.push_back({p.name, p.value, zeros(), config.kind == Kind::sgd ? Tensor() : zeros()});
  }
}

Tensor Optimizer::squared_norm() const {
  std::vector<Tensor> squares;
  for (const Slot& slot : slots_)
    if (slot.parameter.grad().defined()) squares.push_back(ops::sum(ops::square(slot.parameter.grad())));
  SG_CHECK(!squares.empty(), "an optimiser's step needs gradients: call backward first");
  return ops::sum(ops::stack(squares, 0));
}

Tensor Optimizer::step(float learning_rate) {
  const NoGrad off;
  ++steps_;
  const Tensor norm = config_.clip_norm > 0 ? squared_norm() : Tensor();
  for (Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) update(slot, norm, learning_rate);
    slot.parameter.clear_grad();
  }
  return norm;
}

void Optimizer::update(Slot& slot, const Tensor& norm, float learning_rate) {
  const Tensor &p = slot.parameter, g = p.grad(), scale = norm.defined() ? norm : g;  // unread where nothing is clipped
  if (config_.kind == Kind::sgd) {
    const params::sgd q{.learning_rate = learning_rate,
                        .momentum = config_.momentum,
                        .weight_decay = config_.weight_decay,
                        .max_norm = config_.clip_norm,
                        .first = steps_ == 1};
    const auto out = run_all(q, {p, g, slot.first, scale}, p.shape());
    slot.parameter.set_value(out[0]);
    slot.first = out[1];
    return;
  }
  const auto correction = [&](float beta) {
    return static_cast<float>(1 - std::pow(double{beta}, static_cast<double>(steps_)));
  };
  const params::adam q{.learning_rate = learning_rate,
                       .beta1 = config_.beta1,
                       .beta2 = config_.beta2,
                       .eps = config_.eps,
                       .weight_decay = config_.weight_decay,
                       .decoupled = config_.kind == Kind::adamw,
                       .correction1 = correction(config_.beta1),
                       .correction2 = correction(config_.beta2),
                       .max_norm = config_.clip_norm};
  const auto out = run_all(q, {p, g, slot.first, slot.second, scale}, p.shape());
  slot.parameter.set_value(out[0]);
  slot.first = out[1];
  slot.second = out[2];
}

std::vector<Parameter> Optimizer::state() const {
  std::vector<Parameter> all;
  const bool sgd = config_.kind == Kind::sgd;
  for (const Slot& slot : slots_) {
    all.push_back({(sgd ? "momentum_buffer." : "exp_avg.") + slot.name, slot.first});
    if (!sgd) all.push_back({"exp_avg_sq." + slot.name, slot.second});
  }
  return all;
}

void Optimizer::load(const std::function<void(const std::string&, Tensor&)>& take) {
  for (Parameter& p : state()) take(p.name, p.value);
}

}  // namespace sg::optim
