#include "optim/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "core/check.h"
#include "optim/gradients.h"

namespace sg::optim {
namespace {

/// The names of the tensors that a kind keeps for a parameter, PyTorch's where it has them.
std::vector<const char*> state_names(Kind kind, float momentum) {
  switch (kind) {
    case Kind::sgd:
      if (momentum == 0) return {};
      return {"momentum_buffer"};
    case Kind::rmsprop:
      if (momentum == 0) return {"square_avg"};
      return {"square_avg", "momentum_buffer"};
    case Kind::adagrad:
      return {"sum"};
    case Kind::lion:
      return {"exp_avg"};
    case Kind::muon:
      return {"momentum_buffer"};
    case Kind::adam:
    case Kind::adamw:
      break;
  }
  return {"exp_avg", "exp_avg_sq"};
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// A part of a name that belongs to an embedding or a head.
bool stays_outside(std::string_view part) {
  constexpr std::string_view kHead = "_head";
  const std::array<std::string_view, 5> whole{"token", "head", "output", "wte", "wpe"};
  return part.find("embed") != part.npos || part.find("position") != part.npos ||
         std::find(whole.begin(), whole.end(), part) != whole.end() ||
         (part.size() > kHead.size() && part.substr(part.size() - kHead.size()) == kHead);
}

}  // namespace

Config defaults(Kind kind) {
  Config c;
  c.kind = kind;
  if (kind == Kind::adamw) c.weight_decay = 0.01f;
  if (kind == Kind::adagrad) c.eps = 1e-10f;
  if (kind == Kind::lion) c.beta2 = 0.99f;
  if (kind == Kind::muon) {
    c.momentum = 0.95f;
    c.nesterov = true;
    c.weight_decay = 0.1f;
  }
  return c;
}

bool is_hidden(const Parameter& parameter) {
  if (parameter.value.rank() != 2) return false;
  const std::string name = lower(parameter.name);
  for (size_t start = 0; start <= name.size();) {
    const size_t end = std::min(name.find('.', start), name.size());
    if (stays_outside(std::string_view(name).substr(start, end - start))) return false;
    start = end + 1;
  }
  return true;
}

Optimizer::Optimizer(std::vector<Parameter> parameters, const Config& config) : config_(config) {
  SG_CHECK(!parameters.empty(), "an optimiser needs parameters");
  SG_CHECK(!config.nesterov || config.momentum > 0, "Nesterov's look-ahead needs a momentum");
  std::unordered_set<const void*> seen;
  for (const Parameter& p : parameters) {
    if (!seen.insert(p.value.id()).second) continue;
    const bool decays = config.decay_all || p.value.rank() >= 2;
    Slot slot{p, config.kind, decays ? config.weight_decay : 0, {}};
    if (slot.kind == Kind::muon) {
      const bool hidden = config.hidden ? config.hidden(p) : is_hidden(p);
      SG_CHECK(!hidden || p.value.rank() == 2, "muon: " + p.name + " " + str(p.value.shape()) + " is not a matrix");
      if (!hidden) slot.kind = Kind::adamw;
    }
    for (size_t i = state_names(slot.kind, config.momentum).size(); i > 0; --i)
      slot.state.push_back(Tensor::full(p.value.device(), p.value.shape(), 0));
    slots_.push_back(std::move(slot));
  }
  reset_guard();
}

void Optimizer::reset_guard() {
  const Tensor one = Tensor::full(slots_[0].parameter.value.device(), Shape{}, 1);
  if (applied_.defined())
    applied_.set_value(one);
  else
    applied_ = one;
}

void Optimizer::begin_step(float learning_rate, StepValues& values) {
  ++steps_;
  const auto correction = [&](float beta) {
    return static_cast<float>(1 - std::pow(double{beta}, static_cast<double>(steps_)));
  };
  const double slower = 1 + static_cast<double>(steps_ - 1) * double{config_.rate_decay};
  const bool slows = config_.kind == Kind::adagrad;
  values.learning_rate = slows ? static_cast<float>(double{learning_rate} / slower) : learning_rate;
  values.correction1 = correction(config_.beta1);
  values.correction2 = correction(config_.beta2);
}

Step Optimizer::step(const Tensor& loss, const Tensor& values, float gradient_scale) {
  const NoGrad off;
  SG_CHECK(loss.defined() && loss.size() == 1, "an optimiser's step needs the loss, one number");
  std::vector<Tensor> gradients;
  for (const Slot& slot : slots_)
    if (slot.parameter.value.grad().defined()) gradients.push_back(slot.parameter.value.grad());
  SG_CHECK(!gradients.empty(), "an optimiser's step needs gradients: call backward first");
  const Tensor squares = partial_squares(gradients);
  const params::guard q{.count = static_cast<int>(squares.size()), .scale = gradient_scale};
  const auto guarded = run_all(q, {loss, squares, applied_}, Shape{});
  applied_.set_value(guarded[1]);
  const Shared with{gradient_scale, guarded[0], guarded[1], values};
  for (Slot& slot : slots_) {
    if (slot.parameter.value.grad().defined()) update(slot, with);
    slot.parameter.value.clear_grad();
  }
  return {guarded[0], guarded[1]};
}

Step Optimizer::step(float learning_rate, const Tensor& loss, float gradient_scale) {
  StepValues values;
  begin_step(learning_rate, values);
  return step(loss, Tensor::from(applied_.device(), {StepValues::kCount}, values.floats()), gradient_scale);
}

void Optimizer::update(Slot& slot, const Shared& with) {
  switch (slot.kind) {
    case Kind::sgd:
      return update_sgd(slot, with);
    case Kind::adam:
    case Kind::adamw:
      return update_adam(slot, with);
    case Kind::rmsprop:
      return update_rmsprop(slot, with);
    case Kind::adagrad:
      return update_adagrad(slot, with);
    case Kind::lion:
      return update_lion(slot, with);
    case Kind::muon:
      return update_muon(slot, with);
  }
}

void Optimizer::update_sgd(Slot& slot, const Shared& with) {
  Tensor& p = slot.parameter.value;
  const params::sgd q{.scale = with.scale,
                      .max_norm = config_.clip_norm,
                      .max_value = config_.clip_value,
                      .weight_decay = slot.weight_decay,
                      .momentum = config_.momentum,
                      .nesterov = config_.nesterov};
  const bool keeps = !slot.state.empty();  // else the buffer is not read
  const auto out =
      run_all(q, {p, p.grad(), keeps ? slot.state[0] : p, with.squared_norm, with.applied, with.step}, p.shape());
  p.set_value(out[0]);
  if (keeps) slot.state[0].set_value(out[1]);
}

void Optimizer::update_adam(Slot& slot, const Shared& with) {
  Tensor& p = slot.parameter.value;
  const params::adam q{.scale = with.scale,
                       .max_norm = config_.clip_norm,
                       .max_value = config_.clip_value,
                       .rate = config_.kind == Kind::muon ? config_.adamw_rate : 1,
                       .weight_decay = slot.weight_decay,
                       .beta1 = config_.beta1,
                       .beta2 = config_.beta2,
                       .eps = config_.eps,
                       .decoupled = slot.kind == Kind::adamw};
  const auto out =
      run_all(q, {p, p.grad(), slot.state[0], slot.state[1], with.squared_norm, with.applied, with.step}, p.shape());
  p.set_value(out[0]);
  slot.state[0].set_value(out[1]);
  slot.state[1].set_value(out[2]);
}

void Optimizer::update_rmsprop(Slot& slot, const Shared& with) {
  Tensor& p = slot.parameter.value;
  const params::rmsprop q{.scale = with.scale,
                          .max_norm = config_.clip_norm,
                          .max_value = config_.clip_value,
                          .weight_decay = slot.weight_decay,
                          .alpha = config_.alpha,
                          .eps = config_.eps,
                          .momentum = config_.momentum};
  const bool keeps = slot.state.size() > 1;  // else the buffer is not read
  const auto out =
      run_all(q, {p, p.grad(), slot.state[0], keeps ? slot.state[1] : p, with.squared_norm, with.applied, with.step},
              p.shape());
  p.set_value(out[0]);
  slot.state[0].set_value(out[1]);
  if (keeps) slot.state[1].set_value(out[2]);
}

void Optimizer::update_adagrad(Slot& slot, const Shared& with) {
  Tensor& p = slot.parameter.value;
  const params::adagrad q{.scale = with.scale,
                          .max_norm = config_.clip_norm,
                          .max_value = config_.clip_value,
                          .weight_decay = slot.weight_decay,
                          .eps = config_.eps};
  const auto out = run_all(q, {p, p.grad(), slot.state[0], with.squared_norm, with.applied, with.step}, p.shape());
  p.set_value(out[0]);
  slot.state[0].set_value(out[1]);
}

void Optimizer::update_lion(Slot& slot, const Shared& with) {
  Tensor& p = slot.parameter.value;
  const params::lion q{.scale = with.scale,
                       .max_norm = config_.clip_norm,
                       .max_value = config_.clip_value,
                       .weight_decay = slot.weight_decay,
                       .beta1 = config_.beta1,
                       .beta2 = config_.beta2};
  const auto out = run_all(q, {p, p.grad(), slot.state[0], with.squared_norm, with.applied, with.step}, p.shape());
  p.set_value(out[0]);
  slot.state[0].set_value(out[1]);
}

void Optimizer::update_muon(Slot& slot, const Shared& with) {
  Tensor& p = slot.parameter.value;
  const params::muon_momentum q{.scale = with.scale,
                                .max_norm = config_.clip_norm,
                                .max_value = config_.clip_value,
                                .momentum = config_.momentum,
                                .nesterov = config_.nesterov};
  const auto out = run_all(q, {p.grad(), slot.state[0], with.squared_norm, with.applied}, p.shape());
  const double rows = p.dim(0), columns = p.dim(1);
  const double ratio =
      config_.match_adamw ? 0.2 * std::sqrt(std::max(rows, columns)) : std::sqrt(std::max(1.0, rows / columns));
  const params::muon_apply a{.weight_decay = slot.weight_decay, .ratio = static_cast<float>(ratio)};
  p.set_value(run(a, {p, orthogonalized(out[0]), with.applied, with.step}, p.shape()));
  slot.state[0].set_value(out[1]);
}

std::vector<Parameter> Optimizer::state() const {
  std::vector<Parameter> all;
  for (const Slot& slot : slots_) {
    const auto names = state_names(slot.kind, config_.momentum);
    for (size_t i = 0; i < names.size(); ++i)
      all.push_back({std::string(names[i]) + "." + slot.parameter.name, slot.state[i]});
  }
  return all;
}

void Optimizer::load(const std::function<void(const std::string&, Tensor&)>& take) {
  for (Parameter& p : state()) take(p.name, p.value);
}

}  // namespace sg::optim
