// The reference computes every op once more, in double and by plain loops over its mathematical definition. It shares
// no line with the kernels, the ops or the formulas of the .def files, so that agreement means something; it is slow on
// purpose and never shipped. This file is its array: sizes, and the values row-major.
#pragma once
#include <cstddef>
#include <vector>

namespace sg::reference {

using Sizes = std::vector<int>;
using Index = std::vector<int>;

inline int count(const Sizes& sizes) {
  int n = 1;
  for (const int s : sizes) n *= s;
  return n;
}

struct Array {
  Sizes sizes;
  std::vector<double> values;

  explicit Array(Sizes s = {}) : sizes(std::move(s)), values(static_cast<size_t>(count(sizes))) {}
  Array(Sizes s, std::vector<double> v) : sizes(std::move(s)), values(std::move(v)) {}

  int rank() const { return static_cast<int>(sizes.size()); }
  int size() const { return static_cast<int>(values.size()); }
  size_t position(const Index& index) const {
    size_t at = 0;
    for (size_t i = 0; i < sizes.size(); ++i) at = at * static_cast<size_t>(sizes[i]) + static_cast<size_t>(index[i]);
    return at;
  }
  double& at(const Index& index) { return values[position(index)]; }
  double at(const Index& index) const { return values[position(index)]; }
};

/// Calls visit(index) for every index of an array of these sizes, row-major.
template <class Visit>
void each(const Sizes& sizes, Visit visit) {
  Index index(sizes.size(), 0);
  for (int n = count(sizes); n > 0; --n) {
    visit(index);
    for (size_t axis = sizes.size(); axis-- > 0;) {
      if (++index[axis] < sizes[axis]) break;
      index[axis] = 0;
    }
  }
}

/// An axis counted from the end where negative.
inline size_t axis_of(const Sizes& sizes, int axis) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int>(sizes.size()) : axis);
}

}  // namespace sg::reference
