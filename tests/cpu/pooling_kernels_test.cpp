// Pooling in windows of 2 x 2, which has loops of its own: where the gradient goes, and places that are none.
#include <catch2/catch.hpp>

#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

params::max_pool2d_backward halving(int planes, int height, int width, int out_height, int out_width) {
  return {.planes = planes,
          .height = height,
          .width = width,
          .out_height = out_height,
          .out_width = out_width,
          .kernel_h = 2,
          .kernel_w = 2,
          .stride_h = 2,
          .stride_w = 2};
}

struct Planes {
  int planes, height, width, out_height, out_width;
};
// Rows of less than a vector, of one, and of more; all of x in windows, and not all of it.
const std::vector<Planes> kPlanes{{1, 2, 2, 1, 1}, {2, 4, 6, 2, 3},  {1, 4, 8, 2, 4},  {3, 4, 10, 2, 5},
                                  {2, 5, 8, 2, 4}, {2, 6, 15, 3, 7}, {2, 6, 16, 2, 5}, {1, 2, 24, 1, 12}};

TEST_CASE("a gradient goes to its window's maximum alone", "[cpu]") {
  Runner runner;
  for (const auto [planes, height, width, out_height, out_width] : kPlanes) {
    const size_t outputs = static_cast<size_t>(planes * out_height * out_width);
    const Floats dy = numbers(outputs, 1);
    Floats where(outputs), want(static_cast<size_t>(planes * height * width), 0);
    for (size_t o = 0; o < outputs; ++o) {
      const int place = static_cast<int>(o * 7 % 5 % 4), at = static_cast<int>(o);
      const int plane = at / (out_height * out_width), row = at / out_width % out_height, column = at % out_width;
      where[o] = static_cast<float>(place);
      want[static_cast<size_t>((plane * height + 2 * row + place / 2) * width + 2 * column + place % 2)] = dy[o];
    }
    INFO(planes << " x " << height << " x " << width);
    CHECK(runner.run(halving(planes, height, width, out_height, out_width), {dy, where}, want.size())[0] == want);
  }
}

TEST_CASE("a maximum's place that its window does not have is refused", "[cpu]") {
  Runner runner;
  for (const auto [planes, height, width, out_height, out_width] : kPlanes) {
    const size_t outputs = static_cast<size_t>(planes * out_height * out_width);
    for (const float wrong : {4.0f, -1.0f, 1e9f, NAN}) {
      for (const size_t at : {size_t{0}, outputs / 2, outputs - 1}) {
        Floats where(outputs, 3);
        where[at] = wrong;
        INFO(wrong << " at " << at << " of " << outputs);
        CHECK_THROWS_WITH(runner.run(halving(planes, height, width, out_height, out_width), {Floats(outputs, 1), where},
                                     static_cast<size_t>(planes * height * width)),
                          Catch::Contains("where holds"));
      }
    }
  }
}

}  // namespace
}  // namespace sg::cpu_test
