// Every op, forward and backward, where no texture is larger than 4 x 4 texels: each kernel reads and writes buffers of
// many layers.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"
#include "webgl/webgl_device.h"

namespace sg::tests {
namespace {

int64_t floats_of(const OpCase& c) {
  int64_t floats = 0;
  for (const Input& input : c.inputs) {
    int64_t size = 1;
    for (const auto dim : input.sizes) size *= dim;
    floats += size;
  }
  return floats;
}

/// Each op's case with the most floats, of those that so small textures hold.
std::map<std::string, const OpCase*> large_cases() {
  constexpr int64_t kMost = 8000;
  std::map<std::string, const OpCase*> largest;
  for (const OpCase& c : op_cases()) {
    const OpCase*& found = largest[c.op];
    if (!found || (floats_of(c) > floats_of(*found) && floats_of(c) <= kMost)) found = &c;
  }
  return largest;
}

std::vector<double> wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

TEST_CASE("every op agrees with the cpu device where its buffers have many layers", "[ops][webgl]") {
  RecordingDevice layered(make_webgl_device({.max_texture_size = 4, .check_errors = true}));
  for (const auto& [op, c] : large_cases()) {
    INFO(c->title());
    const Values inputs = input_values(*c);
    const Values got{value_on(layered, *c, inputs)}, want{value_on(device("cpu"), *c, inputs)};
    CHECK(difference(got[0], wide(want[0]), tolerance_of(*c), floor_of(*c)) == "");
    if (!c->gradient) continue;
    const Values a = gradients_on(layered, *c, inputs), b = gradients_on(device("cpu"), *c, inputs);
    for (size_t i = 0; i < a.size(); ++i) {
      INFO("gradient of input " << i);
      float largest = 0;
      for (const float g : b[i]) largest = std::max(largest, std::fabs(g));
      CHECK(difference(a[i], wide(b[i]), 1e-4, std::max(0.1f, largest / 50)) == "");
    }
  }
  for (int kernel = 0; kernel < static_cast<int>(Kernel::count); ++kernel) {
    INFO("no case above runs the kernel " << info(static_cast<Kernel>(kernel)).name);
    CHECK(layered.kernels().count(static_cast<Kernel>(kernel)) == 1);
  }
}

}  // namespace
}  // namespace sg::tests
