// Where a window has several maxima there is no slope to compare with: the first one gets the gradient, and a NaN is
// larger than everything.
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

void check_first_maxima(const std::string& name) {
  INFO(name);
  const Tensor even = leaf(device(name), {1, 1, 4, 4}, Floats(16, 2));
  ops::sum(ops::max_pool2d(even, {2, 2}, {2, 2})).backward();
  CHECK(even.grad().values() == Floats{1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0});

  // Windows of 3 x 3 with a padding of 1: the first place of each that lies within x, not in the padding.
  const Tensor lowest = leaf(device(name), {1, 1, 2, 3}, Floats(6, -INFINITY));
  const Tensor y = ops::max_pool2d(lowest, {3, 3}, {1, 1}, {1, 1});
  CHECK(y.values() == Floats(6, -INFINITY));
  const Tensor weights = Tensor::from(device(name), y.shape(), Floats{1, 2, 4, 8, 16, 32});
  ops::sum(ops::mul(y, weights)).backward();
  CHECK(lowest.grad().values() == Floats{1 + 2 + 8 + 16, 4 + 32, 0, 0, 0, 0});
}

void check_nan_places(const std::string& name) {
  INFO(name);
  const float nan = std::nanf("");
  const Tensor x = leaf(device(name), {1, 1, 8}, {1, nan, 9, nan, 3, INFINITY, INFINITY, 2});
  const Tensor y = ops::max_pool1d(x, 4, 4);
  const Floats got = y.values();
  CHECK(std::isnan(got[0]));
  CHECK(got[1] == INFINITY);
  const Tensor weights = Tensor::from(device(name), {1, 1, 2}, Floats{5, 7});
  ops::sum(ops::mul(y, weights)).backward();
  CHECK(x.grad().values() == Floats{0, 5, 0, 0, 0, 7, 0, 0});
}

void check_adaptive_overlap(const std::string& name) {
  INFO(name);
  const Tensor x = leaf(device(name), {1, 1, 5}, {4, 4, 4, 4, 4});  // windows 0..1, 1..3, 3..4
  ops::sum(ops::adaptive_max_pool1d(x, 3)).backward();
  CHECK(x.grad().values() == Floats{1, 1, 0, 1, 0});
}

TEST_CASE("max pooling gives a window's gradient to its first maximum on cpu", "[ops]") {
  check_first_maxima("cpu");
  check_nan_places("cpu");
  check_adaptive_overlap("cpu");
}
TEST_CASE("max pooling gives a window's gradient to its first maximum on webgl", "[ops][webgl]") {
  check_first_maxima("webgl");
  check_nan_places("webgl");
  check_adaptive_overlap("webgl");
}

}  // namespace
}  // namespace sg::tests
