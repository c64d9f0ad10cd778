// Every case of the table on every device, against the reference, and the devices against each other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

void check_values(const std::string& name) {
  for (const OpCase& c : op_cases()) {
    INFO(c.title() << " on " << name);
    CHECK(value_difference(device(name), c) == "");
  }
}

std::vector<double> wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

TEST_CASE("every op has the reference's values on cpu", "[ops]") { check_values("cpu"); }
TEST_CASE("every op has the reference's values on webgl", "[ops][webgl]") { check_values("webgl"); }

TEST_CASE("cpu and webgl agree on every op's values and gradients", "[ops][webgl]") {
  Device &cpu = device("cpu"), &webgl = device("webgl");
  for (const OpCase& c : op_cases()) {
    INFO(c.title());
    const Values inputs = input_values(c);
    CHECK(difference(value_on(webgl, c, inputs), wide(value_on(cpu, c, inputs)), tolerance_of(c), floor_of(c)) == "");
    if (!c.gradient) continue;
    const Values a = gradients_on(webgl, c, inputs), b = gradients_on(cpu, c, inputs);
    for (size_t i = 0; i < a.size(); ++i) {
      INFO("gradient of input " << i);
      float largest = 0;
      for (const float g : b[i]) largest = std::max(largest, std::fabs(g));
      CHECK(difference(a[i], wide(b[i]), 1e-4, std::max(0.1f, largest / 50)) == "");
    }
  }
}

TEST_CASE("no op's values or gradients depend on the number of threads", "[ops]") {
  for (const OpCase& c : op_cases()) {
    INFO(c.title());
    CHECK(threads_difference(c) == "");
  }
}

TEST_CASE("a comparison tells NaN, both infinities and numbers apart", "[ops]") {
  const float inf = INFINITY;
  const std::vector<float> kinds{1, NAN, inf, -inf};
  for (size_t i = 0; i < kinds.size(); ++i)
    for (size_t j = 0; j < kinds.size(); ++j)
      CHECK((difference(std::span(&kinds[i], 1), wide({kinds[j]}), 1e-5, 1) == "") == (i == j));
  CHECK(difference(std::vector<float>{1.00001f}, std::vector<double>{1}, 1e-6, 1) != "");
  CHECK(difference(std::vector<float>{1, 2}, std::vector<double>{1}, 1e-6, 1) != "");
}

}  // namespace
}  // namespace sg::tests
