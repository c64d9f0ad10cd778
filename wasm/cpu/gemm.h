// Products of matrices. A matrix is seen through its strides, so that a transpose costs nothing: one of them is 1.
//
// An element's sum has an order that depends on the product's sizes and strides alone, never on how many threads there
// were: pieces of 256 products each, in the order of k, are added one after the other to what C held before, and the
// bias comes last. A piece is summed up in the order of k; only where up to three rows of A meet columns of B that lie
// along k are they four sums, each over every fourth k, added up as in sum_lanes.
#pragma once
#include "cpu/kernel.h"

namespace sg::cpu {

/// The element (i, j) is data[i * row + j * column].
struct View {
  const float* data;
  ptrdiff_t row, column;
  View transposed() const { return {data, column, row}; }
};

/// What becomes of C's rows while they are still near: row += bias, then finish(row, n, with). A row may be finished in
/// pieces, each of them once, by any thread and in any order; finish must leave alone what lies behind the n floats.
struct Epilogue {
  const float* bias = nullptr;  // n floats
  void (*finish)(float* row, ptrdiff_t n, const void* with) = nullptr;
  const void* with = nullptr;
};

/// C[m, n] = A[m, k] · B[k, n], or C + A · B where `accumulate`; C's rows are `c_row` floats apart. What it takes from
/// the scratch is given back.
void gemm(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, View a, View b, float* c, ptrdiff_t c_row, bool accumulate,
          Scratch& scratch, const Epilogue& epilogue = {});

}  // namespace sg::cpu
