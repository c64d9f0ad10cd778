// A draw that would take long is cut into bands of rows, so that the screen stays the person's own.
#include <catch2/catch.hpp>
#include <cmath>

#include "ops/ops.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

std::vector<float> numbers(int64_t n, uint64_t seed) {
  std::vector<float> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uniform01(philox({static_cast<uint32_t>(i), 0, 0, 0}, static_cast<uint32_t>(seed), 0)[0]) - 0.5f;
  return values;
}

Tensor product_on(const std::string& name, int m, int k, int n) {
  Device& d = device(name);
  return ops::matmul(Tensor::from(d, {m, k}, numbers(int64_t{m} * k, 1)),
                     Tensor::from(d, {k, n}, numbers(int64_t{k} * n, 2)));
}

uint64_t draws_of(int m, int k, int n) {
  const uint64_t before = device("webgl").counters().draws;
  (void)product_on("webgl", m, k, n);
  return device("webgl").counters().draws - before;
}

TEST_CASE("a large product is drawn in bands, and is the same product", "[webgl]") {
  CHECK(draws_of(128, 128, 128) == 2);  // tiles, and their join
  CHECK(draws_of(512, 512, 512) > 2);
  const auto got = product_on("webgl", 512, 512, 516).values(), want = product_on("cpu", 512, 512, 516).values();
  double largest = 0;
  for (size_t i = 0; i < want.size(); ++i) largest = std::max(largest, std::abs(double{got[i]} - double{want[i]}));
  CHECK(largest < 1e-5 * std::sqrt(512.0));
}

TEST_CASE("a product without tiles is drawn in bands as well", "[webgl]") {
  const uint64_t before = device("webgl").counters().draws;
  const auto got = product_on("webgl", 301, 331, 303).values();  // rows do not begin with a texel
  CHECK(device("webgl").counters().draws - before > 1);
  const auto want = product_on("cpu", 301, 331, 303).values();
  double largest = 0;
  for (size_t i = 0; i < want.size(); ++i) largest = std::max(largest, std::abs(double{got[i]} - double{want[i]}));
  CHECK(largest < 1e-5 * std::sqrt(331.0));
}

}  // namespace
}  // namespace sg::tests
