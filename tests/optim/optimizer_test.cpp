// The optimisers over many steps and several parameters against PyTorch's algorithms in double.
#include "optim/optimizer.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "io/error.h"
#include "ops/ops.h"
#include "optim/schedule.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using optim::Config;
using optim::Kind;
using optim::Optimizer;

/// Two parameters of a loss whose gradient differs in size from step to step: mean((w ⊙ w - a)²) + 3 mean((v - b)⁴).
struct Problem {
  std::vector<float> w{0.5f, -1, 2, 0.25f, 1.5f}, v{1, -2, 0.5f};
  static constexpr float a = 1.25f, b = 0.75f;

  static Tensor loss(const Tensor& w, const Tensor& v) {
    const Tensor first = ops::mean(ops::square(ops::add_scalar(ops::square(w), -a)));
    const Tensor second = ops::mean(ops::square(ops::square(ops::add_scalar(v, -b))));
    return ops::add(first, ops::mul_scalar(second, 3));
  }
  static Array slope_w(const Array& w) {
    Array g(w.sizes);
    for (size_t i = 0; i < g.values.size(); ++i)
      g.values[i] = 4 * w.values[i] * (w.values[i] * w.values[i] - a) / w.size();
    return g;
  }
  static Array slope_v(const Array& v) {
    Array g(v.sizes);
    for (size_t i = 0; i < g.values.size(); ++i) g.values[i] = 12 * std::pow(v.values[i] - b, 3) / v.size();
    return g;
  }
};

/// The same steps in double.
struct Expected {
  Array w, v, w_first, v_first, w_second, v_second;
  Config config;

  Expected(const Problem& p, const Config& c)
      : w({5}, {p.w.begin(), p.w.end()}),
        v({3}, {p.v.begin(), p.v.end()}),
        w_first({5}),
        v_first({3}),
        w_second({5}),
        v_second({3}),
        config(c) {}

  /// -> the squared norm of the gradients.
  double step(int t, double rate) {
    Array gw = Problem::slope_w(w), gv = Problem::slope_v(v);
    double squared = 0;
    for (const Array* g : {&gw, &gv})
      for (const double x : g->values) squared += x * x;
    const double factor = reference::clip_factor(squared, static_cast<double>(config.clip_norm));
    for (Array* g : {&gw, &gv})
      for (double& x : g->values) x *= factor;
    if (config.kind == Kind::sgd) {
      const reference::Sgd sgd{rate, static_cast<double>(config.momentum), static_cast<double>(config.weight_decay)};
      sgd.step(w, gw, w_first, t == 1);
      sgd.step(v, gv, v_first, t == 1);
    } else {
      const reference::Adam adam{rate,
                                 static_cast<double>(config.beta1),
                                 static_cast<double>(config.beta2),
                                 static_cast<double>(config.eps),
                                 static_cast<double>(config.weight_decay),
                                 config.kind == Kind::adamw};
      adam.step(w, gw, w_first, w_second, t);
      adam.step(v, gv, v_first, v_second, t);
    }
    return squared;
  }
};

void check_steps(const std::string& device_name, const Config& config) {
  const Problem problem;
  Device& d = device(device_name);
  Tensor w = Tensor::from(d, Shape{5}, problem.w).set_requires_grad();
  Tensor v = Tensor::from(d, Shape{3}, problem.v).set_requires_grad();
  Optimizer optimizer({{"w", w}, {"v", v}}, config);
  Expected expected(problem, config);
  for (int t = 1; t <= 12; ++t) {
    INFO("step " << t << " on " << device_name);
    const float rate = 0.02f / static_cast<float>(t);
    Problem::loss(w, v).backward();
    const Tensor norm = optimizer.step(rate);
    const double squared = expected.step(t, static_cast<double>(rate));
    CHECK(norm.defined() == (config.clip_norm > 0));
    if (norm.defined()) CHECK(difference(norm.values(), std::vector<double>{squared}, 1e-4, 0.1) == "");
    CHECK(difference(w.values(), expected.w.values, 1e-4, 0.1) == "");
    CHECK(difference(v.values(), expected.v.values, 1e-4, 0.1) == "");
    CHECK_FALSE(w.grad().defined());
  }
  CHECK(optimizer.steps() == 12);
  for (const Parameter& p : optimizer.state()) {
    INFO(p.name);
    const bool second = p.name.rfind("exp_avg_sq.", 0) == 0, of_w = p.name.back() == 'w';
    const Array& want =
        second ? (of_w ? expected.w_second : expected.v_second) : (of_w ? expected.w_first : expected.v_first);
    CHECK(difference(p.value.values(), want.values, 1e-3, 0.1) == "");
  }
}

const std::vector<Config>& configs() {
  static const std::vector<Config> all{
      {.kind = Kind::sgd},
      {.kind = Kind::sgd, .momentum = 0.9f},
      {.kind = Kind::sgd, .momentum = 0.5f, .weight_decay = 0.1f, .clip_norm = 1},
      {.kind = Kind::adam},
      {.kind = Kind::adam, .beta1 = 0.8f, .beta2 = 0.95f, .eps = 1e-3f, .weight_decay = 0.1f, .clip_norm = 1},
      {.kind = Kind::adamw, .weight_decay = 0.1f},
      {.kind = Kind::adamw, .weight_decay = 0.5f, .clip_norm = 100},
  };
  return all;
}

TEST_CASE("twelve steps of every optimiser are PyTorch's on cpu", "[optim]") {
  for (const Config& c : configs()) check_steps("cpu", c);
}
TEST_CASE("twelve steps of every optimiser are PyTorch's on webgl", "[optim][webgl]") {
  for (const Config& c : configs()) check_steps("webgl", c);
}

TEST_CASE("an optimiser's state has names for a checkpoint and continues from what is loaded", "[optim]") {
  Device& d = device("cpu");
  const auto start = [&] { return Tensor::full(d, Shape{2}, 0.5f).set_requires_grad(); };
  const auto advance = [](Optimizer& optimizer, const Tensor& w) {
    ops::sum(ops::square(ops::add_scalar(w, -2))).backward();
    optimizer.step(0.1f);
  };
  for (const Kind kind : {Kind::sgd, Kind::adam, Kind::adamw}) {
    const Config config{.kind = kind, .momentum = 0.9f, .weight_decay = 0.01f};
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
    CHECK(taken == (kind == Kind::sgd ? 1u : 2u));
    CHECK(saved[0].name == (kind == Kind::sgd ? "momentum_buffer.w" : "exp_avg.w"));
    for (int i = 0; i < 3; ++i) {
      advance(whole, w);
      advance(resumed, half);
    }
    CHECK(w.values() == half.values());
  }
}

TEST_CASE("an optimiser leaves a parameter without a gradient alone, and needs one when it clips", "[optim]") {
  Device& d = device("cpu");
  Tensor used = Tensor::full(d, Shape{2}, 1).set_requires_grad(),
         idle = Tensor::full(d, Shape{2}, 1).set_requires_grad();
  Optimizer plain({{"used", used}, {"idle", idle}}, {.kind = Kind::adam, .weight_decay = 0.5f});
  ops::sum(used).backward();
  plain.step(0.1f);
  CHECK(idle.values() == std::vector<float>{1, 1});
  CHECK(used.values() != std::vector<float>{1, 1});
  Optimizer clipping({{"used", used}}, {.kind = Kind::sgd, .clip_norm = 1});
  CHECK_THROWS_WITH(clipping.step(0.1f), Catch::Contains("gradient"));
  CHECK_THROWS_WITH(Optimizer({}, {}), Catch::Contains("parameters"));
}

TEST_CASE("the learning rate warms up in a line and falls along half a cosine", "[optim]") {
  using optim::Schedule;
  const auto rate = [](Schedule s, int64_t step) { return optim::learning_rate(s, 0.5f, step, 110, 10); };
  for (const Schedule s : {Schedule::constant, Schedule::cosine}) {
    CHECK(rate(s, 0) == Approx(0.05));
    CHECK(rate(s, 9) == Approx(0.5));
    CHECK(rate(s, 10) == Approx(0.5));
  }
  CHECK(rate(Schedule::constant, 100) == 0.5f);
  CHECK(rate(Schedule::cosine, 60) == Approx(0.25));
  CHECK(rate(Schedule::cosine, 85) == Approx(0.25 * (1 - std::sqrt(0.5))));
  CHECK(rate(Schedule::cosine, 110) == Approx(0).margin(1e-9));
  CHECK(rate(Schedule::cosine, 500) == Approx(0).margin(1e-9));
}

}  // namespace
}  // namespace sg::tests
