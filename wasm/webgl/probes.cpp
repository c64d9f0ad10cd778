#include "webgl/probes.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/random.h"

namespace sg::webgl {
namespace {

constexpr float kInf = INFINITY, kNan = NAN;

void append(std::vector<float>& to, std::initializer_list<float> values) { to.insert(to.end(), values); }

Cells mantissa() {
  constexpr float kLast = 1.1920929e-7f;  // 2^-23
  return {{1, kLast, 4097, 4095}, {1 + kLast, kLast, 16777215, 16777214}};
}

Cells tiny() { return {{1e-8f, 3e-5f, 1e-30f, 1e-7f}, {1e-8f, 1e-8f + 1e-8f, 3e-5f * 3e-5f, 1e-30f * 1e-7f}, 2e-7f}; }

Cells integers() { return {{16777215, 16777214, 8388607, 8388608}, {16777215, 1, 16777215, 25165822}}; }

Cells nonfinite() { return {{kInf, -kInf, kNan, 1}, {kInf, -kInf, kNan, 0}}; }

Cells nan_bits() {
  // nan_max(v, 1), and 2 more where the next lane is NaN.
  return {{kNan, kInf, -kInf, 3e38f, 5, kNan, 0.5f, -kNan}, {kNan, kInf, 1, 3e38f, 7, kNan, 3, kNan}};
}

/// Four cells for each range, of f over 16 numbers from low to high.
Cells sweep(std::initializer_list<std::array<double, 2>> ranges, double (*f)(double)) {
  Cells cells{{}, {}, 1e-6f};
  for (const auto& [low, high] : ranges) {
    for (int i = 0; i < 16; ++i) {
      cells.in.push_back(static_cast<float>(low + (high - low) * i / 15));
      cells.want.push_back(static_cast<float>(f(double{cells.in.back()})));
    }
  }
  return cells;
}

Cells exponential() { return sweep({{-87, 88}, {-1, 1}, {-20, -10}}, std::exp); }
Cells logarithm() { return sweep({{1e-30, 1e-6}, {0.9, 1.1}, {1e3, 1e30}}, std::log); }
Cells hyperbolic_tangent() { return sweep({{-10, 10}, {-1, 1}, {1e-7, 1e-3}}, std::tanh); }

Cells quotient() {
  Cells cells{{}, {}, 1e-6f};
  for (const auto& [a, b] : {std::array{1.0f, 3.0f}, {1e-8f, 7.0f}, {16777215.0f, 1e-20f}, {0.1f, 1e10f}}) {
    append(cells.in, {a, b, 0, 0});
    append(cells.want, {a / b, b / a, std::sqrt(a), 1 / std::sqrt(b)});
  }
  return cells;
}

Cells texel_fetch() {
  Cells cells;
  for (const auto& [x, y] : {std::array{0, 0}, {255, 0}, {0, 15}, {255, 15}, {127, 1}, {128, 7}}) {
    const auto first = static_cast<float>(4 * (y * 256 + x));
    append(cells.in, {static_cast<float>(x), static_cast<float>(y), 0, 0});
    append(cells.want, {first, first + 1, first + 2, first + 3});
  }
  return cells;
}

Cells layers() {
  // Floats from one place on, across the ends of rows and layers, and another place added to the last of them.
  Cells cells;
  for (const int first : {0, 31, 32, 253, 254, 255, 256, 509, 767, 768, 1019, 1020}) {
    const auto from = static_cast<float>(first), other = static_cast<float>(kDeepFloats - 1 - first);
    append(cells.in, {from, other, 0, 0});
    append(cells.want, {from, from + 1, from + 2, from + 3 + other});
  }
  return cells;
}

Cells render_target() {
  Cells cells;
  uint32_t word = 1;
  for (int i = 0; i < 32; ++i) {
    word = word * 1664525 + 1013904223;
    // Any sign and mantissa, and exponents that are neither 0 nor all ones.
    const uint32_t bits = (word & 0x807fffffu) | ((1 + (word >> 3) % 254) << 23);
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    cells.in.push_back(value);
  }
  append(cells.in, {kInf, -kInf, kNan, 0});
  cells.want = cells.in;
  return cells;
}

Cells long_sum() {
  constexpr int kTexels = kWideFloats / 4;
  Cells cells{{kTexels, 0, 0, 0}, {}};
  for (int lane = 0; lane < 4; ++lane) cells.want.push_back(4.0f * kTexels * (kTexels - 1) / 2 + lane * kTexels);
  return cells;
}

Cells matrix_product() {
  Cells cells;
  for (int row = 0; row < 8; row += 3) {
    for (const int transposed : {0, 1}) {
      const int column = row / 3 * 4;
      append(cells.in, {static_cast<float>(row), static_cast<float>(column), static_cast<float>(transposed), 16});
      for (int c = column; c < column + 4; ++c) {
        int sum = 0;
        for (int s = 0; s < 16; ++s) sum += (row * 16 + s) * (128 + (transposed ? c * 16 + s : s * 16 + c));
        cells.want.push_back(static_cast<float>(sum));
      }
    }
  }
  return cells;
}

std::array<float, 2> halves(uint32_t word) {
  return {static_cast<float>(word >> 16), static_cast<float>(word & 0xffffu)};
}
void append_halves(std::vector<float>& to, uint32_t a, uint32_t b) {
  for (const uint32_t word : {a, b}) append(to, {halves(word)[0], halves(word)[1]});
}

Cells parameter_block() {
  const ProbeParameters p;
  Cells cells{{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, {}};
  append_halves(cells.want, static_cast<uint32_t>(p.i0), static_cast<uint32_t>(p.i1));
  append_halves(cells.want, static_cast<uint32_t>(p.i2), static_cast<uint32_t>(p.i3));
  append(cells.want, {p.f0, p.f1, p.f2, p.f3});
  return cells;
}

Cells integer_division() {
  Cells cells;
  for (const auto& [a, b] : {std::array<uint32_t, 2>{2147483647, 3},
                             {2147483646, 46341},
                             {2147483647, 2147483646},
                             {16777217, 4097},
                             {1000000007, 1000003},
                             {2147302921, 46340},
                             {1073741825, 32768},
                             {33554431, 2}}) {
    append_halves(cells.in, a, b);
    append_halves(cells.want, a / b, a % b);
  }
  return cells;
}

Cells random_words() {
  Cells cells;
  for (const auto& [counter, key] : {std::array<uint32_t, 2>{0, 0}, {0xffffffffu, 0x12345678u}, {77, 0xfffffffeu}}) {
    append_halves(cells.in, counter, key);
    for (const uint32_t word : philox({counter, 1, 0xfffffffeu, 0}, key, 0x9abcdef0u)) {
      cells.want.push_back(static_cast<float>(word >> 8));
    }
  }
  return cells;
}

bool same_bits(float a, float b) { return memcmp(&a, &b, sizeof(a)) == 0; }

/// Relative, and infinite where one is NaN or they are different infinities.
double distance(float got, float want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;
  const double d = std::abs((double{got} - want) / want);
  return std::isnan(d) ? HUGE_VAL : d;
}

std::string number(double value) {
  std::array<char, 32> text{};
  snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

}  // namespace

std::span<const ShaderProbe> shader_probes() {
  static constexpr std::array kProbes{
      ShaderProbe{"mantissa", "sums and products keep all 24 bits of a float", mantissa},
      ShaderProbe{"tiny", "numbers down to 1e-37 are kept, 1e-8 to begin with", tiny},
      ShaderProbe{"integers", "whole numbers are exact up to 2^24", integers},
      ShaderProbe{"nonfinite", "NaN and the infinities go in, through sums and out as themselves", nonfinite},
      ShaderProbe{"nan_bits", "NaN is told by its bits", nan_bits},
      ShaderProbe{"exponential", "exp is right within 1e-6", exponential},
      ShaderProbe{"logarithm", "log is right within 1e-6", logarithm},
      ShaderProbe{"hyperbolic_tangent", "tanh is right within 1e-6", hyperbolic_tangent},
      ShaderProbe{"quotient", "quotients and square roots are right within 1e-6", quotient},
      ShaderProbe{"texel_fetch", "texels are fetched exactly, those at a texture's corners too", texel_fetch},
      ShaderProbe{"layers", "floats are found in any row and layer of a texture", layers},
      ShaderProbe{"render_target", "a float texture keeps every bit that is rendered to it", render_target},
      ShaderProbe{"long_sum", "compensated sums of 4096 whole numbers are exact beyond 2^24", long_sum},
      ShaderProbe{"matrix_product", "a product of matrices of whole numbers is exact", matrix_product},
      ShaderProbe{"parameter_block", "ints above 2^24 and floats are read from a block of uniforms", parameter_block},
      ShaderProbe{"integer_division", "quotients and remainders of large ints are exact", integer_division},
      ShaderProbe{"random_words", "products of 32-bit words are exact: random numbers are the cpu's", random_words},
  };
  return kProbes;
}

std::string difference(std::span<const float> got, std::span<const float> want, float tolerance) {
  for (size_t i = 0; i < want.size(); ++i) {
    const bool nan = std::isnan(got[i]) && std::isnan(want[i]);
    if (tolerance == 0 ? nan || same_bits(got[i], want[i]) : distance(got[i], want[i]) <= double{tolerance}) continue;
    return "value " + std::to_string(i) + " is " + number(got[i]) + ", not " + number(want[i]);
  }
  return "";
}

std::string closeness(std::span<const float> got, std::span<const float> want) {
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i) worst = std::max(worst, distance(got[i], want[i]));
  return worst == 0 ? "exactly that" : "that, within " + number(worst);
}

}  // namespace sg::webgl
