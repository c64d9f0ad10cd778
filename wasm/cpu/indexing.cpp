// Kernels that pick elements: by a condition, by where a maximum is, by indices; and running sums.
#include <algorithm>
#include <array>
#include <cstdio>

#include "cpu/axes.h"
#include "cpu/kernel.h"
#include "cpu/special.h"

namespace sg::cpu {
namespace {

/// The row that an index names.
ptrdiff_t row_at(float index, int size, const Args& args) {
  if (index >= 0 && index < static_cast<float>(size) && floor(index) == index) return static_cast<ptrdiff_t>(index);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(index));
  args.fail("the index " + std::string(text.data()) + " is none of 0 to " + std::to_string(size - 1));
}

/// The first row of a window, from the two halves of its number.
ptrdiff_t start_at(const float* halves, const params::windows& p, const Args& args) {
  const double named = 4096 * double{halves[0]} + double{halves[1]}, row = named + p.first;
  if (named >= 0 && row >= 0 && row <= double(p.rows) - p.time && floor(halves[0]) == halves[0] &&
      floor(halves[1]) == halves[1])
    return static_cast<ptrdiff_t>(row);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", row);
  args.fail("the window of " + std::to_string(p.time) + " rows at row " + std::string(text.data()) +
            " is not within the " + std::to_string(p.rows) + " rows");
}

/// to[n] += from[n], to not past its end.
void add_row(float* to, const float* from, ptrdiff_t n) {
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) store(to + i, load(to + i) + load(from + i));
  for (; i < n; ++i) to[i] += from[i];
}

/// Running sums of `columns` neighbours, kept in double: along a long axis a float would lose what it adds.
template <ptrdiff_t columns>
void run_sums(const float* x, float* y, ptrdiff_t size, ptrdiff_t stride) {
  std::array<double, static_cast<size_t>(columns)> sums{};
  for (; size > 0; --size, x += stride, y += stride) {
    for (ptrdiff_t i = 0; i < columns; ++i) {
      sums[static_cast<size_t>(i)] += static_cast<double>(x[i]);
      y[i] = static_cast<float>(sums[static_cast<size_t>(i)]);
    }
  }
}

ptrdiff_t first_maximum(const float* x, ptrdiff_t n, ptrdiff_t stride) {
  ptrdiff_t found = 0;
  for (ptrdiff_t i = 1; i < n && x[found * stride] == x[found * stride]; ++i) {
    const float v = x[i * stride];
    if (v > x[found * stride] || v != v) found = i;
  }
  return found;
}

}  // namespace

namespace kernels {

void where(const params::where& p, const Args& args) {
  const int64_t n = args.count({p.d0, p.d1, p.d2, p.d3, p.d4, p.d5});
  float* y = args.out(0, n);
  if (p.same) {
    const float *condition = args.in(0, n), *a = args.in(1, n), *b = args.in(2, n);
    each_four(static_cast<ptrdiff_t>(n),
              [=](ptrdiff_t i) { store(y + i, choose(load(condition + i), load(a + i), load(b + i))); });
    return;
  }
  const Six sizes{p.d0, p.d1, p.d2, p.d3, p.d4, p.d5};
  const std::array<Six, 3> strides{{{p.c0, p.c1, p.c2, p.c3, p.c4, p.c5},
                                    {p.a0, p.a1, p.a2, p.a3, p.a4, p.a5},
                                    {p.b0, p.b1, p.b2, p.b3, p.b4, p.b5}}};
  std::array<const float*, 3> inputs{};
  for (size_t i = 0; i < 3; ++i) {
    const Reach reach(sizes, strides[i]);
    if (reach.lowest < 0) args.fail("a stride is negative");
    inputs[i] = args.in(i, reach.end);
  }
  const Axes<3> axes(sizes, strides);
  const ptrdiff_t columns = axes.columns(), sc = axes.column_stride(0), sa = axes.column_stride(1),
                  sb = axes.column_stride(2);
  axes.each_block([&](const auto& at) {
    for (ptrdiff_t r = 0; r < axes.rows(); ++r, y += columns) {
      const float* condition = inputs[0] + at[0] + r * axes.row_stride(0);
      const float* a = inputs[1] + at[1] + r * axes.row_stride(1);
      const float* b = inputs[2] + at[2] + r * axes.row_stride(2);
      for (ptrdiff_t i = 0; i < columns; ++i) y[i] = condition[i * sc] != 0 ? a[i * sa] : b[i * sb];
    }
  });
}

void argmax(const params::argmax& p, const Args& args) {
  const float* x = args.in(0, args.count({p.outer, p.reduce, p.inner}));
  float* y = args.out(0, args.count({p.outer, p.inner}));
  for (ptrdiff_t o = 0; o < p.outer; ++o, x += ptrdiff_t{p.reduce} * p.inner) {
    for (ptrdiff_t i = 0; i < p.inner; ++i) *y++ = static_cast<float>(first_maximum(x + i, p.reduce, p.inner));
  }
}

void cumsum(const params::cumsum& p, const Args& args) {
  const int64_t n = args.count({p.outer, p.size, p.inner});
  const float* x = args.in(0, n);
  float* y = args.out(0, n);
  const ptrdiff_t block = ptrdiff_t{p.size} * p.inner, start = p.reverse ? block - p.inner : 0;
  const ptrdiff_t stride = p.reverse ? -p.inner : p.inner;
  for (ptrdiff_t o = 0; o < p.outer; ++o, x += block, y += block) {
    ptrdiff_t i = 0;
    for (; i + 8 <= p.inner; i += 8) run_sums<8>(x + start + i, y + start + i, p.size, stride);
    for (; i < p.inner; ++i) run_sums<1>(x + start + i, y + start + i, p.size, stride);
  }
}

void gather(const params::gather& p, const Args& args) {
  const int64_t picked = args.count({p.outer, p.count, p.inner});
  const float* x = args.in(0, args.count({p.outer, p.size, p.inner}));
  const float* index = args.in(1, p.rows ? args.count({p.outer, p.count}) : picked);
  float* y = args.out(0, picked);
  const ptrdiff_t inner = p.inner, block = ptrdiff_t{p.size} * inner;
  for (ptrdiff_t o = 0; o < p.outer; ++o, x += block) {
    for (ptrdiff_t k = 0; k < p.count; ++k, y += inner) {
      if (p.rows) {
        copy(y, x + row_at(*index++, p.size, args) * inner, inner);
        continue;
      }
      for (ptrdiff_t i = 0; i < inner; ++i) y[i] = x[row_at(*index++, p.size, args) * inner + i];
    }
  }
}

void scatter_add(const params::scatter_add& p, const Args& args) {
  const int64_t picked = args.count({p.outer, p.count, p.inner}), all = args.count({p.outer, p.size, p.inner});
  const float* dy = args.in(0, picked);
  const float* index = args.in(1, p.rows ? args.count({p.outer, p.count}) : picked);
  float* dx = args.out(0, all);
  std::fill_n(dx, all, 0.0f);
  const ptrdiff_t inner = p.inner, block = ptrdiff_t{p.size} * inner;
  for (ptrdiff_t o = 0; o < p.outer; ++o, dx += block) {
    for (ptrdiff_t k = 0; k < p.count; ++k, dy += inner) {
      if (p.rows) {
        add_row(dx + row_at(*index++, p.size, args) * inner, dy, inner);
        continue;
      }
      for (ptrdiff_t i = 0; i < inner; ++i) dx[row_at(*index++, p.size, args) * inner + i] += dy[i];
    }
  }
}

void windows(const params::windows& p, const Args& args) {
  const float *const x = args.in(0, args.count({p.rows, p.width})), *const starts =
                                                                        args.in(1, args.count({p.count, 2}));
  const ptrdiff_t extent = static_cast<ptrdiff_t>(args.count({p.time, p.width}));
  float* y = args.out(0, args.count({p.count, p.time, p.width}));
  for (ptrdiff_t n = 0; n < p.count; ++n, y += extent)
    std::copy_n(x + start_at(starts + 2 * n, p, args) * p.width, extent, y);
}

}  // namespace kernels
}  // namespace sg::cpu
