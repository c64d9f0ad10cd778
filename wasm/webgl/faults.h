// How a faulty GPU is imitated, for the tests of the self-test: each row spoils the shader of one probe as a driver
// might. Never part of what is shipped.
#pragma once
#include <array>
#include <string>

#include "io/error.h"

namespace sg::webgl {

struct Fault {
  const char *probe, *right, *wrong;
};

inline constexpr std::array kFaults{
    Fault{"mantissa", "vec4 mantissa(vec4 v) {",
          "vec4 mantissa(vec4 v) { v = uintBitsToFloat(floatBitsToUint(v) & 0xffffe000u);"},
    Fault{"tiny", "vec4 tiny(vec4 v) {", "vec4 tiny(vec4 v) { v = mix(v, vec4(0.0), lessThan(abs(v), vec4(6e-8)));"},
    Fault{"integers", "vec4 integers(vec4 v) {", "vec4 integers(vec4 v) { v = floor(v * 0.5) * 2.0;"},
    Fault{"nonfinite", "vec4 nonfinite(vec4 v) {", "vec4 nonfinite(vec4 v) { v = clamp(v, -3.4e38, 3.4e38);"},
    Fault{"nan_bits", "return greaterThan(floatBitsToUint(x) & uvec4(0x7fffffffu), uvec4(0x7f800000u));",
          "return bvec4(false);"},
    Fault{"exponential", "return exact_exp(v);", "return exp2(v * 1.4427);"},
    Fault{"logarithm", "return exact_log(v);", "return log2(v) * 0.69314;"},
    Fault{"hyperbolic_tangent", "return exact_tanh(v);", "return 1.0 - 2.0 / (exp(2.0 * v) + 1.0);"},
    Fault{"quotient", "v.x / v.y", "v.x * uintBitsToFloat(floatBitsToUint(1.0 / v.y) & 0xffffff00u)"},
    Fault{"texel_fetch", "texelFetch(wide, ivec3(ivec2(v.xy), 0), 0)",
          "texture(wide, vec3((v.xy + vec2(0.49, 0.5)) / vec2(2044.0, 2.0), 0.0))"},
    Fault{"layers", "t >> LAYER_BITS", "0"},
    Fault{"render_target", "vec4 render_target(vec4 v) {",
          "vec4 render_target(vec4 v) { v = uintBitsToFloat(floatBitsToUint(v) & 0xffffff00u);"},
    Fault{"long_sum", "lost = (next - running) - corrected;", "lost = vec4(0.0);"},
    Fault{"matrix_product", "vec4 l = texel(deep, (row * inner + s) >> 2);",
          "vec4 l = uintBitsToFloat(floatBitsToUint(texel(deep, (row * inner + s) >> 2)) & 0xfff00000u);"},
    Fault{"integer_division", "uint(whole.x / whole.y)", "uint(float(whole.x) / float(whole.y))"},
    Fault{"random_words", "uint middle = a1 * b0 + ((a0 * b0) >> 16);", "uint middle = a1 * b0;"},
};

/// Spoils the source; false where no row has the probe.
inline bool spoil(std::string& source, const std::string& probe) {
  for (const Fault& fault : kFaults) {
    if (probe != fault.probe) continue;
    const size_t at = source.find(fault.right);
    if (at == std::string::npos) throw Error("webgl.self_test", "the shader has no text to spoil for " + probe);
    source.replace(at, std::string(fault.right).size(), fault.wrong);
    return true;
  }
  return false;
}

}  // namespace sg::webgl
