// What the self-test asks of a GPU's shaders: for each probe, numbers that go in and those that must come out.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sg::webgl {

/// Four floats a cell, in as many cells as they need. `tolerance` is relative; at 0 the bits must be the same, but for
/// those of NaN.
struct Cells {
  std::vector<float> in, want;
  float tolerance = 0;
};

struct ShaderProbe {
  /// A function of shaders/self_test.glsl.
  const char* name;
  /// What is right, in words.
  const char* expected;
  Cells (*cells)();
};
std::span<const ShaderProbe> shader_probes();

/// The sizes of the textures that shaders/self_test.glsl fetches from, beside the cells: of rows as long as kernels
/// use, and of several layers.
constexpr int kWideFloats = 4 * 256 * 16, kDeepFloats = 4 * 8 * 8 * 4;

/// The parameters that it reads: four ints above 2^24 and four floats.
struct ProbeParameters {
  int32_t i0 = 16777217, i1 = 2147483647, i2 = -2147483647, i3 = 305419897;
  float f0 = 1e-8f, f1 = 3.4e38f, f2 = -0.1f, f3 = 1.00000012f;
};
constexpr const char* kProbeParameters =
    "highp int i0, i1, i2, i3;\nhighp float f0, f1, f2, f3;\n"
    "highp int floats, piece, first_float;\n";

/// "" or what differs first.
std::string difference(std::span<const float> got, std::span<const float> want, float tolerance);
/// The largest relative difference, in words.
std::string closeness(std::span<const float> got, std::span<const float> want);

}  // namespace sg::webgl
