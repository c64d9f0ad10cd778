// Every op's backward on every device against the slopes of the reference.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

void check_gradients(const std::string& name) {
  for (const OpCase& c : op_cases()) {
    if (!c.gradient) continue;
    INFO(c.title() << " on " << name);
    const Values inputs = input_values(c);
    CHECK(gradient_difference(c, inputs, gradients_on(device(name), c, inputs)) == "");
  }
}

TEST_CASE("every op's gradient is the reference's slope on cpu", "[ops]") { check_gradients("cpu"); }
TEST_CASE("every op's gradient is the reference's slope on webgl", "[ops][webgl]") { check_gradients("webgl"); }

TEST_CASE("a gradient that is wrong in one element is noticed", "[ops]") {
  for (const std::string op : {"matmul", "tanh", "lstm"}) {
    for (const OpCase& c : op_cases()) {
      if (c.op != op) continue;
      INFO(c.title());
      const Values inputs = input_values(c);
      Values gradients = gradients_on(device("cpu"), c, inputs);
      float& last = gradients[0].back();
      last += 0.01f * std::fmax(1.0f, std::fabs(last));
      CHECK(gradient_difference(c, inputs, gradients) != "");
      break;
    }
  }
}

}  // namespace
}  // namespace sg::tests
