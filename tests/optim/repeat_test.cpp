// Training is a function of its seed: two runs on one device end in the same bits, whatever ran on it in between.
#include <catch2/catch.hpp>
#include <cmath>

#include "ops/ops.h"
#include "optim/ema.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using optim::Kind;

/// Every weight, state and average of a small network with dropout after `steps` steps.
std::vector<std::vector<float>> trained(Device& d, Kind kind, int steps) {
  constexpr int kIn = 3, kHidden = 7, kOut = 2, kBatch = 5;
  const Generator generator{42, 0};
  uint32_t draw = 0;
  const auto parameter = [&](const Shape& shape) {
    return ops::uniform(d, shape, -0.5f, 0.5f, generator, Stream::weights, draw++).set_requires_grad();
  };
  std::vector<Parameter> parameters{{"first.weight", parameter(Shape{kHidden, kIn})},
                                    {"first.bias", parameter(Shape{kHidden})},
                                    {"second.weight", parameter(Shape{kHidden, kHidden})},
                                    {"head.weight", parameter(Shape{kOut, kHidden})},
                                    {"head.bias", parameter(Shape{kOut})}};
  const auto weight = [&](size_t i) { return parameters[i].value; };
  optim::Config config = optim::defaults(kind);
  config.weight_decay = 0.01f;
  config.clip_norm = 1;
  if (kind == Kind::sgd || kind == Kind::rmsprop) config.momentum = 0.9f;
  optim::Optimizer optimizer(parameters, config);
  optim::Ema ema(parameters, 0.99f);
  for (int step = 0; step < steps; ++step) {
    const auto number = static_cast<uint32_t>(step);
    const Tensor x = ops::uniform(d, Shape{kBatch, kIn}, -1, 1, generator, Stream::dropout, 2 * number);
    const Tensor hidden = ops::relu(ops::linear(x, weight(0), weight(1)));
    const Tensor mixed = ops::tanh(ops::matmul(ops::dropout(hidden, 0.2f, generator, 2 * number + 1), weight(2)));
    const Tensor y = ops::linear(mixed, weight(3), weight(4)), target = ops::narrow(ops::square(x), 1, 0, kOut);
    const Tensor loss = ops::mse_loss(y, target);
    loss.backward();
    const optim::ScheduleConfig schedule{
        .kind = optim::Schedule::cosine, .base = 0.01f, .total = steps, .warmup = steps / 10};
    const optim::Step taken = optimizer.step(optim::learning_rate(schedule, step), loss);
    ema.update(taken.applied, optimizer.steps());
  }
  std::vector<std::vector<float>> all;
  const auto add = [&](const std::vector<Parameter>& named) {
    for (const Parameter& p : named) all.push_back(p.value.values());
  };
  add(parameters);
  add(optimizer.state());
  add(ema.state());
  return all;
}

void check_repeats(const std::string& device_name, int steps) {
  for (const Kind kind : {Kind::sgd, Kind::adam, Kind::adamw, Kind::rmsprop, Kind::adagrad, Kind::lion, Kind::muon}) {
    INFO("kind " << static_cast<int>(kind) << " on " << device_name);
    Device& d = device(device_name);
    const auto first = trained(d, kind, steps);
    for (const auto& values : first)
      for (const float v : values) REQUIRE(std::isfinite(v));
    CHECK(trained(d, kind, steps) == first);
    CHECK(trained(d, kind, steps - 1) != first);
  }
}

TEST_CASE("1,000 steps of every optimiser end in the same bits on cpu", "[optim]") { check_repeats("cpu", 1000); }
TEST_CASE("100 steps of every optimiser end in the same bits on webgl", "[optim][webgl]") {
  check_repeats("webgl", 100);
}

}  // namespace
}  // namespace sg::tests
