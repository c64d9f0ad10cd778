// Products of matrices against a double loop, at sizes around the edges of tiles, panels and blocks, in all four
// arrangements of transposes.
#include <catch2/catch.hpp>

#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

struct Shape3 {
  int m, n, k;
};

const std::vector<Shape3> kShapes{
    {1, 1, 1},      {1, 1, 7},     {1, 2, 3},    {2, 1, 3},     {3, 3, 3},      {4, 8, 5},     {5, 9, 4},
    {7, 7, 7},      {1, 37, 19},   {41, 1, 23},  {1, 100, 300}, {2, 33, 17},    {3, 40, 64},   {8, 4, 1},
    {13, 17, 11},   {32, 32, 8},   {31, 29, 37}, {32, 256, 64}, {97, 8, 3},     {96, 16, 256}, {5, 7, 257},
    {101, 43, 67},  {4, 300, 5},   {160, 32, 1}, {300, 40, 20}, {263, 271, 31}, {6, 1030, 9},  {270, 33, 520},
    {12, 24, 1024}, {1, 1100, 40}, {1, 5, 1000}};

TEST_CASE("matmul agrees with a double loop for every shape and transpose", "[cpu]") {
  Runner runner;
  for (const auto [m, n, k] : kShapes) {
    const auto at = [](int i, int j, int rows, int columns, bool transposed) {
      return static_cast<size_t>(transposed ? j * rows + i : i * columns + j);
    };
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const Floats a = numbers(static_cast<size_t>(m * k), 1), b = numbers(static_cast<size_t>(k * n), 2);
        Doubles want(static_cast<size_t>(m * n));
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int p = 0; p < k; ++p) sum += double{a[at(i, p, m, k, ta)]} * double{b[at(p, j, k, n, tb)]};
            want[static_cast<size_t>(i * n + j)] = sum;
          }
        }
        const auto got = runner.run(params::matmul{m, n, k, ta, tb}, {a, b}, want.size());
        INFO(m << " x " << n << " x " << k << (ta ? " Aᵀ" : " A") << (tb ? " Bᵀ" : " B"));
        CHECK(worst(got[0], want) < 1e-5 * std::sqrt(k));
      }
    }
  }
}

TEST_CASE("matmul gives the same bits again, whatever memory it got", "[cpu]") {
  Runner first, second;
  const Floats a = numbers(37 * 300, 3), b = numbers(300 * 45, 4);
  const params::matmul p{.m = 37, .n = 45, .k = 300};
  const auto once = first.run(p, {a, b}, 37 * 45);
  const Buffer other = second.buffer(Floats(5000, 1));
  CHECK(second.run(p, {a, b}, 37 * 45) == once);
  CHECK(second.run(p, {a, b}, 37 * 45) == once);
  second.device().release(other);
}

TEST_CASE("a NaN or an infinity in one row or column stays there", "[cpu]") {
  Runner runner;
  Floats a(9 * 6, 1), b(6 * 11, 1);
  a[2 * 6 + 3] = NAN;
  b[4 * 11 + 10] = INFINITY;
  const Floats c = runner.run(params::matmul{.m = 9, .n = 11, .k = 6}, {a, b}, 9 * 11)[0];
  for (size_t i = 0; i < 9; ++i) {
    for (size_t j = 0; j < 11; ++j) {
      const float x = c[i * 11 + j];
      if (i == 2)
        CHECK(std::isnan(x));
      else
        CHECK(x == (j == 10 ? INFINITY : 6.0f));
    }
  }
}

}  // namespace
}  // namespace sg::cpu_test
