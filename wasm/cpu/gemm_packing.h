// Copies of a block of A or B in the order in which tiles read them, so that they lie in few lines of the nearest
// cache.
#pragma once
#include "cpu/gemm.h"

namespace sg::cpu {

inline constexpr ptrdiff_t kPanel = 8;  // columns of B side by side

/// to[columns / 8][k][8] = b[k, columns], zeros beyond the last column.
void pack_panels(ptrdiff_t k, ptrdiff_t columns, View b, float* to);

/// to[rows, k] = a[rows, k], whose columns are contiguous.
void pack_rows(ptrdiff_t rows, ptrdiff_t k, View a, float* to);

}  // namespace sg::cpu
