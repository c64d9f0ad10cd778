// The optimisers over many steps and several parameters against their definitions in double.
#include "optim/optimizer.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "io/error.h"
#include "ops/ops.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"
#include "tests/reference/optim.h"

namespace sg::tests {
namespace {

using optim::Config;
using optim::Kind;
using optim::Optimizer;

/// A parameter of a loss whose gradient differs in size from step to step: the mean of (x ⊙ x - 1.25)², times `weight`.
struct Part {
  std::string name;
  Sizes sizes;
  std::vector<float> start;
  float weight;

  Tensor loss(const Tensor& x) const {
    return ops::mul_scalar(ops::mean(ops::square(ops::add_scalar(ops::square(x), -1.25f))), weight);
  }
  Array slope(const Array& x) const {
    Array g(x.sizes);
    for (size_t i = 0; i < g.values.size(); ++i)
      g.values[i] = double{weight} * 4 * x.values[i] * (x.values[i] * x.values[i] - 1.25) / x.size();
    return g;
  }
};
const std::vector<Part> kParts{{"layer.bias", {5}, {0.5f, -1, 2, 0.25f, 1.5f}, 1},
                               {"layer.weight", {3, 2}, {1, -2, 0.5f, 0.75f, -0.25f, 1.75f}, 2},
                               {"embedding.weight", {2, 2}, {-0.5f, 1, 0.125f, -1.5f}, 0.5f}};

/// The same steps in double.
class Expected {
 public:
  Array p;
  std::vector<Array> state;

  Expected(const Part& part, const Config& config)
      : p(part.sizes, {part.start.begin(), part.start.end()}),
        state{Array(part.sizes), Array(part.sizes)},
        c_(config),
        muon_(config.kind == Kind::muon && part.name == "layer.weight"),
        decay_(part.sizes.size() >= 2 || config.decay_all ? double{config.weight_decay} : 0) {}

  void step(const Array& g, int t, double rate) {
    const double momentum = c_.momentum, beta1 = c_.beta1, beta2 = c_.beta2, eps = c_.eps;
    if (c_.kind == Kind::sgd) {
      reference::Sgd{rate, momentum, decay_, c_.nesterov}.step(p, g, state[0], t == 1);
    } else if (c_.kind == Kind::rmsprop) {
      reference::RmsProp{rate, c_.alpha, eps, decay_, momentum}.step(p, g, state[0], state[1]);
    } else if (c_.kind == Kind::adagrad) {
      reference::Adagrad{rate, c_.rate_decay, eps, decay_}.step(p, g, state[0], t);
    } else if (c_.kind == Kind::lion) {
      reference::Lion{rate, beta1, beta2, decay_}.step(p, g, state[0]);
    } else if (muon_) {
      const double ratio = c_.match_adamw ? 0.2 * std::sqrt(3) : std::sqrt(3.0 / 2);
      reference::Muon{rate, momentum, decay_, ratio, c_.nesterov}.step(p, g, state[0]);
    } else {
      const double adam_rate = c_.kind == Kind::muon ? rate * double{c_.adamw_rate} : rate;
      reference::Adam{adam_rate, beta1, beta2, eps, decay_, c_.kind != Kind::adam}.step(p, g, state[0], state[1], t);
    }
  }

 private:
  Config c_;
  bool muon_;
  double decay_;
};

/// The state's tensors of one parameter, in their order.
std::vector<std::vector<float>> state_of(const Optimizer& optimizer, const std::string& name) {
  std::vector<std::vector<float>> all;
  for (const Parameter& p : optimizer.state())
    if (p.name.substr(p.name.find('.') + 1) == name) all.push_back(p.value.values());
  return all;
}

void check_steps(const std::string& device_name, const Config& config) {
  Device& d = device(device_name);
  std::vector<Parameter> parameters;
  std::vector<Expected> expected;
  for (const Part& part : kParts) {
    parameters.push_back({part.name, Tensor::from(d, shape_of(part.sizes), part.start).set_requires_grad()});
    expected.emplace_back(part, config);
  }
  Optimizer optimizer(parameters, config);
  const reference::Clipping clip{1, double{config.clip_norm}, double{config.clip_value}};
  for (int t = 1; t <= 12; ++t) {
    INFO("step " << t << " on " << device_name << ", kind " << static_cast<int>(config.kind));
    const float rate = 0.02f / static_cast<float>(t);
    Tensor loss = kParts[0].loss(parameters[0].value);
    for (size_t i = 1; i < kParts.size(); ++i) loss = ops::add(loss, kParts[i].loss(parameters[i].value));
    loss.backward();
    const optim::Step step = optimizer.step(rate, loss);

    double squared = 0;
    std::vector<Array> gradients;
    for (size_t i = 0; i < kParts.size(); ++i) gradients.push_back(kParts[i].slope(expected[i].p));
    for (const Array& g : gradients)
      for (const double x : g.values) squared += x * x;
    CHECK(difference(step.squared_norm.values(), std::vector<double>{squared}, 1e-4, 0.1) == "");
    CHECK(step.applied.item() == 1);
    for (size_t i = 0; i < kParts.size(); ++i) {
      INFO(kParts[i].name);
      expected[i].step(clip(gradients[i], squared), t, double{rate});
      CHECK(difference(parameters[i].value.values(), expected[i].p.values, 1e-4, 0.1) == "");
      CHECK_FALSE(parameters[i].value.grad().defined());
    }
  }
  CHECK(optimizer.steps() == 12);
  for (size_t i = 0; i < kParts.size(); ++i) {
    const auto state = state_of(optimizer, kParts[i].name);
    for (size_t k = 0; k < state.size(); ++k) {
      INFO("state " << k << " of " << kParts[i].name << ", kind " << static_cast<int>(config.kind));
      CHECK(difference(state[k], expected[i].state[k].values, 1e-3, 0.1) == "");
    }
  }
}

const std::vector<Config>& configs() {
  static const std::vector<Config> all{
      {.kind = Kind::sgd},
      {.kind = Kind::sgd, .momentum = 0.9f},
      {.kind = Kind::sgd, .momentum = 0.5f, .nesterov = true, .weight_decay = 0.1f, .clip_norm = 1},
      {.kind = Kind::sgd, .momentum = 0.5f, .weight_decay = 0.1f, .decay_all = true, .clip_value = 0.25f},
      {.kind = Kind::adam},
      {.kind = Kind::adam, .beta1 = 0.8f, .beta2 = 0.95f, .eps = 1e-3f, .weight_decay = 0.1f, .clip_norm = 1},
      {.kind = Kind::adamw, .weight_decay = 0.1f},
      {.kind = Kind::adamw, .weight_decay = 0.5f, .decay_all = true, .clip_norm = 100, .clip_value = 1},
      {.kind = Kind::rmsprop},
      {.kind = Kind::rmsprop, .momentum = 0.75f, .alpha = 0.9f, .eps = 1e-3f, .weight_decay = 0.1f, .clip_norm = 1},
      {.kind = Kind::adagrad},
      {.kind = Kind::adagrad, .eps = 1e-3f, .rate_decay = 0.1f, .weight_decay = 0.1f, .clip_value = 0.5f},
      {.kind = Kind::lion, .beta2 = 0.99f},
      {.kind = Kind::lion, .beta1 = 0.75f, .weight_decay = 0.5f, .clip_norm = 1},
      {.kind = Kind::muon, .momentum = 0.95f, .nesterov = true},
      {.kind = Kind::muon, .momentum = 0.5f, .weight_decay = 0.5f, .match_adamw = false, .adamw_rate = 0.25f},
  };
  return all;
}

TEST_CASE("twelve steps of every optimiser are its definition's on cpu", "[optim]") {
  for (const Config& c : configs()) check_steps("cpu", c);
}
TEST_CASE("twelve steps of every optimiser are its definition's on webgl", "[optim][webgl]") {
  for (const Config& c : configs()) check_steps("webgl", c);
}

TEST_CASE("an optimiser's state has names for a checkpoint and continues from what is loaded", "[optim]") {
  Device& d = device("cpu");
  const auto start = [&] { return Tensor::full(d, Shape{2, 2}, 0.5f).set_requires_grad(); };
  const auto advance = [](Optimizer& optimizer, const Tensor& w) {
    const Tensor loss = ops::sum(ops::square(ops::add_scalar(w, -2)));
    loss.backward();
    optimizer.step(0.1f, loss);
  };
  const std::vector<std::pair<Kind, std::vector<std::string>>> kinds{
      {Kind::sgd, {"momentum_buffer.w"}},
      {Kind::adam, {"exp_avg.w", "exp_avg_sq.w"}},
      {Kind::adamw, {"exp_avg.w", "exp_avg_sq.w"}},
      {Kind::rmsprop, {"square_avg.w", "momentum_buffer.w"}},
      {Kind::adagrad, {"sum.w"}},
      {Kind::lion, {"exp_avg.w"}},
      {Kind::muon, {"momentum_buffer.w"}},
  };
  for (const auto& [kind, names] : kinds) {
    const Config config{.kind = kind, .momentum = 0.9f, .rate_decay = 0.1f, .weight_decay = 0.01f};
    Tensor w = start();
    Optimizer whole({{"w", w}}, config);
    for (int i = 0; i < 3; ++i) advance(whole, w);

    Tensor half = start();
    half.set_value(w);
    Optimizer resumed({{"w", half}}, config);
    resumed.set_steps(whole.steps());
    const auto saved = whole.state();
    size_t taken = 0;
    resumed.load([&](const std::string& name, Tensor& tensor) {
      CHECK(name == saved[taken].name);
      tensor.set_value(saved[taken++].value);
    });
    std::vector<std::string> found;
    for (const Parameter& p : saved) found.push_back(p.name);
    CHECK(found == names);
    CHECK(taken == names.size());
    for (int i = 0; i < 3; ++i) {
      advance(whole, w);
      advance(resumed, half);
    }
    CHECK(w.values() == half.values());
  }
}

TEST_CASE("without momentum no buffer is kept", "[optim]") {
  const std::vector<Parameter> parameters{{"w", Tensor::full(device("cpu"), Shape{2}, 1).set_requires_grad()}};
  CHECK(Optimizer(parameters, {.kind = Kind::sgd}).state().empty());
  CHECK(Optimizer(parameters, {.kind = Kind::rmsprop}).state().size() == 1);
}

TEST_CASE("an optimiser leaves a parameter without a gradient alone, and needs one gradient and the loss", "[optim]") {
  Device& d = device("cpu");
  Tensor used = Tensor::full(d, Shape{2}, 1).set_requires_grad(),
         idle = Tensor::full(d, Shape{2}, 1).set_requires_grad();
  Optimizer plain({{"used", used}, {"idle", idle}}, {.kind = Kind::adam, .weight_decay = 0.5f, .decay_all = true});
  const Tensor loss = ops::sum(used);
  loss.backward();
  plain.step(0.1f, loss);
  CHECK(idle.values() == std::vector<float>{1, 1});
  CHECK(used.values() != std::vector<float>{1, 1});
  CHECK_THROWS_WITH(plain.step(0.1f, loss), Catch::Contains("gradient"));
  CHECK_THROWS_WITH(plain.step(0.1f, used), Catch::Contains("loss"));
  CHECK_THROWS_WITH(plain.step(0.1f, {}), Catch::Contains("loss"));
  CHECK_THROWS_WITH(Optimizer({}, {}), Catch::Contains("parameters"));
  CHECK_THROWS_WITH(Optimizer({{"used", used}}, {.kind = Kind::sgd, .nesterov = true}), Catch::Contains("momentum"));
}

TEST_CASE("Muon takes matrices of hidden layers, by rule or by choice", "[optim]") {
  Device& d = device("cpu");
  const auto parameter = [&](const std::string& name, const Shape& shape) {
    return Parameter{name, Tensor::full(d, shape, 1)};
  };
  for (const char* name : {"encoder.0.linear1.weight", "lstm.weight_hh_l0", "decoder.multihead_attn.in_proj_weight"})
    CHECK(optim::is_hidden(parameter(name, Shape{2, 3})));
  for (const char* name : {"embedding.weight", "patchEmbed.weight", "position_embedding", "head.weight",
                           "lm_head.weight", "wte.weight", "output.weight", "token.weight"})
    CHECK_FALSE(optim::is_hidden(parameter(name, Shape{2, 3})));
  CHECK_FALSE(optim::is_hidden(parameter("linear.bias", Shape{2})));
  CHECK_FALSE(optim::is_hidden(parameter("conv.weight", Shape{2, 3, 3})));

  const std::vector<Parameter> all{parameter("a.weight", Shape{2, 3}), parameter("head.weight", Shape{2, 3})};
  Config config = optim::defaults(Kind::muon);
  config.hidden = [](const Parameter& p) { return p.name == "head.weight"; };
  std::vector<std::string> names;
  for (const Parameter& p : Optimizer(all, config).state()) names.push_back(p.name);
  CHECK(names == std::vector<std::string>{"exp_avg.a.weight", "exp_avg_sq.a.weight", "momentum_buffer.head.weight"});
  config.hidden = [](const Parameter&) { return true; };
  CHECK_THROWS_WITH(Optimizer({parameter("bias", Shape{3})}, config), Catch::Contains("bias"));
}

TEST_CASE("tied weights are stepped once", "[optim]") {
  Device& d = device("cpu");
  Tensor w = Tensor::full(d, Shape{2}, 1).set_requires_grad();
  Optimizer optimizer({{"embedding", w}, {"head", w}}, {.kind = Kind::sgd, .momentum = 0.5f});
  CHECK(optimizer.state().size() == 1);
  const Tensor loss = ops::sum(ops::square(w));
  loss.backward();
  const optim::Step step = optimizer.step(0.25f, loss);
  CHECK(step.squared_norm.item() == 8);
  CHECK(w.values() == std::vector<float>{0.5f, 0.5f});
}

TEST_CASE("gradients of several backward passes are stepped as their mean", "[optim]") {
  for (const Config& config : configs()) {
    Device& d = device("cpu");
    const std::vector<float> start{0.5f, -1, 0.25f, 2}, x0{1, 2, 3, 4}, x1{-2, 0.5f, 1, -1};
    const auto make = [&] { return Tensor::from(d, Shape{2, 2}, start).set_requires_grad(); };
    const auto loss = [&](const Tensor& w, const std::vector<float>& x) {
      return ops::mean(ops::square(ops::mul(w, Tensor::from(d, Shape{2, 2}, x))));
    };
    Tensor whole = make(), parts = make();
    Optimizer one({{"w", whole}}, config), two({{"w", parts}}, config);
    for (int i = 0; i < 3; ++i) {
      const Tensor both = ops::mul_scalar(ops::add(loss(whole, x0), loss(whole, x1)), 0.5f);
      both.backward();
      const optim::Step a = one.step(0.01f, both);
      const Tensor first = loss(parts, x0), second = loss(parts, x1);
      first.backward();
      second.backward();
      const optim::Step b = two.step(0.01f, ops::add(first, second), 0.5f);
      CHECK(b.squared_norm.item() == a.squared_norm.item());
      CHECK(parts.values() == whole.values());
    }
  }
}

}  // namespace
}  // namespace sg::tests
