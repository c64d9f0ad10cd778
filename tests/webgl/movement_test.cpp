// Kernels that move values: exactly, at sizes that end within texels and rows.
#include <catch2/catch.hpp>

#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

TEST_CASE("webgl fills buffers of any size", "[webgl]") {
  for (const size_t size : kSizes) CHECK(run_kernel(params::fill{.value = -1.5f}, {}, size)[0] == Floats(size, -1.5f));
}

TEST_CASE("webgl gives back what was uploaded", "[webgl]") {
  for (const size_t size : {size_t{1}, size_t{5}, size_t{8192}, size_t{8193}, size_t{2049 * 4 + 3}, size_t{3 * 8192}}) {
    const Buffer buffer = webgl().allocate(static_cast<int64_t>(size));
    const Floats values = numbers(size, 7);
    webgl().upload(buffer, values);
    Floats back(size);
    webgl().download(buffer, back);
    CHECK(back == values);
    webgl().release(buffer);
  }
}

TEST_CASE("webgl permutes, slices and expands by strided copies", "[webgl]") {
  // The axes of y in x's strides, innermost last, and an offset.
  struct Case {
    int d[6], s[6], offset;
  };
  const Case cases[] = {
      {{1, 1, 1, 1, 1, 7}, {0, 0, 0, 0, 0, 1}, 0},         // copy
      {{1, 1, 1, 1, 5, 3}, {0, 0, 0, 0, 1, 5}, 0},         // transpose of [3, 5]
      {{1, 1, 1, 2, 3, 4}, {0, 0, 0, 60, 20, 1}, 5},       // slice of a row, unaligned
      {{1, 1, 1, 2, 3, 8}, {0, 0, 0, 60, 20, 2}, 3},       // slice with a step
      {{1, 1, 1, 3, 2, 5}, {0, 0, 0, 0, 1, 0}, 1},         // expand
      {{2, 3, 2, 3, 2, 3}, {36, 12, 6, 2, 1, 0}, 0},       // six axes, the last expanded
      {{2, 3, 2, 3, 2, 3}, {1, 2, 6, 12, 36, 72}, 0},      // six axes, reversed
      {{1, 1, 1, 2, 37, 141}, {0, 0, 0, 141, 282, 1}, 0},  // [37, 2, 141] -> [2, 37, 141], over one texture row
  };
  for (const Case& test : cases) {
    const auto& [d, s, offset] = test;
    const params::strided_copy p{2, offset, d[0], d[1], d[2], d[3], d[4], d[5], s[0], s[1], s[2], s[3], s[4], s[5]};
    const auto size = static_cast<size_t>(d[0] * d[1] * d[2] * d[3] * d[4] * d[5]);
    const Floats x = numbers(10434, 8);
    Floats expected;
    for (int i = 0; i < static_cast<int>(size); ++i) {
      int rest = i, from = offset;
      for (int axis = 5; axis >= 0; rest /= d[axis--]) from += rest % d[axis] * s[axis];
      expected.push_back(2 * x[static_cast<size_t>(from)]);
    }
    INFO("case " << &test - cases);
    CHECK(run_kernel(p, {x}, size)[0] == expected);
  }
}

TEST_CASE("webgl pads an axis with zeros", "[webgl]") {
  const int inner = GENERATE(1, 3, 4, 8, 300), start = GENERATE(0, 2);
  const params::pad p{.outer = 5, .size = 7, .inner = inner, .start = start, .length = 4, .step = 1};
  const Floats x = numbers(static_cast<size_t>(5 * 4 * inner), 9);
  Floats expected;
  for (int o = 0; o < 5; ++o) {
    for (int s = 0; s < 7; ++s) {
      for (int i = 0; i < inner; ++i) {
        const int from = s - start;
        expected.push_back(from < 0 || from >= 4 ? 0 : x[static_cast<size_t>((o * 4 + from) * inner + i)]);
      }
    }
  }
  CHECK(run_kernel(p, {x}, expected.size())[0] == expected);
}

TEST_CASE("webgl puts rows side by side", "[webgl]") {
  const std::vector<int> widths =
      GENERATE(std::vector<int>{4, 8, 0, 0, 0, 0, 0, 0}, std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1},
               std::vector<int>{3, 5, 1, 0, 0, 0, 0, 0}, std::vector<int>{100, 7, 0, 0, 2, 33, 1, 9});
  const int outer = GENERATE(1, 3, 61);
  params::concat p{.outer = outer, .w0 = 0, .w1 = 0, .w2 = 0, .w3 = 0, .w4 = 0, .w5 = 0, .w6 = 0, .w7 = 0};
  int32_t* fields[] = {&p.w0, &p.w1, &p.w2, &p.w3, &p.w4, &p.w5, &p.w6, &p.w7};
  std::vector<Floats> inputs;
  for (size_t i = 0; i < 8; ++i) {
    *fields[i] = widths[i];
    inputs.push_back(numbers(static_cast<size_t>(std::max(1, outer * widths[i])), static_cast<uint32_t>(i)));
  }
  Floats expected;
  for (int o = 0; o < outer; ++o) {
    for (size_t i = 0; i < 8; ++i) {
      for (int j = 0; j < widths[i]; ++j) expected.push_back(inputs[i][static_cast<size_t>(o * widths[i] + j)]);
    }
  }
  CHECK(run_kernel(p, inputs, expected.size())[0] == expected);
}
