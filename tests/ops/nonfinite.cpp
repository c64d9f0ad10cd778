// Numbers at the edge: a NaN must come out wherever it went in (the guard against divergence sees only results), and
// overflow, poles and saturation must be what the mathematics says, on every device.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

const float kInfinity = std::numeric_limits<float>::infinity();

/// One case for each op: its largest below 4096 floats.
std::vector<OpCase> one_each() {
  std::vector<OpCase> picked;
  const auto floats = [](const OpCase& c) {
    int n = 0;
    for (const Input& input : c.inputs) n += reference::count(input.sizes);
    return n;
  };
  for (const OpCase& c : op_cases()) {
    OpCase* known = nullptr;
    for (OpCase& p : picked)
      if (p.op == c.op) known = &p;
    if (!known)
      picked.push_back(c);
    else if (floats(c) > floats(*known) && floats(c) < 4096)
      *known = c;
  }
  return picked;
}

void check_nan(const std::string& name) {
  for (const OpCase& c : one_each()) {
    if (!c.gradient) continue;
    for (size_t k = 0; k < c.inputs.size(); ++k) {
      for (const size_t lane : {0, 1, 2, 3}) {
        Values inputs = input_values(c);
        inputs[k][inputs[k].size() - 1 - lane % inputs[k].size()] = std::nanf("");
        INFO(c.title() << " with a NaN in input " << k << " on " << name);
        const Array want = c.reference(arrays_of(c, inputs));
        CHECK(difference(value_on(device(name), c, inputs), want.values, tolerance_of(c), floor_of(c)) == "");
      }
    }
  }
}

/// Every pair of these goes through every row of pointwise.def (the unary ones see the first alone).
const std::vector<float> kEdges{0,     1,     -1,     2.5f,  100,    -100,      1e-30f,     -1e-30f,      1e4f,
                                -1e4f, 1e20f, -1e20f, 3e38f, -3e38f, kInfinity, -kInfinity, std::nanf("")};

bool is_row(const std::string& op) {
  for (int i = 0; i < static_cast<int>(ops::Unary::count); ++i)
    if (op == ops::name(static_cast<ops::Unary>(i))) return true;
  for (int i = 0; i < static_cast<int>(ops::Binary::count); ++i)
    if (op == ops::name(static_cast<ops::Binary>(i))) return true;
  return false;
}

void check_edges(const std::string& name) {
  std::vector<float> a, b;
  for (const float x : kEdges) {
    for (const float y : kEdges) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const Values both{a, b};
  for (const OpCase& c : one_each()) {
    if (!is_row(c.op)) continue;
    OpCase edges = c;
    for (Input& input : edges.inputs) input.sizes = {static_cast<int>(a.size())};
    const Values inputs(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(c.inputs.size()));
    const Array want = c.reference(arrays_of(edges, inputs));
    const std::vector<float> got = value_on(device(name), edges, inputs);
    REQUIRE(got.size() == a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      INFO(c.op << "(" << a[i] << ", " << b[i] << ") on " << name);
      CHECK(difference(std::span(&got[i], 1), std::span(&want.values[i], 1), 1e-5, 0.02) == "");
    }
  }
}

TEST_CASE("a NaN goes through every op on cpu", "[ops]") { check_nan("cpu"); }
TEST_CASE("a NaN goes through every op on webgl", "[ops][webgl]") { check_nan("webgl"); }
TEST_CASE("elementwise ops are right at zero, at poles and beyond the range on cpu", "[ops]") { check_edges("cpu"); }
TEST_CASE("elementwise ops are right at zero, at poles and beyond the range on webgl", "[ops][webgl]") {
  check_edges("webgl");
}

}  // namespace
}  // namespace sg::tests
