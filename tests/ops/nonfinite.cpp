// Numbers at the edge: a NaN must come out wherever it went in (the guard against divergence sees only results), and
// overflow, poles and saturation must be what the mathematics says, on every device.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

const float kInfinity = std::numeric_limits<float>::infinity();

int floats_of(const OpCase& c) {
  int n = 0;
  for (const Input& input : c.inputs) n += reference::count(input.sizes);
  return n;
}

/// One case for each op: its largest below 4096 floats.
std::vector<OpCase> one_each() {
  std::vector<OpCase> picked;
  for (const OpCase& c : op_cases()) {
    OpCase* known = nullptr;
    for (OpCase& p : picked)
      if (p.op == c.op) known = &p;
    if (!known)
      picked.push_back(c);
    else if (floats_of(c) > floats_of(*known) && floats_of(c) < 4096)
      *known = c;
  }
  return picked;
}

/// Puts a NaN into up to nine places of each input, both ends among them, and expects it where the reference has it.
std::string nan_difference(Device& d, const OpCase& c) {
  const Values clean = input_values(c);
  for (size_t k = 0; k < clean.size(); ++k) {
    if (!c.inputs[k].gradient) continue;  // indices and masks are whole numbers
    const size_t n = clean[k].size(), places = std::min<size_t>(n, 9);
    for (size_t i = 0; i < places; ++i) {
      const size_t at = places == 1 ? 0 : i * (n - 1) / (places - 1);
      Values inputs = clean;
      inputs[k][at] = std::nanf("");
      const Array want = c.reference(arrays_of(c, inputs));
      const std::string wrong = difference(value_on(d, c, inputs), want.values, tolerance_of(c), floor_of(c));
      if (!wrong.empty())
        return "with a NaN in input " + std::to_string(k) + " at " + std::to_string(at) + ", " + wrong;
    }
  }
  return "";
}

/// Which numbers are NaN.
std::vector<bool> nan_places(const std::vector<float>& values) {
  std::vector<bool> places(values.size());
  std::transform(values.begin(), values.end(), places.begin(), [](float v) { return std::isnan(v); });
  return places;
}

/// Puts a NaN into up to five places of each input, and expects the same places of the gradients to show it on both
/// devices: none may let it into a gradient that it has no part in.
std::string gradient_nan_difference(const OpCase& c) {
  const Values clean = input_values(c);
  for (size_t k = 0; k < clean.size(); ++k) {
    if (!c.inputs[k].gradient) continue;
    const size_t n = clean[k].size(), places = std::min<size_t>(n, 5);
    for (size_t i = 0; i < places; ++i) {
      const size_t at = places == 1 ? 0 : i * (n - 1) / (places - 1);
      Values inputs = clean;
      inputs[k][at] = std::nanf("");
      const Values on_cpu = gradients_on(device("cpu"), c, inputs), on_gpu = gradients_on(device("webgl"), c, inputs);
      for (size_t g = 0; g < on_cpu.size(); ++g)
        if (nan_places(on_cpu[g]) != nan_places(on_gpu[g]))
          return "with a NaN in input " + std::to_string(k) + " at " + std::to_string(at) +
                 ", other numbers of the gradient of input " + std::to_string(g) + " are NaN";
    }
  }
  return "";
}

bool is_row(const std::string& op) {
  for (int i = 0; i < static_cast<int>(ops::Unary::count); ++i)
    if (op == ops::name(static_cast<ops::Unary>(i))) return true;
  for (int i = 0; i < static_cast<int>(ops::Binary::count); ++i)
    if (op == ops::name(static_cast<ops::Binary>(i))) return true;
  return false;
}

/// One larger case of each op, and all small ones where an element has neighbours that must not see its NaN.
void check_nan(const std::string& name) {
  for (const OpCase& c : one_each()) {
    INFO(c.title() << " on " << name);
    if (c.gradient) CHECK(nan_difference(device(name), c) == "");
  }
  for (const OpCase& c : op_cases()) {
    INFO(c.title() << " on " << name);
    if (c.gradient && !is_row(c.op) && floats_of(c) <= 64) CHECK(nan_difference(device(name), c) == "");
  }
}

/// Every pair of these goes through every row of pointwise.def (the unary ones see the first alone).
const std::vector<float> kEdges{0,     1,     -1,     2.5f,  100,    -100,      1e-30f,     -1e-30f,      1e4f,
                                -1e4f, 1e20f, -1e20f, 3e38f, -3e38f, kInfinity, -kInfinity, std::nanf("")};

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
TEST_CASE("a NaN comes back into the same gradients on both devices", "[ops][webgl]") {
  for (const OpCase& c : op_cases()) {
    INFO(c.title());
    if (c.gradient && floats_of(c) <= 256) CHECK(gradient_nan_difference(c) == "");
  }
}
TEST_CASE("elementwise ops are right at zero, at poles and beyond the range on cpu", "[ops]") { check_edges("cpu"); }
TEST_CASE("elementwise ops are right at zero, at poles and beyond the range on webgl", "[ops][webgl]") {
  check_edges("webgl");
}

}  // namespace
}  // namespace sg::tests
