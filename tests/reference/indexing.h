// Ops that pick elements, by a condition, by steps along an axis, or by indices.
#pragma once
#include "tests/reference/array.h"

namespace sg::reference {

Array where(const Array& condition, const Array& a, const Array& b);
Array argmax(const Array& x, int axis, bool keepdim);
Array cumsum(const Array& x, int axis);

/// Python's x[start:stop:step] along an axis.
Array slice(const Array& x, int axis, int start, int stop, int step);
Array flip(const Array& x, const std::vector<int>& axes);
/// torch.nn.functional.pad, constant.
Array pad(const Array& x, const std::vector<int>& sizes, double value);

Array gather(const Array& x, int axis, const Array& index);
Array embedding(const Array& indices, const Array& weight);
/// The `time` rows of x[rows, width] from each start + first on.
Array windows(const Array& x, const std::vector<int>& starts, int first, int time);

}  // namespace sg::reference
