// The table of op cases: what each op is given, and the same computation on a device and in the reference. Value,
// gradient, parity and coverage tests all run over it, so a new op is tested by adding its rows and its definition in
// tests/reference.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/step_values.h"
#include "ops/ops.h"
#include "tests/reference/reference.h"

namespace sg::tests {

using reference::Array;
using reference::Sizes;

/// How an input's values are drawn; grid, halfway and distinct keep away from kinks, where finite differences mean
/// nothing.
enum class Draw {
  spread,    // anywhere in [low, high)
  grid,      // multiples of 1/4
  halfway,   // 1/8 beside them: never 0, and never within 1/8 of a grid input
  distinct,  // multiples of 1/10 in random order, no two equal
  whole      // whole numbers in [low, high)
};

struct Input {
  Sizes sizes;
  double low = -2, high = 2;
  Draw draw = Draw::spread;
  bool gradient = true;  // false for indices, masks and targets
};

using Tensors = std::vector<Tensor>;
using Arrays = std::vector<Array>;

struct OpCase {
  std::string op;      // its name in ops.h or pointwise.def, or of a kernel that only an optimiser runs
  std::string detail;  // what tells the op's cases apart
  std::vector<Input> inputs;
  std::function<Tensor(Device&, const Tensors&)> device;
  std::function<Array(const Arrays&)> reference;
  int terms = 1;         // the length of the longest sum in it: the tolerance grows with its square root
  bool gradient = true;  // of any input

  std::string title() const { return op + " " + detail; }
};

/// Every case, made once.
const std::vector<OpCase>& op_cases();

/// The case's inputs: the same numbers on every run and device, exact in float.
std::vector<std::vector<float>> input_values(const OpCase& c);

/// Names at run time for rows of pointwise.def; throws std::out_of_range for a row that does not exist.
ops::Unary unary_named(const std::string& name);
ops::Binary binary_named(const std::string& name);

/// The input `step` of a kernel.
inline Tensor step_tensor(Device& device, const StepValues& values) {
  return Tensor::from(device, {StepValues::kCount}, values.floats());
}

std::string text(const Sizes& sizes);
Shape shape_of(const Sizes& sizes);
Arrays arrays_of(const OpCase& c, const std::vector<std::vector<float>>& values);

/// A part of the table, one a topic: each tests/ops/cases_*.cpp defines one, and so belongs to the table.
struct CaseFile {
  using Add = void (*)(std::vector<OpCase>& table);
  explicit CaseFile(Add add);
};

}  // namespace sg::tests
