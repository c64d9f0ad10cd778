// Cases of the optimisers' fused kernels, run directly: one step from given state, applied and refused; the result is
// every output, joined.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/op_cases.h"
#include "tests/reference/optim.h"

namespace sg::tests {
namespace {

using reference::Clipping;

const std::vector<Sizes> kSizes{{1}, {3}, {4}, {5}, {17}, {3, 5}, {33, 4}, {8197}};

/// How a kernel's row of cases differs beside sizes: exact in both precisions.
struct Variant {
  Clipping clip;
  float weight_decay = 0, momentum = 0;
  bool flag = false;  // nesterov, or decoupled
  bool applied = true;
  int t = 3;
};
const std::vector<Variant> kVariants{
    {{}, 0, 0},
    {{0.5, 0, 0.25}, 0.125f, 0.75f, true},
    {{1, 0.5, 0}, 0.125f, 0, false, true, 1},
    {{0.25, 64, 0.125}, 0.25f, 0.75f, false, true, 1000},
    {{}, 0.25f, 0.75f, true, true, 7},
    {{1, 0.5, 0}, 0.125f, 0.75f, true, false},
};

std::string text(const Variant& v) {
  const auto number = [](const char* name, auto x) { return std::string(" ") + name + " " + std::to_string(x); };
  return number("scale", v.clip.scale) + number("norm", v.clip.max_norm) + number("value", v.clip.max_value) +
         number("decay", v.weight_decay) + number("momentum", v.momentum) + number("step", v.t) +
         (v.flag ? " flag" : "") + (v.applied ? "" : " refused");
}

/// The parameters that all of these kernels have.
template <class P>
P with(const Variant& v, P p) {
  p.scale = static_cast<float>(v.clip.scale);
  p.max_norm = static_cast<float>(v.clip.max_norm);
  p.max_value = static_cast<float>(v.clip.max_value);
  return p;
}

Input one(double value) { return {{1}, value, value + 1, Draw::whole}; }
/// A running average of squares.
Input average_of_squares(const Sizes& sizes) { return {sizes, 0.05, 1}; }
/// What the kernels read of a step with this rate, other than Adam's corrections.
Tensor step_at(const Tensors& t, float learning_rate) {
  return step_tensor(t[0].device(), {.learning_rate = learning_rate});
}
Tensor joined(const std::vector<Tensor>& outputs) { return ops::stack(outputs, 0); }

using Step = std::function<void(Array& p, const Array& g, Arrays& state)>;

/// Cases of a kernel with the inputs p, g, `state`, squared_norm, applied and the outputs p, state. `run` gets them as
/// they stand.
void add(std::vector<OpCase>& table, const std::string& op, const Sizes& sizes, const Variant& v,
         const std::vector<Input>& state, const std::function<std::vector<Tensor>(const Tensors&)>& run,
         const Step& step) {
  OpCase c{op, str(shape_of(sizes)) + text(v), {{sizes}, {sizes, -1, 1}}, {}, {}, 1, false};
  c.inputs.insert(c.inputs.end(), state.begin(), state.end());
  c.inputs.push_back({{1}, 0.5, 9});
  c.inputs.push_back(one(v.applied ? 1 : 0));
  c.device = [=](Device&, const Tensors& t) { return joined(run(t)); };
  c.reference = [=, n = state.size()](const Arrays& t) {
    Arrays outputs{t[0]};
    outputs.insert(outputs.end(), t.begin() + 2, t.begin() + 2 + static_cast<std::ptrdiff_t>(n));
    Arrays kept(outputs.begin() + 1, outputs.end());
    if (v.applied) {
      step(outputs[0], v.clip(t[1], t[2 + n].values[0]), kept);
      std::copy(kept.begin(), kept.end(), outputs.begin() + 1);
    }
    return reference::stack(outputs, 0);
  };
  table.push_back(std::move(c));
}

void add_sgd(std::vector<OpCase>& table, const Sizes& sizes, const Variant& v) {
  const bool nesterov = v.flag && v.momentum > 0;
  const auto q = with(v, params::sgd{.weight_decay = v.weight_decay, .momentum = v.momentum, .nesterov = nesterov});
  add(
      table, "sgd", sizes, v, {{sizes, -1, 1}},
      [=](const Tensors& t) {
        return run_all(q, {t[0], t[1], t[2], t[3], t[4], step_at(t, 0.25f)}, shape_of(sizes));
      },
      [=](Array& p, const Array& g, Arrays& state) {
        reference::Sgd{0.25, double{v.momentum}, double{v.weight_decay}, nesterov}.step(p, g, state[0], false);
      });
}

void add_adam(std::vector<OpCase>& table, const Sizes& sizes, const Variant& v) {
  const float beta1 = 0.75f, beta2 = 0.984375f, eps = 0.0009765625f;
  const StepValues values{.learning_rate = 0.5f,
                          .correction1 = static_cast<float>(1 - std::pow(double{beta1}, v.t)),
                          .correction2 = static_cast<float>(1 - std::pow(double{beta2}, v.t))};
  const auto q = with(v, params::adam{.rate = 0.25f,
                                      .weight_decay = v.weight_decay,
                                      .beta1 = beta1,
                                      .beta2 = beta2,
                                      .eps = eps,
                                      .decoupled = v.flag});
  add(
      table, "adam", sizes, v, {{sizes, -1, 1}, average_of_squares(sizes)},
      [=](const Tensors& t) {
        return run_all(q, {t[0], t[1], t[2], t[3], t[4], t[5], step_tensor(t[0].device(), values)}, shape_of(sizes));
      },
      [=](Array& p, const Array& g, Arrays& state) {
        reference::Adam{0.125, beta1, beta2, eps, double{v.weight_decay}, v.flag}.step(p, g, state[0], state[1], v.t);
      });
}

void add_rmsprop(std::vector<OpCase>& table, const Sizes& sizes, const Variant& v) {
  const float alpha = 0.875f, eps = 0.0009765625f;
  const auto q =
      with(v, params::rmsprop{.weight_decay = v.weight_decay, .alpha = alpha, .eps = eps, .momentum = v.momentum});
  add(
      table, "rmsprop", sizes, v, {average_of_squares(sizes), {sizes, -1, 1}},
      [=](const Tensors& t) {
        return run_all(q, {t[0], t[1], t[2], t[3], t[4], t[5], step_at(t, 0.125f)}, shape_of(sizes));
      },
      [=](Array& p, const Array& g, Arrays& state) {
        reference::RmsProp{0.125, alpha, eps, double{v.weight_decay}, double{v.momentum}}.step(p, g, state[0],
                                                                                               state[1]);
      });
}

void add_adagrad(std::vector<OpCase>& table, const Sizes& sizes, const Variant& v) {
  const float eps = 0.0009765625f;
  const auto q = with(v, params::adagrad{.weight_decay = v.weight_decay, .eps = eps});
  add(
      table, "adagrad", sizes, v, {average_of_squares(sizes)},
      [=](const Tensors& t) {
        return run_all(q, {t[0], t[1], t[2], t[3], t[4], step_at(t, 0.125f / 1.25f)}, shape_of(sizes));
      },
      [=](Array& p, const Array& g, Arrays& state) {
        reference::Adagrad{0.125, 0.125, eps, double{v.weight_decay}}.step(p, g, state[0], 3);
      });
}

/// The averages and gradients lie on different grids, so that no sum of them is too near 0 to have a sign.
void add_lion(std::vector<OpCase>& table, const Sizes& sizes, Variant v) {
  v.clip = {v.clip.scale, 0, 0};
  const auto q = with(v, params::lion{.weight_decay = v.weight_decay, .beta1 = 0.75f, .beta2 = 0.875f});
  const size_t at = table.size();
  add(
      table, "lion", sizes, v, {{sizes, -1, 1, Draw::halfway}},
      [=](const Tensors& t) {
        return run_all(q, {t[0], t[1], t[2], t[3], t[4], step_at(t, 0.125f)}, shape_of(sizes));
      },
      [=](Array& p, const Array& g, Arrays& state) {
        reference::Lion{0.125, 0.75, 0.875, double{v.weight_decay}}.step(p, g, state[0]);
      });
  table[at].inputs[1].draw = Draw::grid;
}

void add_muon_momentum(std::vector<OpCase>& table, const Sizes& sizes, const Variant& v) {
  const auto q = with(v, params::muon_momentum{.momentum = 0.75f, .nesterov = v.flag});
  OpCase c{"muon_momentum", str(shape_of(sizes)) + text(v), {}, {}, {}, 1, false};
  c.inputs = {{sizes, -1, 1}, {sizes, -1, 1}, {{1}, 0.5, 9}, one(v.applied ? 1 : 0)};
  c.device = [=](Device&, const Tensors& t) { return joined(run_all(q, {t[0], t[1], t[2], t[3]}, shape_of(sizes))); };
  c.reference = [=](const Arrays& t) {
    const Array g = v.clip(t[0], t[2].values[0]);
    Array buffer = t[1], update = t[1];
    for (size_t i = 0; v.applied && i < g.values.size(); ++i) {
      buffer.values[i] = 0.75 * buffer.values[i] + 0.25 * g.values[i];
      update.values[i] = v.flag ? 0.75 * buffer.values[i] + 0.25 * g.values[i] : buffer.values[i];
    }
    return reference::stack({update, buffer}, 0);
  };
  table.push_back(std::move(c));
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Sizes& sizes : kSizes) {
    for (const Variant& v : kVariants) {
      add_sgd(table, sizes, v);
      add_adam(table, sizes, v);
      add_rmsprop(table, sizes, v);
      add_adagrad(table, sizes, v);
      add_lion(table, sizes, v);
      add_muon_momentum(table, sizes, v);
    }
  }
});

}  // namespace sg::tests
