// Few rows times columns that lie along k: results are sums over vectors along k, which leaves both where they are.
#include <algorithm>

#include "cpu/gemm_paths.h"
#include "cpu/gemm_tile.h"
#include "cpu/pool.h"

namespace sg::cpu {
namespace {

constexpr ptrdiff_t kColumns = 4, kUnit = 32;

/// What is left of k in a vector: zeros beyond.
struct Some {
  ptrdiff_t count;
  vf operator()(const float* p) const { return head(load(p), count); }
};
struct Whole {
  vf operator()(const float* p) const { return load(p); }
};

/// c[Rows, columns] (+)= a[Rows, k] · b[columns, k]ᵀ for up to 4 columns, b_row apart.
template <size_t Rows>
void multiply_rows(ptrdiff_t k, View a, const float* b, ptrdiff_t b_row, ptrdiff_t columns, const Target& to) {
  vf sums[Rows][kColumns] = {};
  const float *x[Rows], *y[kColumns];
  unrolled<Rows>([&](auto i) SG_INLINE { x[i] = a.data + i * a.row; });
  unrolled<kColumns>([&](auto j) SG_INLINE { y[j] = b + std::min<ptrdiff_t>(j, columns - 1) * b_row; });
  const auto step = [&](ptrdiff_t at, auto take) __attribute__((always_inline)) {
    vf xs[Rows];
    unrolled<Rows>([&](auto i) SG_INLINE { xs[i] = take(x[i] + at); });
    unrolled<kColumns>([&](auto j) SG_INLINE {
      const vf ys = take(y[j] + at);
      unrolled<Rows>([&](auto i) SG_INLINE { sums[i][j] = fma(xs[i], ys, sums[i][j]); });
    });
  };
  for (; k >= 8; k -= 8) {
    step(0, Whole());
    step(4, Whole());
    unrolled<Rows>([&](auto i) SG_INLINE { x[i] += 8; });
    unrolled<kColumns>([&](auto j) SG_INLINE { y[j] += 8; });
  }
  for (ptrdiff_t at = 0; at < k; at += 4) step(at, Some{k - at});
  unrolled<Rows>([&](auto i) SG_INLINE {
    vf(&r)[kColumns] = sums[i];
    transpose(r[0], r[1], r[2], r[3]);
    const vf sum = (r[0] + r[2]) + (r[1] + r[3]);
    const Target row = to.at(i, 0);
    if (columns == kColumns) return row.put(row.c, sum, 0);
    float some[4];
    store(some, sum);
    put_some(row, columns, some);
  });
}

using RowsFunction = void (*)(ptrdiff_t, View, const float*, ptrdiff_t, ptrdiff_t, const Target&);
constexpr RowsFunction kRows[kFewRows] = {&multiply_rows<1>, &multiply_rows<2>, &multiply_rows<3>};

void multiply_columns(const Product& p, ptrdiff_t begin, ptrdiff_t end) {
  for (ptrdiff_t k = 0; k == 0 || k < p.k; k += kBlockK) {
    const bool last = k + kBlockK >= p.k;
    const Target to{p.c, p.c_row, p.accumulate || k > 0, last ? p.epilogue.bias : nullptr};
    for (ptrdiff_t j = begin; j < end; j += kColumns) {
      kRows[p.m - 1](std::min(kBlockK, p.k - k), {p.a.data + k, p.a.row, 1}, p.b.data + k + j * p.b.column, p.b.column,
                     std::min(kColumns, end - j), to.at(0, j));
    }
  }
  for (ptrdiff_t i = 0; p.epilogue.finish && i < p.m; ++i)
    p.epilogue.finish(p.c + i * p.c_row + begin, end - begin, p.epilogue.with);
}

}  // namespace

void multiply_by_dots(const Product& p, Scratch& scratch) {
  parallel(p.n, kUnit, int64_t{p.m} * p.n * p.k, scratch,
           [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) { multiply_columns(p, begin, end); });
}

}  // namespace sg::cpu
