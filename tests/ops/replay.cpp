// Every op case once more as a recorded step: its result and gradients, replayed three times, must be those of running
// it at once, bit for bit. Three runs, so that each home of what a step carries over is read and written.
#include <catch2/catch.hpp>
#include <cstring>

#include "core/plan.h"
#include "io/error.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The gradient of each input that has one goes into the carried tensor beside it.
Tensor step_of(const OpCase& c, const Tensors& inputs, Tensors& gradients) {
  const Tensor y = c.device(inputs[0].device(), inputs);
  if (!c.gradient) return y;
  const Tensor w = Tensor::from(y.device(), y.shape(), projection(c, static_cast<size_t>(y.size())));
  ops::sum(ops::mul(y, w)).backward();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad()) continue;
    gradients[i].set_value(inputs[i].grad());
    Tensor x = inputs[i];
    x.clear_grad();
  }
  return y.detach();
}

std::string replay_difference(Device& d, const OpCase& c) {
  const Values numbers = input_values(c);
  Tensors inputs = tensors_of(d, c, numbers), gradients;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (c.gradient && c.inputs[i].gradient) inputs[i].set_requires_grad();
    gradients.push_back(Tensor::full(d, inputs[i].shape(), 0));
  }
  const std::vector<float> want = value_on(d, c, numbers);
  const Values slopes = c.gradient ? gradients_on(d, c, numbers) : Values(inputs.size());
  Carried carried(d, gradients);
  const auto step = carried.record(inputs, [&] { return step_of(c, inputs, gradients); });
  for (int run = 1; run <= 3; ++run) {
    step->run();
    const std::string when = " in run " + std::to_string(run);
    if (!same_bits(step->result().values(), want)) return "the value differs" + when;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].requires_grad() && !same_bits(gradients[i].values(), slopes[i]))
        return "the gradient of input " + std::to_string(i) + " differs" + when;
    }
  }
  return "";
}

void replay_all(const std::string& name, size_t every) {
  const auto& table = op_cases();
  for (size_t i = 0; i < table.size(); i += every) {
    const OpCase& c = table[i];
    if (c.inputs.empty()) continue;
    INFO(c.title() << " on " << name);
    CHECK(replay_difference(device(name), c) == "");
  }
}

TEST_CASE("a recorded step gives the bits of the step itself, for every op on cpu", "[ops][replay][cpu]") {
  replay_all("cpu", 1);
}

TEST_CASE("a recorded step gives the bits of the step itself, for ops on webgl", "[ops][replay][webgl]") {
  replay_all("webgl", 3);
}

}  // namespace
}  // namespace sg::tests
