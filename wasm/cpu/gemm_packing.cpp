#include "cpu/gemm_packing.h"

#include <algorithm>

#include "cpu/simd.h"

namespace sg::cpu {
namespace {

/// to[4, 4] = from[4, 4]ᵀ
void turn_four(const float* from, ptrdiff_t from_row, float* to, ptrdiff_t to_row) {
  vf r0 = load(from), r1 = load(from + from_row), r2 = load(from + 2 * from_row), r3 = load(from + 3 * from_row);
  transpose(r0, r1, r2, r3);
  store(to, r0), store(to + to_row, r1), store(to + 2 * to_row, r2), store(to + 3 * to_row, r3);
}

/// A whole panel from columns that lie along k.
void turn_panel(ptrdiff_t k, View b, float* to) {
  const float *low = b.data, *high = b.data + 4 * b.column;
  for (; k >= 4; k -= 4, low += 4, high += 4, to += 4 * kPanel) {
    turn_four(low, b.column, to, kPanel);
    turn_four(high, b.column, to + 4, kPanel);
  }
  for (; k > 0; --k, ++low, ++high, to += kPanel) {
    for (ptrdiff_t j = 0; j < 4; ++j) to[j] = low[j * b.column], to[j + 4] = high[j * b.column];
  }
}

void copy_panel(ptrdiff_t k, View b, float* to) {
  const float* from = b.data;
  for (; k > 0; --k, from += b.row, to += kPanel) store(to, load(from)), store(to + 4, load(from + 4));
}

}  // namespace

void pack_panels(ptrdiff_t k, ptrdiff_t columns, View b, float* to) {
  ptrdiff_t j = 0;
  for (; j + kPanel <= columns; j += kPanel, to += k * kPanel) {
    const View panel{b.data + j * b.column, b.row, b.column};
    b.column == 1 ? copy_panel(k, panel, to) : turn_panel(k, panel, to);
  }
  if (j == columns) return;
  for (ptrdiff_t p = 0; p < k; ++p, to += kPanel) {
    const float* const from = b.data + p * b.row + j * b.column;
    for (ptrdiff_t q = 0; q < kPanel; ++q) to[q] = q < columns - j ? from[q * b.column] : 0.0f;
  }
}

void pack_rows(ptrdiff_t rows, ptrdiff_t k, View a, float* to) {
  ptrdiff_t p = 0;
  for (; p + 4 <= k; p += 4) {
    const float* const from = a.data + p * a.column;
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4) turn_four(from + i, a.column, to + i * k + p, k);
    for (; i < rows; ++i) {
      for (ptrdiff_t q = 0; q < 4; ++q) to[i * k + p + q] = from[q * a.column + i];
    }
  }
  for (; p < k; ++p) {
    for (ptrdiff_t i = 0; i < rows; ++i) to[i * k + p] = a.data[p * a.column + i];
  }
}

}  // namespace sg::cpu
