// Loops over elements and over rows on several threads, for kernels whose work is not a product of matrices. A range
// ends where a whole vector does, because loops write beyond their end (kernel.h).
#pragma once
#include "cpu/pool.h"
#include "cpu/simd.h"

namespace sg::cpu {

/// What an element costs, in the multiply-adds of `parallel`: read and written, or with an exponential.
inline constexpr int64_t kPlain = 3, kExponential = 16;

/// f(begin, end) for ranges of n elements.
template <class F>
void over_elements(int64_t n, int64_t cost, Scratch& scratch, F f) {
  parallel(static_cast<ptrdiff_t>(n), 16, n * cost, scratch,
           [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) { f(begin, end); });
}

/// f(i) for i = 0, 4, 8, ... below n.
template <class F>
void each_four(int64_t n, int64_t cost, Scratch& scratch, F f) {
  over_elements(n, cost, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
    const ptrdiff_t count = end - begin;
    each_four(count, [&](ptrdiff_t i) { f(begin + i); });
  });
}

/// f(begin, end) for ranges of rows of `floats` each: one range where rows are no whole vectors.
template <class F>
void over_rows(ptrdiff_t rows, int64_t floats, int64_t cost, Scratch& scratch, F f) {
  if (floats % 4 != 0) return f(ptrdiff_t{0}, rows);
  parallel(rows, 1, rows * floats * cost, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) { f(begin, end); });
}

}  // namespace sg::cpu
