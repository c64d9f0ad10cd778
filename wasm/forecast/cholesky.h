#pragma once
// Symmetric positive systems of equations by Cholesky's factor: what ridge regression is solved with.

#include <cstddef>
#include <vector>

namespace sg {

/// a [n, n] = L · Lᵀ: its lower triangle becomes L, what is above the diagonal is neither read nor written. A pivot
/// that rounding took below 1e-12 counts as that.
void cholesky_factor(std::vector<double>& a, size_t n);

/// Solves L · Lᵀ · x = columns [n, k], in place.
void cholesky_solve(const std::vector<double>& factor, size_t n, std::vector<double>& columns, size_t k);

}  // namespace sg
