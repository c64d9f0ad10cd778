// The special functions that rows of pointwise.def are made of, swept densely over their ranges on both devices: the op
// cases see a few thousand points, and choose their ranges.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tests/op_cases.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

struct Range {
  const char* op;
  double low, high;
  bool logarithmic;
  double bound;  // of |error| / max(|exact|, floor)
  double floor;
  double p = 0;
};

/// A floor near 0 asks for a relative error, 1 for an absolute one where the function is small.
const std::vector<Range>& ranges() {
  static const std::vector<Range> table{
      {"log1p", -0.999, 4, false, 3e-7, 1e-30},
      {"log1p", 1e-30, 1e30, true, 3e-7, 1e-30},
      {"expm1", -20, 20, false, 4e-7, 1e-30},
      {"expm1", 1e-30, 80, true, 4e-7, 1e-30},
      {"sin", -100, 100, false, 1.5e-7, 1},
      {"sin", 1, 1e4, true, 1.5e-7, 1},
      {"sin", 1e4, 3e38, true, 1.5e-7, 1},
      {"sin", -1, 1, false, 2e-7, 1e-30},
      {"cos", -100, 100, false, 1.5e-7, 1},
      {"cos", 1, 1e4, true, 1.5e-7, 1},
      {"cos", 1e4, 3e38, true, 1.5e-7, 1},
      {"erf", -5, 5, false, 2.5e-7, 1e-30},
      {"gelu", -8, 8, false, 3e-7, 0.5},
      {"gelu_tanh", -8, 8, false, 5e-7, 0.5},
      {"softplus", -80, 80, false, 5e-7, 1e-30},
      {"silu", -80, 80, false, 5e-7, 1e-30},
      {"mish", -80, 80, false, 1e-6, 1e-30},
      {"lgamma", 0.01, 3, false, 5e-7, 1},
      {"lgamma", 1e-20, 1e30, true, 1e-6, 1},
      {"digamma", 0.01, 10, false, 1e-6, 1},
      {"digamma", 1e-20, 1e30, true, 1e-6, 1},
      {"pow_scalar", 1e-14, 1e15, true, 6e-7, 1e-36, 2.5},
      {"pow_scalar", 1e-30, 1e30, true, 6e-7, 1e-36, -1.2344970703125},
      {"pow_scalar", 0.5, 2, false, 5e-7, 1e-30, -3},
  };
  return table;
}

void sweep(const std::string& name, int points) {
  for (const Range& r : ranges()) {
    std::vector<float> x;
    for (int i = 0; i < points; ++i) {
      const double at = static_cast<double>(i) / (points - 1);
      x.push_back(
          static_cast<float>(r.logarithmic ? r.low * std::pow(r.high / r.low, at) : r.low + (r.high - r.low) * at));
    }
    const Tensor y =
        ops::unary(unary_named(r.op), Tensor::from(device(name), Shape{points}, x), static_cast<float>(r.p));
    const std::vector<float> got = y.values();
    double worst = 0, where = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = reference::unary(r.op, static_cast<double>(x[i]), r.p);
      const double error = std::fabs(static_cast<double>(got[i]) - want) / std::fmax(std::fabs(want), r.floor);
      if (!(error <= worst)) worst = error, where = static_cast<double>(x[i]);
    }
    INFO(r.op << " on [" << r.low << ", " << r.high << "] on " << name << ", worst at " << where);
    CHECK(worst < r.bound);
  }
}

TEST_CASE("special functions are exact to a few roundings over their ranges on cpu", "[ops]") { sweep("cpu", 100003); }
TEST_CASE("special functions are exact to a few roundings over their ranges on webgl", "[ops][webgl]") {
  sweep("webgl", 20011);
}

TEST_CASE("pow has IEEE's answers where its argument is 0, 1, negative or infinite", "[ops][webgl]") {
  const float inf = INFINITY;
  std::vector<float> a, b;
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -0.5f, inf, -inf, NAN})
    for (const float y : {0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.5f, 16777217.0f, inf, -inf, NAN})
      a.push_back(x), b.push_back(y);
  const Shape shape{static_cast<int>(a.size())};
  for (const char* name : {"cpu", "webgl"}) {
    const std::vector<float> c =
        ops::pow(Tensor::from(device(name), shape, a), Tensor::from(device(name), shape, b)).values();
    for (size_t i = 0; i < a.size(); ++i) {
      INFO("pow(" << a[i] << ", " << b[i] << ") on " << name);
      const float want = std::pow(a[i], b[i]);
      if (std::isfinite(want))
        CHECK(c[i] == Approx(want).epsilon(1e-6));
      else
        CHECK((std::isnan(want) ? std::isnan(c[i]) : c[i] == want));
    }
  }
}

}  // namespace
}  // namespace sg::tests
