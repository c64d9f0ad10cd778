// Gradients taken together.
#pragma once
#include <span>

#include "core/tensor.h"

namespace sg::optim {

/// Partial sums of the squares of all elements: at most 256, their number a multiple of 4; no temporary is as large as
/// a gradient. Which element is in which sum depends on the sizes alone.
Tensor partial_squares(std::span<const Tensor> gradients);

/// An approximation of U Vᵀ for x[m, n] = U S Vᵀ: five Newton-Schulz steps with the quintic coefficients of Jordan
/// (2024), which bring all singular values to between about 0.7 and 1.2.
Tensor orthogonalized(const Tensor& x);

}  // namespace sg::optim
