// What several ops share: how shapes become kernel parameters.
#pragma once
#include <array>

#include "core/tensor.h"

namespace sg::ops {

using Axes = std::array<int, kMaxRank>;

/// x's axis `index`, from either end; throws in the name of `op` when there is none.
int axis_of(const char* op, const Tensor& x, int index);
/// Sizes padded with leading ones to six axes.
Axes aligned_sizes(const Shape& shape);
/// Row-major strides (0 for axes of size 1) padded with leading zeros to six axes.
Axes aligned_strides(const Shape& shape);
/// y[i] = scale * x[offset + i . steps], outside the tape; steps are six, aligned at the last axis.
Tensor strided_copy(const Tensor& x, const Shape& shape, const Axes& steps, int offset = 0, float scale = 1);
/// Sums the axes along which `shape` was broadcast to x's shape: the gradient of a broadcast.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace sg::ops
