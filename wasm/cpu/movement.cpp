// Kernels that move floats about: what is contiguous is copied as a block.
#include <algorithm>

#include "cpu/axes.h"
#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

/// y[n] = scale * x[i * stride]
void copy_row(const float* x, ptrdiff_t stride, float* y, ptrdiff_t n, float scale) {
  if (stride == 1 && scale == 1) {
    copy(y, x, n);
  } else if (stride == 1) {
    each_four(n, [=](ptrdiff_t i) { store(y + i, load(x + i) * scale); });
  } else if (stride == 0) {
    const vf value = splat(*x * scale);
    each_four(n, [=](ptrdiff_t i) { store(y + i, value); });
  } else {
    for (ptrdiff_t i = 0; i < n; ++i) y[i] = x[i * stride] * scale;
  }
}

}  // namespace

namespace kernels {

void strided_copy(const params::strided_copy& p, const Args& args) {
  const Six sizes{p.d0, p.d1, p.d2, p.d3, p.d4, p.d5}, strides{p.s0, p.s1, p.s2, p.s3, p.s4, p.s5};
  const int64_t n = args.count({p.d0, p.d1, p.d2, p.d3, p.d4, p.d5});
  const Reach reach(sizes, strides);
  if (p.offset + reach.lowest < 0) args.fail("reads before the start of x");
  const float* const x = args.in(0, p.offset + reach.end) + p.offset;
  float* y = args.out(0, n);
  const Axes<1> axes(sizes, {strides});
  const ptrdiff_t columns = axes.columns();
  axes.each_block([&](const auto& at) {
    over_rows(axes.rows(), columns, kPlain, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
      for (ptrdiff_t row = begin; row < end; ++row)
        copy_row(x + at[0] + row * axes.row_stride(0), axes.column_stride(0), y + row * columns, columns, p.scale);
    });
    y += axes.rows() * columns;
  });
}

void pad(const params::pad& p, const Args& args) {
  const int64_t last = p.start + (int64_t{p.length} - 1) * p.step;
  if (p.start < 0 || p.length < 0 || p.step < 1 || last >= p.size) args.fail("x does not lie within y");
  const float* x = args.in(0, args.count({p.outer, p.length, p.inner}));
  float* y = args.out(0, args.count({p.outer, p.size, p.inner}));
  const ptrdiff_t inner = p.inner, before = p.start * inner, block = p.length * inner, row = p.size * inner;
  for (int i = 0; i < p.outer; ++i, x += block, y += row) {
    if (p.step > 1) {
      std::fill_n(y, row, p.value);
      for (ptrdiff_t k = 0; k < p.length; ++k) copy(y + before + k * p.step * inner, x + k * inner, inner);
      continue;
    }
    std::fill_n(y, before, p.value);
    copy(y + before, x, block);
    std::fill_n(y + before + block, row - before - block, p.value);
  }
}

void concat(const params::concat& p, const Args& args) {
  const std::array<int, 8> widths{p.w0, p.w1, p.w2, p.w3, p.w4, p.w5, p.w6, p.w7};
  int64_t row = 0;
  for (const int width : widths) row += args.count({width});
  if (row > INT32_MAX) args.fail("a row is too long");
  float* y = args.out(0, args.count({p.outer, static_cast<int>(row)}));
  for (size_t part = 0; part < widths.size(); ++part) {
    const ptrdiff_t width = widths[part];
    if (width == 0) continue;
    const float* const x = args.in(part, args.count({p.outer, widths[part]}));
    parallel(p.outer, 1, kPlain * width * p.outer, args.scratch(), [=](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
      for (ptrdiff_t i = begin; i < end; ++i) copy(y + i * row, x + i * width, width);
    });
    y += width;
  }
}

}  // namespace kernels
}  // namespace sg::cpu
