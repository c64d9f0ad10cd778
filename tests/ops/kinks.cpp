// Where an op has a kink there is no slope to compare with: PyTorch's choice is stated here.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Floats = std::vector<float>;

Tensor leaf(Device& d, const Sizes& sizes, const Floats& values) {
  return Tensor::from(d, shape_of(sizes), values).set_requires_grad();
}

struct UnaryKink {
  const char* op;
  float x, p, slope;
};
const UnaryKink kUnaryKinks[]{
    {"abs", 0, 0, 0},         {"relu", 0, 0, 0},         {"leaky_relu", 0, 0.25f, 0.25f}, {"sign", 0, 0, 0},
    {"floor", 2, 0, 0},       {"round", 0.5f, 0, 0},     {"hardtanh", 1, 0, 0},           {"hardtanh", -1, 0, 0},
    {"elu", 0, 0.25f, 0.25f}, {"clamp_min", 2, 2, 1},    {"clamp_max", 2, 2, 1},          {"pow_scalar", 0, 0, 0},
    {"pow_scalar", 0, 1, 1},  {"pow_scalar", -3, 2, -6}, {"pow_scalar", 0, 2, 0},
};

struct BinaryKink {
  const char* op;
  float a, b, p, da, db;
};
const BinaryKink kBinaryKinks[]{
    {"maximum", 1.5f, 1.5f, 0, 0.5f, 0.5f},
    {"minimum", -2, -2, 0, 0.5f, 0.5f},
    {"absolute_error", 3, 3, 0, 0, 0},
    {"huber_error", 1, 1, 0.75f, 0, 0},
    {"huber_error", 2, 1, 1, 1, -1},
    {"huber_error", 1, 2, 1, -1, 1},
    {"div_or_zero", 3, 0, 0, 0, 0},
    {"pow", 0, 0, 0, 0, 0},
    {"pow", 0, 2, 0, 0, 0},
    {"pow", 0, 1, 0, 1, 0},
    {"eq", 1, 1, 0, 0, 0},
    {"ne", 1, 1, 0, 0, 0},
    {"lt", 1, 1, 0, 0, 0},
    {"le", 1, 1, 0, 0, 0},
    {"gt", 1, 2, 0, 0, 0},
    {"ge", 1, 2, 0, 0, 0},
};

/// The same to rounding: powers are no exact products. A slope of 0 is 0.
bool near(const Floats& got, float want) {
  return std::all_of(got.begin(), got.end(),
                     [want](float x) { return std::fabs(x - want) <= 1e-6f * std::fabs(want); });
}

void check_kinks(const std::string& name) {
  Device& d = device(name);
  for (const UnaryKink& k : kUnaryKinks) {
    INFO(k.op << " on " << name);
    const Tensor x = leaf(d, {5}, Floats(5, k.x));
    ops::sum(ops::unary(unary_named(k.op), x, k.p)).backward();
    INFO(x.grad().values()[0] << ", not " << k.slope);
    CHECK(near(x.grad().values(), k.slope));
  }
  for (const BinaryKink& k : kBinaryKinks) {
    INFO(k.op << " on " << name);
    const Tensor a = leaf(d, {5}, Floats(5, k.a)), b = leaf(d, {5}, Floats(5, k.b));
    ops::sum(ops::binary(binary_named(k.op), a, b, k.p)).backward();
    CHECK(a.grad().values() == Floats(5, k.da));
    CHECK(b.grad().values() == Floats(5, k.db));
  }
}

/// Where the slope is 0 by a choice and not by a product, an infinite gradient from above does not turn into NaN.
void check_cut_off(const std::string& name) {
  Device& d = device(name);
  const Tensor infinite = Tensor::full(d, Shape{5}, INFINITY);
  for (const char* op : {"hardtanh", "clamp_max", "round", "sign", "floor"}) {
    INFO(op << " on " << name);
    const Tensor x = leaf(d, {5}, Floats(5, 2.5f));
    ops::sum(ops::mul(ops::unary(unary_named(op), x, 1), infinite)).backward();
    CHECK(x.grad().values() == Floats(5, 0));
  }
}

/// x[outer, n, inner] is 0 but for ones at every `every`-th place of the axis: each of them gets an equal share.
void check_shares(const std::string& name, int outer, int n, int inner, int every) {
  INFO("amax of " << text({outer, n, inner}) << " with a maximum at every " << every << " on " << name);
  Floats values, want;
  const float ones = static_cast<float>((n + every - 1) / every);
  for (int i = 0; i < outer * n * inner; ++i) {
    const bool best = i / inner % n % every == 0;
    values.push_back(best ? 1.0f : 0.0f);
    want.push_back(best ? 3 / ones : 0);
  }
  const Tensor x = leaf(device(name), {outer, n, inner}, values);
  ops::mul_scalar(ops::sum(ops::amax(x, 1)), 3).backward();
  CHECK(difference(x.grad().values(), std::vector<double>(want.begin(), want.end()), 1e-5, 1e-3) == "");
}

/// Equal extremes of axes that do not lie side by side share as one group.
void check_shares_of_axes(const std::string& name) {
  for (const float sign : {1.0f, -1.0f}) {
    INFO((sign > 0 ? "amax" : "amin") << " over axes 0 and 2 on " << name);
    // x[2, 3, 2], the extreme is 0: four times in the middle's first row, once in its second, twice in its third
    const Floats x{0, 0, -1, -1, 0, -1, 0, 0, -1, 0, -1, 0}, share{1, 1, 0, 0, 2, 0, 1, 1, 0, 4, 0, 2};
    Floats given;
    for (const float v : x) given.push_back(sign * v);
    const Tensor t = leaf(device(name), {2, 3, 2}, given);
    const Sizes axes{0, 2};
    ops::mul_scalar(ops::sum(sign > 0 ? ops::amax(t, axes) : ops::amin(t, axes)), 4).backward();
    CHECK(t.grad().values() == share);
  }
}

void check_all_shares(const std::string& name) {
  check_shares_of_axes(name);
  check_shares(name, 1, 4, 1, 2);
  check_shares(name, 3, 7, 1, 3);
  check_shares(name, 2, 5, 3, 1);
  check_shares(name, 2, 9, 8, 4);
  check_shares(name, 2, 700, 1, 7);
  check_shares(name, 1, 700, 3, 350);
}

TEST_CASE("at a kink the gradient is PyTorch's on cpu", "[ops]") { check_kinks("cpu"); }
TEST_CASE("at a kink the gradient is PyTorch's on webgl", "[ops][webgl]") { check_kinks("webgl"); }
TEST_CASE("an infinite gradient does not reach what was cut off on cpu", "[ops]") { check_cut_off("cpu"); }
TEST_CASE("an infinite gradient does not reach what was cut off on webgl", "[ops][webgl]") { check_cut_off("webgl"); }
TEST_CASE("equal maxima share their gradient evenly on cpu", "[ops]") { check_all_shares("cpu"); }
TEST_CASE("equal maxima share their gradient evenly on webgl", "[ops][webgl]") { check_all_shares("webgl"); }

}  // namespace
}  // namespace sg::tests
