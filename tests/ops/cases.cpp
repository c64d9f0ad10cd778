#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/op_cases.h"

namespace sg::tests {
namespace {

/// SplitMix64 seeded from a text: small, and independent of the random numbers under test.
class Numbers {
 public:
  explicit Numbers(const std::string& seed) {
    for (const char c : seed) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  }
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_ = 0xCBF29CE484222325ull;
};

std::vector<float> draw(const Input& input, Numbers& numbers) {
  const auto n = static_cast<size_t>(reference::count(input.sizes));
  std::vector<float> values(n);
  if (input.draw == Draw::distinct) {
    std::iota(values.begin(), values.end(), -static_cast<float>(n / 2));
    for (size_t i = n; i > 1; --i) std::swap(values[i - 1], values[numbers.next() % i]);
    for (float& v : values) v /= 10;
    return values;
  }
  for (float& v : values) {
    double x = numbers.between(input.low, input.high);
    if (input.draw == Draw::whole) x = std::floor(x);
    if (input.draw == Draw::grid) x = std::floor(4 * x) / 4;
    if (input.draw == Draw::halfway) x = std::floor(4 * x) / 4 + 0.125;
    v = static_cast<float>(x);
  }
  return values;
}

}  // namespace

namespace {

std::vector<CaseFile::Add>& case_files() {
  static std::vector<CaseFile::Add> files;
  return files;
}

}  // namespace

CaseFile::CaseFile(Add add) { case_files().push_back(add); }

const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> table = [] {
    std::vector<OpCase> t;
    for (const CaseFile::Add add : case_files()) add(t);
    std::stable_sort(t.begin(), t.end(), [](const OpCase& a, const OpCase& b) { return a.op < b.op; });
    return t;
  }();
  return table;
}

std::vector<std::vector<float>> input_values(const OpCase& c) {
  Numbers numbers(c.title());
  std::vector<std::vector<float>> values;
  for (const Input& input : c.inputs) values.push_back(draw(input, numbers));
  return values;
}

ops::Unary unary_named(const std::string& name) {
  for (int i = 0; i < static_cast<int>(ops::Unary::count); ++i)
    if (name == ops::name(static_cast<ops::Unary>(i))) return static_cast<ops::Unary>(i);
  throw std::out_of_range("no UNARY row " + name);
}

ops::Binary binary_named(const std::string& name) {
  for (int i = 0; i < static_cast<int>(ops::Binary::count); ++i)
    if (name == ops::name(static_cast<ops::Binary>(i))) return static_cast<ops::Binary>(i);
  throw std::out_of_range("no BINARY row " + name);
}

Shape shape_of(const Sizes& sizes) { return Shape(std::span<const int>(sizes)); }
std::string text(const Sizes& sizes) { return str(shape_of(sizes)); }

Arrays arrays_of(const OpCase& c, const std::vector<std::vector<float>>& values) {
  Arrays arrays;
  for (size_t i = 0; i < values.size(); ++i)
    arrays.emplace_back(c.inputs[i].sizes, std::vector<double>(values[i].begin(), values[i].end()));
  return arrays;
}

}  // namespace sg::tests
