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
    CHECK(gradient_difference(c, gradients_on(device(name), c, input_values(c))) == "");
  }
}

TEST_CASE("every op's gradient is the reference's slope on cpu", "[ops]") { check_gradients("cpu"); }
TEST_CASE("every op's gradient is the reference's slope on webgl", "[ops][webgl]") { check_gradients("webgl"); }

TEST_CASE("a gradient that is wrong in one element is noticed", "[ops]") {
  for (const std::string op : {"matmul", "tanh", "lstm"}) {
    for (const OpCase& c : op_cases()) {
      if (c.op != op) continue;
      INFO(c.title());
      Values gradients = gradients_on(device("cpu"), c, input_values(c));
      float& last = gradients[0].back();
      last += 0.01f * std::fmax(1.0f, std::fabs(last));
      CHECK(gradient_difference(c, gradients) != "");
      break;
    }
  }
}

}  // namespace
}  // namespace sg::tests
