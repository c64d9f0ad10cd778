// Reductions and matrix products on the webgl device against plain loops in double.
#include <catch2/catch.hpp>

#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

struct Axes {
  int outer, reduce, inner;
  size_t size() const { return static_cast<size_t>(outer) * static_cast<size_t>(reduce * inner); }
  size_t groups() const { return static_cast<size_t>(outer * inner); }
};
const Axes kAxes[] = {{1, 1, 1},   {1, 7, 1},      {5, 3, 1},     {3, 4, 4},    {2, 5, 3},
                      {3, 64, 6},  {1, 100, 5},    {7, 9, 130},   {1, 511, 8},  {1, 513, 1},
                      {3, 700, 5}, {1, 100003, 1}, {1, 1000, 32}, {2, 1, 5000}, {9000, 2, 1}};

/// Calls visit(element, group) for every element.
template <class Visit>
void each(const Axes& axes, const Visit& visit) {
  size_t element = 0;
  for (int o = 0; o < axes.outer; ++o) {
    for (int r = 0; r < axes.reduce; ++r) {
      for (int i = 0; i < axes.inner; ++i) visit(element++, static_cast<size_t>(o * axes.inner + i));
    }
  }
}

}  // namespace

TEST_CASE("webgl sums over any axis", "[webgl]") {
  for (const Axes& axes : kAxes) {
    const Floats x = numbers(axes.size(), 11, -1, 3);
    std::vector<double> y(axes.groups());
    each(axes, [&](size_t element, size_t group) { y[group] += 0.5 * x[element]; });
    const params::sum p{.outer = axes.outer, .reduce = axes.reduce, .inner = axes.inner, .scale = 0.5f};
    INFO(axes.outer << " x " << axes.reduce << " x " << axes.inner);
    CHECK(worst(run_kernel(p, {x}, axes.groups())[0], y) < 1e-6);
  }
}

TEST_CASE("webgl's sums stay accurate when they are long", "[webgl]") {
  Floats x(300000, 0.1f);
  x[0] = 30000;
  double expected = 0;
  for (const float value : x) expected += value;
  const params::sum p{.outer = 1, .reduce = 300000, .inner = 1, .scale = 1};
  CHECK(worst(run_kernel(p, {x}, 1)[0], {expected}) < 1e-6);
}

TEST_CASE("webgl's sums are compensated, whatever a compiler knows of sums", "[webgl]") {
  // Without, each 1 is lost beside 2^24. The axis is short: one fragment walks it.
  for (const int inner : {1, 4}) {
    Floats x(static_cast<size_t>(400 * inner), 1);
    std::fill_n(x.begin(), inner, 16777216.0f);
    const params::sum p{.outer = 1, .reduce = 400, .inner = inner, .scale = 1};
    const Floats sums = run_kernel(p, {x}, static_cast<size_t>(inner))[0];
    for (const float y : sums) CHECK(std::abs(y - 16777615) <= 2);
  }
}

TEST_CASE("webgl's sums keep infinities and NaN", "[webgl]") {
  const params::sum p{.outer = 3, .reduce = 3, .inner = 1, .scale = 1};
  const Floats y = run_kernel(p, {{1, INFINITY, 2, 3, NAN, 1, INFINITY, -INFINITY, 1}}, 3)[0];
  CHECK(y[0] == INFINITY);
  CHECK(std::isnan(y[1]));
  CHECK(std::isnan(y[2]));
  const params::sum columns{.outer = 1, .reduce = 2, .inner = 4, .scale = 1};
  CHECK(run_kernel(columns, {{1, INFINITY, -INFINITY, 3, 1, 1, 1, 1}}, 4)[0] == Floats{2, INFINITY, -INFINITY, 4});
}

TEST_CASE("webgl finds maxima over any axis and shares gradients among equal ones", "[webgl]") {
  for (const Axes& axes : kAxes) {
    // Few distinct values: ties are common.
    Floats x = numbers(axes.size(), 12, -9, -1);
    for (float& value : x) value = std::round(value);
    Floats y(axes.groups(), -INFINITY);
    std::vector<double> count(axes.groups()), dx(axes.size());
    const Floats dy = numbers(axes.groups(), 13);
    each(axes, [&](size_t element, size_t group) { y[group] = std::max(y[group], x[element]); });
    each(axes, [&](size_t element, size_t group) { count[group] += x[element] == y[group]; });
    each(axes,
         [&](size_t element, size_t group) { dx[element] = x[element] == y[group] ? dy[group] / count[group] : 0; });
    INFO(axes.outer << " x " << axes.reduce << " x " << axes.inner);
    CHECK(run_kernel(params::max{axes.outer, axes.reduce, axes.inner}, {x}, axes.groups())[0] == y);
    CHECK(worst(run_kernel(params::max_backward{axes.outer, axes.reduce, axes.inner}, {x, y, dy}, axes.size())[0], dx) <
          1e-6);
  }
}

TEST_CASE("webgl's maximum is NaN where one element is", "[webgl]") {
  CHECK(std::isnan(run_kernel(params::max{1, 6, 1}, {{1, 2, 3, 4, NAN, 5}}, 1)[0][0]));
  const Floats y = run_kernel(params::max{1, 2, 4}, {{1, NAN, 3, 4, 5, 6, NAN, 2}}, 4)[0];
  CHECK((y[0] == 5 && std::isnan(y[1]) && std::isnan(y[2]) && y[3] == 4));
}

TEST_CASE("webgl multiplies matrices of any size in all four layouts", "[webgl]") {
  struct Size {
    int m, n, k;
  };
  const auto [m, n, k] = GENERATE(Size{1, 1, 1}, Size{3, 1, 5}, Size{32, 1, 8}, Size{4, 4, 4}, Size{5, 7, 3},
                                  Size{8, 12, 16}, Size{1, 9, 130}, Size{33, 65, 17}, Size{64, 32, 160},
                                  Size{6, 8, 700}, Size{3, 5, 1025}, Size{130, 260, 8});
  const int trans_a = GENERATE(0, 1), trans_b = GENERATE(0, 1);
  const Floats a = numbers(static_cast<size_t>(m * k), 14), b = numbers(static_cast<size_t>(k * n), 15);
  std::vector<double> c;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int s = 0; s < k; ++s) {
        sum += double{a[static_cast<size_t>(trans_a ? s * m + i : i * k + s)]} *
               double{b[static_cast<size_t>(trans_b ? j * k + s : s * n + j)]};
      }
      c.push_back(sum);
    }
  }
  const params::matmul p{.m = m, .n = n, .k = k, .trans_a = trans_a, .trans_b = trans_b};
  INFO(m << " x " << n << " x " << k << " transposed " << trans_a << trans_b);
  CHECK(worst(run_kernel(p, {a, b}, c.size())[0], c) < 1e-6 * std::sqrt(k) + 1e-6);
}
