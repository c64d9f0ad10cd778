// Products of matrices against a double loop, at sizes around the edges of tiles, panels and blocks, in all four
// arrangements of transposes: by the kernel, and by gemm's own tiles, those of the relaxed build too.
#include <algorithm>
#include <catch2/catch.hpp>

#include "cpu/gemm_paths.h"
#include "tests/cpu/runner.h"
#include "tests/cpu/several_threads.h"

namespace sg::cpu_test {
namespace {

struct Shape3 {
  int m, n, k;
};

/// Around tiles of 4 and 6 rows, panels of 8 columns and blocks, few rows or columns, packed and not.
const std::vector<Shape3> kShapes{
    {1, 1, 1},      {1, 1, 7},     {1, 2, 3},      {2, 1, 3},     {3, 3, 3},      {4, 8, 5},     {5, 9, 4},
    {7, 7, 7},      {1, 37, 19},   {41, 1, 23},    {1, 100, 300}, {2, 33, 17},    {3, 40, 64},   {8, 4, 1},
    {13, 17, 11},   {32, 32, 8},   {31, 29, 37},   {32, 256, 64}, {97, 8, 3},     {96, 16, 256}, {5, 7, 257},
    {101, 43, 67},  {4, 300, 5},   {160, 32, 1},   {300, 40, 20}, {263, 271, 31}, {6, 1030, 9},  {270, 33, 520},
    {12, 24, 1024}, {1, 1100, 40}, {1, 5, 1000},   {2, 70, 300},  {3, 45, 600},   {45, 3, 300},  {70, 2, 30},
    {64, 65, 300},  {41, 66, 100}, {103, 203, 70}, {66, 100, 65}, {1030, 42, 9},  {40, 513, 10}, {67, 68, 257}};

struct Arrangement {
  bool a_turned, b_turned;
};
constexpr Arrangement kArrangements[] = {{false, false}, {false, true}, {true, false}, {true, true}};

std::string text(const Shape3& s, Arrangement t) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k) + (t.a_turned ? " Aᵀ" : " A") +
         (t.b_turned ? " Bᵀ" : " B");
}

Doubles double_loop(const Floats& a, const Floats& b, const Shape3& s, Arrangement t) {
  const auto at = [](int i, int j, int rows, int columns, bool turned) {
    return static_cast<size_t>(turned ? j * rows + i : i * columns + j);
  };
  Doubles c(static_cast<size_t>(s.m * s.n));
  for (int i = 0; i < s.m; ++i) {
    for (int j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int p = 0; p < s.k; ++p)
        sum += double{a[at(i, p, s.m, s.k, t.a_turned)]} * double{b[at(p, j, s.k, s.n, t.b_turned)]};
      c[static_cast<size_t>(i * s.n + j)] = sum;
    }
  }
  return c;
}

TEST_CASE("matmul agrees with a double loop for every shape and transpose", "[cpu]") {
  Runner runner;
  for (const Shape3& s : kShapes) {
    const Floats a = numbers(static_cast<size_t>(s.m * s.k), 1), b = numbers(static_cast<size_t>(s.k * s.n), 2);
    for (const Arrangement t : kArrangements) {
      const Doubles want = double_loop(a, b, s, t);
      const auto got = runner.run(params::matmul{s.m, s.n, s.k, t.a_turned, t.b_turned}, {a, b}, want.size());
      INFO(text(s, t));
      CHECK(worst(got[0], want) < 1e-5 * std::sqrt(s.k));
    }
  }
}

constexpr int kGap = 5;      // floats between C's rows, which belong to nobody
constexpr float kKept = 77;  // what they hold

/// A product by tiles of TileRows, in a C whose rows are apart, between floats that must stay.
template <int TileRows>
Floats by_tiles(const Floats& a, const Floats& b, const Shape3& s, Arrangement t, bool accumulate,
                const cpu::Epilogue& epilogue) {
  const auto view = [](const Floats& x, int rows, int columns, bool turned) {
    return turned ? cpu::View{x.data(), 1, rows} : cpu::View{x.data(), columns, 1};
  };
  const int row = s.n + kGap;
  Floats c(static_cast<size_t>(s.m * row), kKept);
  for (int i = 0; i < s.m; ++i) std::fill_n(c.data() + i * row, s.n, accumulate ? static_cast<float>(i) : NAN);
  cpu::Scratch scratch;
  cpu::multiply<TileRows>({s.m, s.n, s.k, view(a, s.m, s.k, t.a_turned), view(b, s.k, s.n, t.b_turned), c.data(), row,
                           accumulate, epilogue},
                          scratch);
  return c;
}

void twice(float* row, ptrdiff_t n, const void* with) {
  for (ptrdiff_t j = 0; j < n; ++j) row[j] = 2 * row[j] + *static_cast<const float*>(with);
}

/// A matrix followed by the slack that a buffer has.
Floats with_slack(int floats, uint32_t seed) {
  Floats values = numbers(static_cast<size_t>(floats), seed);
  values.insert(values.end(), static_cast<size_t>(cpu::kSlack), NAN);
  return values;
}

TEMPLATE_TEST_CASE_SIG("tiles of either build add to C, then the bias, and finish each row once", "[cpu]",
                       ((int TileRows), TileRows), 4, 6) {
  for (const Shape3& s : kShapes) {
    const Floats a = with_slack(s.m * s.k, 1), b = with_slack(s.k * s.n, 2), bias = with_slack(s.n, 3);
    const float more = 0.5f;
    for (const Arrangement t : kArrangements) {
      for (const bool accumulate : {false, true}) {
        for (const bool has_epilogue : {false, true}) {
          const cpu::Epilogue epilogue = has_epilogue ? cpu::Epilogue{bias.data(), &twice, &more} : cpu::Epilogue{};
          const Floats got = by_tiles<TileRows>(a, b, s, t, accumulate, epilogue);
          const Doubles sums = double_loop(a, b, s, t);
          Doubles want;
          for (int i = 0; i < s.m; ++i) {
            for (int j = 0; j < s.n; ++j) {
              const double sum = sums[static_cast<size_t>(i * s.n + j)] + (accumulate ? i : 0);
              want.push_back(has_epilogue ? 2 * (sum + double{bias[static_cast<size_t>(j)]}) + 0.5 : sum);
            }
            want.insert(want.end(), kGap, kKept);
          }
          INFO(text(s, t) << (accumulate ? " accumulated" : "") << (has_epilogue ? " with an epilogue" : ""));
          CHECK(worst(got, want) < 1e-5 * std::sqrt(s.k) + 1e-6 * s.m);
        }
      }
    }
  }
}

TEST_CASE("the height of the tiles does not change a bit", "[cpu]") {
  for (const Shape3& s : kShapes) {
    const Floats a = with_slack(s.m * s.k, 5), b = with_slack(s.k * s.n, 6);
    for (const Arrangement t : kArrangements) {
      INFO(text(s, t));
      CHECK(by_tiles<4>(a, b, s, t, true, {}) == by_tiles<6>(a, b, s, t, true, {}));
    }
  }
}

TEST_CASE("the number of threads does not change a bit of a product, nor what is finished", "[cpu]") {
  for (const Shape3& s : kShapes) {
    const Floats a = with_slack(s.m * s.k, 5), b = with_slack(s.k * s.n, 6), bias = with_slack(s.n, 7);
    const float more = 0.25f;
    const cpu::Epilogue epilogue{bias.data(), &twice, &more};
    for (const Arrangement t : kArrangements) {
      const Floats alone = by_tiles<4>(a, b, s, t, true, epilogue);
      const SeveralThreads several(3);
      INFO(text(s, t));
      CHECK(by_tiles<4>(a, b, s, t, true, epilogue) == alone);
      CHECK(by_tiles<6>(a, b, s, t, true, epilogue) == alone);
    }
  }
}

TEST_CASE("a bias in the epilogue gives the bits of a bias added afterwards", "[cpu]") {
  const Shape3 s{37, 45, 600};
  const Floats a = with_slack(s.m * s.k, 7), b = with_slack(s.k * s.n, 8), bias = with_slack(s.n, 9);
  for (const Arrangement t : kArrangements) {
    Floats apart = by_tiles<4>(a, b, s, t, true, {});
    for (int i = 0; i < s.m; ++i)
      for (int j = 0; j < s.n; ++j) apart[static_cast<size_t>(i * (s.n + kGap) + j)] += bias[static_cast<size_t>(j)];
    CHECK(by_tiles<4>(a, b, s, t, true, {.bias = bias.data()}) == apart);
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
