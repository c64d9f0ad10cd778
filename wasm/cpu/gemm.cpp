// The work is done in tiles of 4 x 8 results held in registers, over blocks of k that keep a panel of B (8 columns) in
// the nearest cache. B is read in place where its rows are contiguous and near each other, else from packed panels,
// which are also what makes any width right: they are filled up with zeros. Few rows take a path without tiles.
#include "cpu/gemm.h"

#include <algorithm>

#include "cpu/axes.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace {

constexpr ptrdiff_t kTileRows = 4, kPanel = 8;
constexpr ptrdiff_t kBlockK = 256, kBlockRows = 96, kBlockColumns = 1024;
constexpr ptrdiff_t kFewRows = 3;   // up to here row by row
constexpr ptrdiff_t kNearby = 256;  // a larger stride is not walked along k, but packed

struct Source {
  const float* data;
  ptrdiff_t row, step;  // between rows of the tile, and along k
};

/// c[Rows, 8] (+)= a[Rows, k] · b[k, 8]; b's rows are b_step apart.
template <int Rows>
void tile(ptrdiff_t k, Source a, const float* b, ptrdiff_t b_step, float* c, ptrdiff_t c_row, bool accumulate) {
  vf c00{}, c01{}, c10{}, c11{}, c20{}, c21{}, c30{}, c31{};
  const float *a0 = a.data, *a1 = a0 + (Rows > 1 ? a.row : 0), *a2 = a1 + (Rows > 2 ? a.row : 0),
              *a3 = a2 + (Rows > 3 ? a.row : 0);
  for (; k > 0; --k) {
    const vf b0 = load(b), b1 = load(b + 4);
    const vf x0 = splat(*a0);
    c00 += x0 * b0, c01 += x0 * b1;
    a0 += a.step;
    if constexpr (Rows > 1) {
      const vf x1 = splat(*a1);
      c10 += x1 * b0, c11 += x1 * b1;
      a1 += a.step;
    }
    if constexpr (Rows > 2) {
      const vf x2 = splat(*a2);
      c20 += x2 * b0, c21 += x2 * b1;
      a2 += a.step;
    }
    if constexpr (Rows > 3) {
      const vf x3 = splat(*a3);
      c30 += x3 * b0, c31 += x3 * b1;
      a3 += a.step;
    }
    b += b_step;
  }
  const auto put = [&](vf low, vf high) {
    store(c, accumulate ? load(c) + low : low);
    store(c + 4, accumulate ? load(c + 4) + high : high);
    c += c_row;
  };
  put(c00, c01);
  if constexpr (Rows > 1) put(c10, c11);
  if constexpr (Rows > 2) put(c20, c21);
  if constexpr (Rows > 3) put(c30, c31);
}

using Tile = void (*)(ptrdiff_t, Source, const float*, ptrdiff_t, float*, ptrdiff_t, bool);
constexpr Tile kTiles[] = {nullptr, &tile<1>, &tile<2>, &tile<3>, &tile<4>};

/// to[k, 8] = b[k, columns], zeros beyond.
void pack_panel(ptrdiff_t k, ptrdiff_t columns, View b, float* to) {
  if (b.row == 1 && columns == kPanel) {
    ptrdiff_t p = 0;
    for (; p + 4 <= k; p += 4) {
      for (ptrdiff_t j = 0; j < kPanel; j += 4) {
        const float* from = b.data + p + j * b.column;
        vf r0 = load(from), r1 = load(from + b.column), r2 = load(from + 2 * b.column), r3 = load(from + 3 * b.column);
        transpose(r0, r1, r2, r3);
        float* const at = to + p * kPanel + j;
        store(at, r0), store(at + kPanel, r1), store(at + 2 * kPanel, r2), store(at + 3 * kPanel, r3);
      }
    }
    for (; p < k; ++p) {
      for (ptrdiff_t j = 0; j < kPanel; ++j) to[p * kPanel + j] = b.data[p + j * b.column];
    }
    return;
  }
  for (ptrdiff_t p = 0; p < k; ++p, to += kPanel) {
    const float* from = b.data + p * b.row;
    if (columns == kPanel && b.column == 1) {
      store(to, load(from));
      store(to + 4, load(from + 4));
      continue;
    }
    for (ptrdiff_t j = 0; j < kPanel; ++j) to[j] = j < columns ? from[j * b.column] : 0.0f;
  }
}

/// to[rows / 4][k][4] = a[rows, k]; the last group keeps its own number of rows a step.
void pack_rows(ptrdiff_t rows, ptrdiff_t k, View a, float* to) {
  for (ptrdiff_t i = 0; i < rows; i += kTileRows) {
    const ptrdiff_t some = std::min(kTileRows, rows - i);
    const float* from = a.data + i * a.row;
    for (ptrdiff_t p = 0; p < k; ++p, from += a.column) {
      for (ptrdiff_t r = 0; r < some; ++r) *to++ = from[r * a.row];
    }
  }
}

/// c[n] (+)= a[k] · B[k, n] with contiguous rows of B: up to 32 columns at a time.
template <int Vectors>
void add_rows(ptrdiff_t k, const float* a, const float* b, ptrdiff_t b_row, float* c, bool accumulate) {
  vf sums[Vectors] = {};
  for (; k > 0; --k, ++a, b += b_row) {
    const vf x = splat(*a);
    for (int v = 0; v < Vectors; ++v) sums[v] += x * load(b + 4 * v);
  }
  for (int v = 0; v < Vectors; ++v) store(c + 4 * v, accumulate ? load(c + 4 * v) + sums[v] : sums[v]);
}

void row_by_rows(ptrdiff_t n, ptrdiff_t k, const float* a, View b, float* c, bool accumulate) {
  ptrdiff_t j = 0;
  for (; j + 32 <= n; j += 32) add_rows<8>(k, a, b.data + j, b.row, c + j, accumulate);
  for (; j + 8 <= n; j += 8) add_rows<2>(k, a, b.data + j, b.row, c + j, accumulate);
  for (; j + 4 <= n; j += 4) add_rows<1>(k, a, b.data + j, b.row, c + j, accumulate);
  for (; j < n; ++j) {
    float sum = 0;
    for (ptrdiff_t p = 0; p < k; ++p) sum += a[p] * b.data[p * b.row + j];
    c[j] = accumulate ? c[j] + sum : sum;
  }
}

/// The sum of x[i] * y[i]: four vectors of partial sums, then their lanes, then the rest.
float dot(ptrdiff_t k, const float* x, const float* y) {
  vf s0{}, s1{}, s2{}, s3{};
  ptrdiff_t p = 0;
  for (; p + 16 <= k; p += 16) {
    s0 += load(x + p) * load(y + p), s1 += load(x + p + 4) * load(y + p + 4);
    s2 += load(x + p + 8) * load(y + p + 8), s3 += load(x + p + 12) * load(y + p + 12);
  }
  for (; p + 4 <= k; p += 4) s0 += load(x + p) * load(y + p);
  float sum = sum_lanes((s0 + s1) + (s2 + s3));
  for (; p < k; ++p) sum += x[p] * y[p];
  return sum;
}

/// c[n] (+)= a[k] · B[k, n], a contiguous.
void row_times(ptrdiff_t n, ptrdiff_t k, const float* a, View b, float* c, bool accumulate) {
  if (b.column == 1 && (n > 1 || b.row != 1)) return row_by_rows(n, k, a, b, c, accumulate);
  for (ptrdiff_t j = 0; j < n; ++j) {
    const float sum = dot(k, a, b.data + j * b.column);
    c[j] = accumulate ? c[j] + sum : sum;
  }
}

void few_rows(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, View a, View b, float* c, ptrdiff_t c_row, bool accumulate,
              Scratch& scratch) {
  float* const copy = a.column == 1 ? nullptr : scratch.take(k);
  for (ptrdiff_t i = 0; i < m; ++i) {
    const float* row = a.data + i * a.row;
    if (copy) {
      for (ptrdiff_t p = 0; p < k; ++p) copy[p] = row[p * a.column];
      row = copy;
    }
    row_times(n, k, row, b, c + i * c_row, accumulate);
  }
}

struct Panels {
  const float* data;  // packed ones
  View b;
  bool all_packed;
  ptrdiff_t k, columns;

  const float* at(ptrdiff_t j, ptrdiff_t& step) const {
    const bool packed = all_packed || columns - j < kPanel;
    step = packed ? kPanel : b.row;
    if (!packed) return b.data + j;
    return all_packed ? data + j * k : data;
  }
};

/// c[m, columns] (+)= a[m, k] · the panels of b.
void multiply_block(ptrdiff_t m, View a, const float* packed_a, const Panels& panels, float* c, ptrdiff_t c_row,
                    bool accumulate) {
  for (ptrdiff_t j = 0; j < panels.columns; j += kPanel) {
    const ptrdiff_t width = std::min(kPanel, panels.columns - j);
    ptrdiff_t step;
    const float* const b = panels.at(j, step);
    for (ptrdiff_t i = 0; i < m; i += kTileRows) {
      const ptrdiff_t rows = std::min(kTileRows, m - i);
      const Source from =
          packed_a ? Source{packed_a + i * panels.k, 1, rows} : Source{a.data + i * a.row, a.row, a.column};
      float* const to = c + i * c_row + j;
      if (width == kPanel) {
        kTiles[rows](panels.k, from, b, step, to, c_row, accumulate);
        continue;
      }
      float part[kTileRows * kPanel];
      kTiles[rows](panels.k, from, b, step, part, kPanel, false);
      for (ptrdiff_t r = 0; r < rows; ++r) {
        for (ptrdiff_t q = 0; q < width; ++q) {
          const float sum = part[r * kPanel + q];
          to[r * c_row + q] = accumulate ? to[r * c_row + q] + sum : sum;
        }
      }
    }
  }
}

}  // namespace

void gemm(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, View a, View b, float* c, ptrdiff_t c_row, bool accumulate,
          Scratch& scratch) {
  if (n == 1 && c_row == 1) {  // a column is a row of the transposed product
    std::swap(m, n);
    const View turned = a.transposed();
    a = b.transposed();
    b = turned;
  }
  if (m <= kFewRows) return few_rows(m, n, k, a, b, c, c_row, accumulate, scratch);

  const bool pack_b = b.column != 1 || b.row > kNearby;
  const bool pack_a = n >= 32 && m > kNearby && (a.column > kNearby || a.row > kNearby);
  const ptrdiff_t most_k = std::min(kBlockK, k), most_columns = pack_b ? std::min(kBlockColumns, n) : kPanel;
  float* const b_packed = scratch.take(int64_t{most_k} * ((most_columns + kPanel - 1) / kPanel * kPanel));
  float* const a_packed = pack_a ? scratch.take(int64_t{most_k} * kBlockRows) : nullptr;
  for (ptrdiff_t j = 0; j < n; j += kBlockColumns) {
    const ptrdiff_t columns = std::min(kBlockColumns, n - j);
    for (ptrdiff_t p = 0; p < k; p += kBlockK) {
      const ptrdiff_t depth = std::min(kBlockK, k - p);
      const View block{b.data + p * b.row + j * b.column, b.row, b.column};
      for (ptrdiff_t q = pack_b ? 0 : columns / kPanel * kPanel; q < columns; q += kPanel) {
        pack_panel(depth, std::min(kPanel, columns - q), {block.data + q * block.column, block.row, block.column},
                   pack_b ? b_packed + q * depth : b_packed);
      }
      for (ptrdiff_t i = 0; i < m; i += kBlockRows) {
        const ptrdiff_t rows = std::min(kBlockRows, m - i);
        const View part{a.data + i * a.row + p * a.column, a.row, a.column};
        if (pack_a) pack_rows(rows, depth, part, a_packed);
        multiply_block(rows, part, a_packed, {b_packed, block, pack_b, depth, columns}, c + i * c_row + j, c_row,
                       accumulate || p > 0);
      }
    }
  }
}

namespace kernels {

void matmul(const params::matmul& p, const Args& args) {
  const int64_t a_size = args.count({p.m, p.k}), b_size = args.count({p.k, p.n}), c_size = args.count({p.m, p.n});
  const ptrdiff_t a_row = p.trans_a ? 1 : p.k, a_column = p.trans_a ? p.m : 1;
  const ptrdiff_t b_row = p.trans_b ? 1 : p.n, b_column = p.trans_b ? p.k : 1;
  if (!p.batched) {
    gemm(p.m, p.n, p.k, View{args.in(0, a_size), a_row, a_column}, View{args.in(1, b_size), b_row, b_column},
         args.out(0, c_size), p.n, false, args.scratch());
    return;
  }
  const Six sizes{1, 1, p.d0, p.d1, p.d2, p.d3};
  const Six a_steps{0, 0, p.a0, p.a1, p.a2, p.a3}, b_steps{0, 0, p.b0, p.b1, p.b2, p.b3};
  const Reach a_reach(sizes, a_steps), b_reach(sizes, b_steps);
  if (a_reach.lowest < 0 || b_reach.lowest < 0) args.fail("reads before the start of a or b");
  const float* const a = args.in(0, a_reach.end - 1 + a_size);
  const float* const b = args.in(1, b_reach.end - 1 + b_size);
  float* c = args.out(0, args.count({p.d0, p.d1, p.d2, p.d3, p.m, p.n}));
  const Axes<2> products(sizes, {a_steps, b_steps});
  const size_t taken = args.scratch().taken();
  products.each_block([&](const auto& at) {
    for (ptrdiff_t i = 0; i < products.rows() * products.columns(); ++i, c += c_size) {
      const ptrdiff_t row = i / products.columns(), column = i % products.columns();
      const auto offset = [&](size_t n) {
        return at[n] + row * products.row_stride(n) + column * products.column_stride(n);
      };
      gemm(p.m, p.n, p.k, View{a + offset(0), a_row, a_column}, View{b + offset(1), b_row, b_column}, c, p.n, false,
           args.scratch());
      args.scratch().return_to(taken);
    }
  });
}

}  // namespace kernels
}  // namespace sg::cpu
