// Products of matrices. A matrix is seen through its strides, so that a transpose costs nothing: one of them is 1.
#pragma once
#include "cpu/kernel.h"

namespace sg::cpu {

/// The element (i, j) is data[i * row + j * column].
struct View {
  const float* data;
  ptrdiff_t row, column;
  View transposed() const { return {data, column, row}; }
};

/// C[m, n] = A[m, k] · B[k, n], or C + A · B where `accumulate`; C's rows are `c_row` floats apart. The sums are formed
/// in an order that depends on the sizes alone.
void gemm(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, View a, View b, float* c, ptrdiff_t c_row, bool accumulate,
          Scratch& scratch);

}  // namespace sg::cpu
