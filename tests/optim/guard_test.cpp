// The guard: a step whose loss or gradient is not finite leaves every bit as it was, and so does each one after it,
// until the guard is reset; then training goes on as if nothing had been.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/ops.h"
#include "optim/optimizer.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using optim::Config;
using optim::Kind;
using optim::Optimizer;

const float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

enum class Bad {
  none,
  nan_data,  // loss and all gradients are NaN
  nan_loss,  // the loss alone
  infinite_loss,
  minus_infinite_loss,
  nan_gradient,  // one element of one gradient, the loss is finite
  infinite_gradient,
  overflow,  // every gradient is finite, the square of one is not
};
const std::vector<Bad> kBad{Bad::nan_data,     Bad::nan_loss,          Bad::infinite_loss, Bad::minus_infinite_loss,
                            Bad::nan_gradient, Bad::infinite_gradient, Bad::overflow};

using Bits = std::vector<std::vector<uint32_t>>;

/// A linear layer and its optimiser, and a loss that can be spoilt in every way.
class Run {
 public:
  Run(Device& device, const Config& config)
      : device_(device),
        weight_(parameter(Shape{3, 2}, {0.5f, -1, 0.25f, 2, -0.75f, 1})),
        bias_(parameter(Shape{2}, {0.125f, -0.5f})),
        optimizer_({{"layer.weight", weight_}, {"layer.bias", bias_}}, config) {}

  optim::Step step(int number, Bad bad) { return optimizer_.step(kRate, loss(number, bad)); }
  /// The same step in its two halves.
  optim::Step step_with_floats(int number, Bad bad) {
    StepValues values;
    optimizer_.begin_step(kRate, values);
    return optimizer_.step(loss(number, bad), Tensor::from(device_, {StepValues::kCount}, values.floats()));
  }

  /// The tensors that live from step to step.
  std::vector<Tensor> lasting() const {
    std::vector<Tensor> all{weight_, bias_, optimizer_.guard()};
    for (const Parameter& p : optimizer_.state()) all.push_back(p.value);
    return all;
  }

  Bits bits() const {
    Bits all;
    const auto add = [&](const Tensor& t) {
      const std::vector<float> values = t.values();
      all.emplace_back(values.size());
      std::memcpy(all.back().data(), values.data(), values.size() * sizeof(float));
    };
    add(weight_);
    add(bias_);
    for (const Parameter& p : optimizer_.state()) add(p.value);
    return all;
  }
  Optimizer& optimizer() { return optimizer_; }

 private:
  static constexpr float kRate = 0.05f;
  /// The loss of a step, with its gradients in the parameters.
  Tensor loss(int number, Bad bad) {
    const float shift = static_cast<float>(number) / 8;
    std::vector<float> data{1, shift, -0.5f, 2 - shift, 0.25f, -1};
    if (bad == Bad::nan_data) data[3] = kNan;
    const Tensor x = Tensor::from(device_, Shape{2, 3}, data);
    Tensor loss = ops::mean(ops::square(ops::add_scalar(ops::add(ops::matmul(x, weight_), bias_), -0.5f)));
    if (bad == Bad::nan_gradient) loss = ops::add(loss, ops::sum(root(bias_, {0, 1})));
    if (bad == Bad::infinite_gradient) loss = ops::add(loss, ops::sum(ops::sqrt(ops::sub(bias_, below_bias()))));
    if (bad == Bad::overflow) loss = ops::add(loss, ops::sum(ops::mul_scalar(bias_, 1e25f)));
    loss.backward();
    if (bad == Bad::nan_loss) loss = Tensor::full(device_, Shape{}, kNan);
    if (bad == Bad::infinite_loss) loss = Tensor::full(device_, Shape{}, kInfinity);
    if (bad == Bad::minus_infinite_loss) loss = Tensor::full(device_, Shape{}, -kInfinity);
    const bool gradient_only = bad == Bad::nan_gradient || bad == Bad::infinite_gradient || bad == Bad::overflow;
    if (gradient_only) CHECK(std::isfinite(loss.item()));
    return loss;
  }
  Tensor parameter(const Shape& shape, const std::vector<float>& values) {
    return Tensor::from(device_, shape, values).set_requires_grad();
  }
  /// sqrt(x² times factors): its value is finite and its slope at a factor of 0 is 0 / 0.
  Tensor root(const Tensor& x, const std::vector<float>& factors) {
    return ops::sqrt(ops::mul(ops::square(x), Tensor::from(device_, x.shape(), factors)));
  }
  /// The bias's first number, and one below its second: the root of the difference has an infinite slope at the first.
  Tensor below_bias() {
    std::vector<float> values = bias_.values();
    values[1] -= 1;
    return Tensor::from(device_, bias_.shape(), values);
  }

  Device& device_;
  Tensor weight_, bias_;
  Optimizer optimizer_;
};

const std::vector<Config>& configs() {
  static const std::vector<Config> all{
      {.kind = Kind::sgd, .momentum = 0.9f, .nesterov = true, .weight_decay = 0.1f, .clip_norm = 1},
      {.kind = Kind::sgd},
      {.kind = Kind::adam, .clip_value = 0.5f},
      {.kind = Kind::adamw, .weight_decay = 0.1f},
      {.kind = Kind::rmsprop, .momentum = 0.9f, .clip_norm = 1, .clip_value = 0.5f},
      {.kind = Kind::adagrad, .rate_decay = 0.1f, .weight_decay = 0.1f},
      {.kind = Kind::lion, .weight_decay = 0.1f},
      {.kind = Kind::muon, .momentum = 0.95f, .nesterov = true, .weight_decay = 0.1f},
  };
  return all;
}

/// `before` good steps, a bad one, two good ones that are refused, a reset, and three more that count.
void check_guard(Device& d, const Config& config, int before, Bad bad) {
  INFO("kind " << static_cast<int>(config.kind) << ", bad " << static_cast<int>(bad) << " after " << before
               << " steps on " << d.name());
  Run run(d, config), undisturbed(d, config);
  for (int i = 0; i < before; ++i) {
    CHECK(run.step(i, Bad::none).applied.item() == 1);
    undisturbed.step(i, Bad::none);
  }
  const Bits good = run.bits();
  const optim::Step refused = run.step(before, bad);
  CHECK(refused.applied.item() == 0);
  const bool loss_only = bad == Bad::nan_loss || bad == Bad::infinite_loss || bad == Bad::minus_infinite_loss;
  CHECK(std::isfinite(refused.squared_norm.item()) == loss_only);
  CHECK(run.bits() == good);
  for (int i = 0; i < 2; ++i) {
    CHECK(run.step(i, Bad::none).applied.item() == 0);
    CHECK(run.bits() == good);
  }
  CHECK(run.optimizer().steps() == before + 3);
  run.optimizer().reset_guard();
  run.optimizer().set_steps(before);
  for (int i = before; i < before + 3; ++i) {
    CHECK(run.step(i, Bad::none).applied.item() == 1);
    undisturbed.step(i, Bad::none);
    CHECK(run.bits() == undisturbed.bits());
  }
  CHECK(run.bits() != good);
}

void check_guards(const std::string& device_name) {
  for (const Config& config : configs())
    for (const Bad bad : kBad)
      for (const int before : {0, 3}) check_guard(device(device_name), config, before, bad);
}

TEST_CASE("a step that is not finite changes no bit, and none is applied before a reset, on cpu", "[optim]") {
  check_guards("cpu");
}
TEST_CASE("a step that is not finite changes no bit, and none is applied before a reset, on webgl", "[optim][webgl]") {
  check_guards("webgl");
}

TEST_CASE("a step's floats give what its rate gives, tensors keep their identity, and an earlier Step its numbers",
          "[optim]") {
  for (const char* name : {"cpu", "webgl"}) {
    for (const Config& config : configs()) {
      INFO("kind " << static_cast<int>(config.kind) << " on " << name);
      Run rated(device(name), config), filled(device(name), config);
      const std::vector<Tensor> before = filled.lasting();
      const optim::Step first = filled.step_with_floats(0, Bad::none);
      const float norm = first.squared_norm.item();
      CHECK(rated.step(0, Bad::none).squared_norm.item() == norm);
      for (int i = 1; i < 4; ++i) {
        rated.step(i, i == 3 ? Bad::nan_data : Bad::none);
        const optim::Step later = filled.step_with_floats(i, i == 3 ? Bad::nan_data : Bad::none);
        CHECK(filled.bits() == rated.bits());
        CHECK(filled.optimizer().guard().item() == later.applied.item());
      }
      CHECK(filled.optimizer().guard().item() == 0);
      CHECK(first.applied.item() == 1);
      CHECK(first.squared_norm.item() == norm);
      filled.optimizer().reset_guard();
      CHECK(filled.optimizer().guard().item() == 1);
      const std::vector<Tensor> after = filled.lasting();
      for (size_t i = 0; i < before.size(); ++i) CHECK(after[i].id() == before[i].id());
    }
  }
}

TEST_CASE("the squared norm of many gradients of all sizes is right, and one NaN anywhere in them is seen", "[optim]") {
  for (const char* name : {"cpu", "webgl"}) {
    Device& d = device(name);
    const std::vector<int> sizes{1, 3, 4, 255, 256, 257, 4097, 1, 20001, 5, 64, 8192, 7, 2, 9, 300, 31};
    for (const int spoilt : {-1, 0, 7, 8, 16}) {
      std::vector<Parameter> parameters;
      Tensor loss = Tensor::full(d, Shape{}, 0);
      double squared = 0;
      for (size_t k = 0; k < sizes.size(); ++k) {
        std::vector<float> slopes(static_cast<size_t>(sizes[k]));
        for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = static_cast<float>((i * 7 + k) % 11) / 16 - 0.25f;
        for (const float g : slopes) squared += double{g} * double{g};
        if (static_cast<int>(k) == spoilt) slopes.back() = kNan;
        parameters.push_back({std::to_string(k), Tensor::full(d, Shape{sizes[k]}, 0).set_requires_grad()});
        loss = ops::add(loss, ops::sum(ops::mul(parameters[k].value, Tensor::from(d, Shape{sizes[k]}, slopes))));
      }
      loss.backward();
      Optimizer optimizer(parameters, {.kind = Kind::sgd});
      const optim::Step step = optimizer.step(0.5f, Tensor::full(d, Shape{}, 1), 0.5f);
      INFO(name << ", NaN in " << spoilt);
      CHECK(step.applied.item() == (spoilt < 0 ? 1 : 0));
      if (spoilt < 0) CHECK(step.squared_norm.item() == Approx(squared / 4).epsilon(1e-5));
    }
  }
}

}  // namespace
}  // namespace sg::tests
