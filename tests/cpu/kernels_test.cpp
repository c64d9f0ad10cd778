// The kernels that combine, move and reduce floats, against plain loops in double; random numbers against the published
// answers of Philox.
#include <catch2/catch.hpp>

#include "core/random.h"
#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

// Rows of ops/pointwise.def by their position.
enum class Op : int {
#define UNARY(name, ...) name##_op,
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};
enum class Op2 : int {
#define UNARY(...)
#define BINARY(name, ...) name##_op,
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

/// Calls f(i, offset) for each element of sizes d, offset at strides s.
template <class F>
void walk(const std::array<int, 6>& d, const std::array<int, 6>& s, F f) {
  std::array<int, 6> at{};
  int total = 1;
  for (const int size : d) total *= size;
  for (int i = 0; i < total; ++i) {
    int rest = i, offset = 0;
    for (size_t axis = 6; axis-- > 0;) {
      at[axis] = rest % d[axis];
      rest /= d[axis];
      offset += at[axis] * s[axis];
    }
    f(static_cast<size_t>(i), static_cast<size_t>(offset));
  }
}

TEST_CASE("an elementwise kernel reaches every element of every size, and none beyond", "[cpu]") {
  Runner runner;
  for (const size_t n : {1, 2, 3, 4, 5, 13, 15, 16, 17, 61, 64, 1001}) {
    const Floats x = numbers(n, 5, -3, 3), dy = numbers(n, 6);
    const int op = static_cast<int>(Op::sigmoid_op);
    const Floats y = runner.run(params::unary{.op = op}, {x}, n)[0];
    const Floats dx = runner.run(params::unary_backward{.op = op}, {x, y, dy}, n)[0];
    Doubles want_y, want_dx;
    for (size_t i = 0; i < n; ++i) {
      want_y.push_back(sigmoid(x[i]));
      want_dx.push_back(dy[i] * want_y[i] * (1 - want_y[i]));
    }
    INFO(n);
    CHECK(worst(y, want_y) < 1e-6);
    CHECK(worst(dx, want_dx) < 1e-6);
    CHECK(runner.run(params::fill{.value = -7}, {}, n)[0] == Floats(n, -7));
  }
}

TEST_CASE("a binary kernel broadcasts along any axes, forward and backward", "[cpu]") {
  struct Case {
    std::array<int, 6> d, a, b;
  };
  const std::vector<Case> cases{{{1, 1, 1, 1, 5, 7}, {0, 0, 0, 0, 7, 1}, {0, 0, 0, 0, 7, 1}},
                                {{1, 1, 1, 1, 5, 7}, {0, 0, 0, 0, 7, 1}, {0, 0, 0, 0, 0, 1}},
                                {{1, 1, 1, 1, 5, 7}, {0, 0, 0, 0, 7, 1}, {0, 0, 0, 0, 1, 0}},
                                {{1, 1, 1, 1, 5, 7}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 7, 1}},
                                {{1, 1, 1, 1, 5, 7}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}},
                                {{1, 1, 1, 1, 5, 7}, {0, 0, 0, 0, 1, 5}, {0, 0, 0, 0, 7, 1}},
                                {{1, 1, 2, 3, 4, 5}, {0, 0, 0, 20, 5, 1}, {0, 0, 12, 4, 1, 0}},
                                {{2, 3, 2, 2, 3, 1}, {36, 12, 6, 3, 1, 0}, {3, 1, 0, 0, 0, 0}},
                                {{2, 1, 3, 1, 2, 18}, {3, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 18, 1}},
                                {{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}},
                                {{1, 1, 1, 1, 3, 64}, {0, 0, 0, 0, 64, 1}, {0, 0, 0, 0, 0, 1}},
                                {{1, 1, 1, 4, 1, 2}, {0, 0, 0, 2, 0, 1}, {0, 0, 0, 1, 0, 0}}};
  Runner runner;
  for (const auto& [d, a, b] : cases) {
    size_t a_end = 1, b_end = 1, n = 0;
    walk(d, a, [&](size_t, size_t at) { a_end = std::max(a_end, at + 1); });
    walk(d, b, [&](size_t, size_t at) { b_end = std::max(b_end, at + 1), ++n; });
    const Floats x = numbers(a_end, 8), y = numbers(b_end, 9), dc = numbers(n, 10);
    Doubles left(n), right(n), want(n), want_da(n), want_db(n);
    walk(d, a, [&](size_t i, size_t at) { left[i] = x[at]; });
    walk(d, b, [&](size_t i, size_t at) { right[i] = y[at]; });
    for (size_t i = 0; i < n; ++i) {
      want[i] = left[i] * right[i], want_da[i] = dc[i] * right[i], want_db[i] = dc[i] * left[i];
    }
    const int op = static_cast<int>(Op2::mul_op);
    const params::binary p{op,   0,    0,    d[0], d[1], d[2], d[3], d[4], d[5], a[0], a[1],
                           a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5]};
    const params::binary_backward q{op,   0,    0,    d[0], d[1], d[2], d[3], d[4], d[5], a[0], a[1],
                                    a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5]};
    CHECK(worst(runner.run(p, {x, y}, n)[0], want) < 1e-7);
    const auto grads = runner.run(q, {x, y, dc}, n);
    CHECK(worst(grads[0], want_da) < 1e-7);
    CHECK(worst(grads[1], want_db) < 1e-7);
  }
}

TEST_CASE("strided_copy permutes, slices, expands and scales", "[cpu]") {
  struct Case {
    float scale;
    int offset;
    std::array<int, 6> d, s;
  };
  const std::vector<Case> cases{
      {1, 0, {1, 1, 1, 1, 4, 6}, {0, 0, 0, 0, 6, 1}},    {1, 0, {1, 1, 1, 1, 6, 4}, {0, 0, 0, 0, 1, 6}},
      {1, 5, {1, 1, 1, 3, 2, 5}, {0, 0, 0, 20, 10, 1}},  {2, 0, {1, 1, 1, 2, 3, 7}, {0, 0, 0, 7, 0, 1}},
      {0.5f, 3, {1, 1, 1, 1, 5, 9}, {0, 0, 0, 0, 1, 0}}, {1, 7, {1, 1, 1, 1, 1, 8}, {0, 0, 0, 0, 0, -1}},
      {1, 0, {2, 3, 1, 2, 2, 3}, {1, 2, 0, 6, 12, 24}},  {3, 1, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}}};
  Runner runner;
  for (const Case& c : cases) {
    const auto& [d, s] = std::pair(c.d, c.s);
    const Floats x = numbers(200, 11);
    Doubles want;
    walk(d, s,
         [&](size_t, size_t at) { want.push_back(c.scale * x[static_cast<size_t>(c.offset + static_cast<int>(at))]); });
    const params::strided_copy p{c.scale, c.offset, d[0], d[1], d[2], d[3], d[4],
                                 d[5],    s[0],     s[1], s[2], s[3], s[4], s[5]};
    CHECK(worst(runner.run(p, {x}, want.size())[0], want) == 0);
  }
}

TEST_CASE("pad puts a slice among zeros, and concat puts rows side by side", "[cpu]") {
  Runner runner;
  CHECK(runner.run(params::pad{.outer = 2, .size = 4, .inner = 2, .start = 1, .length = 2, .step = 1},
                   {{1, 2, 3, 4, 5, 6, 7, 8}}, 16)[0] == Floats{0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0});
  CHECK(runner.run(params::pad{.outer = 1, .size = 5, .inner = 1, .start = 4, .length = 1, .step = 1}, {{9}}, 5)[0] ==
        Floats{0, 0, 0, 0, 9});
  const Floats unused{0};
  CHECK(runner.run(params::concat{.outer = 2, .w0 = 1, .w1 = 3, .w2 = 2},
                   {{1, 2}, {3, 4, 5, 6, 7, 8}, {9, 10, 11, 12}, unused, unused, unused, unused, unused},
                   12)[0] == Floats{1, 3, 4, 5, 9, 10, 2, 6, 7, 8, 11, 12});
}

TEST_CASE("sum and max reduce any axis of any length", "[cpu]") {
  Runner runner;
  for (const int outer : {1, 3}) {
    for (const int reduce : {1, 2, 5, 16, 37, 1000}) {
      for (const int inner : {1, 2, 4, 7, 33}) {
        const Floats x = numbers(static_cast<size_t>(outer * reduce * inner), 12, -2, -1);
        Doubles sums, maxima;
        for (int o = 0; o < outer; ++o) {
          for (int i = 0; i < inner; ++i) {
            double sum = 0, most = -INFINITY;
            for (int r = 0; r < reduce; ++r) {
              const double value = x[static_cast<size_t>((o * reduce + r) * inner + i)];
              sum += value, most = std::max(most, value);
            }
            sums.push_back(sum * 0.5), maxima.push_back(most);
          }
        }
        INFO(outer << " x " << reduce << " x " << inner);
        CHECK(worst(runner.run(params::sum{outer, reduce, inner, 0.5f}, {x}, sums.size())[0], sums) < 1e-6 * reduce);
        CHECK(worst(runner.run(params::max{outer, reduce, inner}, {x}, sums.size())[0], maxima) == 0);
      }
    }
  }
}

TEST_CASE("max lets NaN through wherever it stands, and shares its gradient among equal elements", "[cpu]") {
  Runner runner;
  for (const size_t at : {0, 3, 15, 16, 20}) {
    Floats x(21, 1);
    x[at] = NAN;
    CHECK(std::isnan(runner.run(params::max{1, 21, 1}, {x}, 1)[0][0]));
    CHECK(std::isnan(runner.run(params::max{1, 7, 3}, {x}, 3)[0][at % 3]));
  }
  CHECK(runner.run(params::max{1, 2, 1}, {{-INFINITY, -INFINITY}}, 1)[0] == Floats{-INFINITY});
  CHECK(runner.run(params::max_backward{2, 5, 1}, {{1, 3, 3, 0, 3, 5, 1, 1, 1, 1}, {3, 5}, {6, 7}}, 10)[0] ==
        Floats{0, 2, 2, 0, 2, 7, 0, 0, 0, 0});
  CHECK(runner.run(params::max_backward{1, 2, 5}, {{1, 2, 3, 4, 5, 1, 0, 4, 4, 6}, {1, 2, 4, 4, 6}, {2, 4, 6, 8, 10}},
                   10)[0] == Floats{1, 4, 0, 4, 0, 1, 0, 6, 4, 10});
}

TEST_CASE("Philox gives the published answers", "[cpu]") {
  CHECK(philox({0, 0, 0, 0}, 0, 0) == Philox{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, ones, ones) == Philox{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        Philox{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform numbers are Philox's, each at its own counter", "[cpu]") {
  Runner runner;
  for (const size_t n : {1, 4, 6, 16, 17, 27, 1003}) {
    const int low = static_cast<int>(0xa4093822), high = static_cast<int>(0x299f31d0);
    Floats want;
    for (size_t i = 0; i < n; ++i) {
      const Philox r = philox({static_cast<uint32_t>(i / 4), 3, 0xfffffff0u, 0}, 0xa4093822, 0x299f31d0);
      want.push_back(uniform01(r[i % 4]) * 3.0f - 1.0f);
    }
    CHECK(runner.run(params::uniform{low, high, 3, static_cast<int>(0xfffffff0u), -1, 2}, {}, n)[0] == want);
  }
}

TEST_CASE("dropout keeps an element where its uniform number is at least p", "[cpu]") {
  Runner runner;
  const size_t n = 10001;
  const Floats u = runner.run(params::uniform{1, 2, 3, 4, 0, 1}, {}, n)[0], x = numbers(n, 13), none = step_floats({});
  for (const float p : {0.0f, 0.25f, 0.9f}) {
    const Floats y = runner.run(params::dropout{1, 2, 3, 4, p}, {x, none}, n)[0];
    Doubles want;
    for (size_t i = 0; i < n; ++i) want.push_back(u[i] >= p ? x[i] / (1.0 - p) : 0);
    CHECK(worst(y, want) < 2e-6);
  }
  CHECK(runner.run(params::dropout{1, 2, 3, 4, 1}, {x, none}, n)[0] == Floats(n, 0));
}

}  // namespace
}  // namespace sg::cpu_test
