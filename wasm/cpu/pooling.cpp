// Pooling: every output looks at its window, every gradient goes back to its window, in the order of the outputs.
#include <algorithm>

#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace {

/// A window along one axis: `first` up to `last`, of which `begin` up to `end` lie on the axis.
struct Window {
  ptrdiff_t first, last, begin, end;
  bool is_inside() const { return first == begin && last == end; }
};

struct Axis {
  ptrdiff_t size, outputs, kernel, stride, pad;
  bool adaptive;

  Window window(ptrdiff_t o) const {
    const ptrdiff_t first = adaptive ? static_cast<ptrdiff_t>(int64_t{o} * size / outputs) : o * stride - pad;
    const ptrdiff_t last =
        adaptive ? static_cast<ptrdiff_t>((int64_t{o + 1} * size + outputs - 1) / outputs) : first + kernel;
    return {first, last, std::max<ptrdiff_t>(first, 0), std::min(last, size)};
  }
};

/// The sizes of a pooling, checked.
struct Pooling {
  Axis rows, columns;
  ptrdiff_t planes;
  int64_t x_floats, y_floats;

  template <class P>
  Pooling(const P& p, const Args& args)
      : rows{p.height, p.out_height, p.kernel_h, p.stride_h, p.pad_h, p.adaptive != 0},
        columns{p.width, p.out_width, p.kernel_w, p.stride_w, p.pad_w, p.adaptive != 0},
        planes(p.planes) {
    for (const Axis& axis : {rows, columns}) {
      if (axis.size < 1 || axis.outputs < 1 || axis.kernel < 1 || axis.stride < 1) args.fail("a size below 1");
      const Window last = axis.window(axis.outputs - 1);
      if (axis.pad < 0 || axis.pad >= axis.kernel || last.begin >= last.end) args.fail("a window without an element");
    }
    x_floats = args.count({p.planes, p.height, p.width});
    y_floats = args.count({p.planes, p.out_height, p.out_width});
  }

  /// Calls f(first output, plane's offset in x, the window down) for each row of outputs in order.
  template <class F>
  void each_row(F f) const {
    for (ptrdiff_t row = 0; row < planes * rows.outputs; ++row) {
      f(row * columns.outputs, row / rows.outputs * rows.size * columns.size, rows.window(row % rows.outputs));
    }
  }
  /// Calls f(output, plane's offset in x, its window down, its window across) in the outputs' order.
  template <class F>
  void each(F f) const {
    each_row([&](ptrdiff_t o, ptrdiff_t plane, const Window& down) {
      for (ptrdiff_t c = 0; c < columns.outputs; ++c) f(o + c, plane, down, columns.window(c));
    });
  }
};

/// The maximum of a window of the plane x, and its place.
void maximum(const Pooling& s, const float* x, const Window& down, const Window& across, float* y, float* where) {
  const float* row = x + down.begin * s.columns.size;
  float best = row[across.begin];
  ptrdiff_t found = (down.begin - down.first) * s.columns.kernel + across.begin - across.first;
  for (ptrdiff_t r = down.begin; r < down.end; ++r, row += s.columns.size) {
    const ptrdiff_t place = (r - down.first) * s.columns.kernel - across.first;
    for (ptrdiff_t c = across.begin; c < across.end; ++c) {
      if (row[c] <= best || best != best) continue;  // what is left is larger or the first NaN
      best = row[c];
      found = place + c;
    }
  }
  *y = best;
  *where = static_cast<float>(found);
}

/// The same for four windows side by side that lie within x, without a branch: where maxima lie nobody can foresee.
void maxima_of_four(const Pooling& s, const float* x, const Window& down, const Window& across, float* y,
                    float* where) {
  const ptrdiff_t step = s.columns.stride;
  const auto four = [step](const float* at) { return vf{at[0], at[step], at[2 * step], at[3 * step]}; };
  const float* row = x + down.begin * s.columns.size + across.first;
  float place = static_cast<float>((down.begin - down.first) * s.columns.kernel);
  vf best = four(row), found = splat(place);
  for (ptrdiff_t r = down.begin; r < down.end; ++r, row += s.columns.size) {
    for (ptrdiff_t c = 0; c < s.columns.kernel; ++c, place += 1) {
      const vf v = four(row + c);
      const vi better = ~(v <= best) & (best == best);
      best = select(better, v, best);
      found = select(better, splat(place), found);
    }
  }
  store(y, best);
  store(where, found);
}

}  // namespace

namespace kernels {

void max_pool2d(const params::max_pool2d& p, const Args& args) {
  const Pooling s(p, args);
  const float* const x = args.in(0, s.x_floats);
  float *const y = args.out(0, s.y_floats), *const where = args.out(1, s.y_floats);
  s.each_row([&](ptrdiff_t o, ptrdiff_t plane, const Window& down) {
    for (ptrdiff_t c = 0; c < s.columns.outputs;) {
      const bool four = !p.adaptive && c + 4 <= s.columns.outputs && s.columns.window(c).is_inside() &&
                        s.columns.window(c + 3).is_inside();
      (four ? maxima_of_four : maximum)(s, x + plane, down, s.columns.window(c), y + o + c, where + o + c);
      c += four ? 4 : 1;
    }
  });
}

void max_pool2d_backward(const params::max_pool2d_backward& p, const Args& args) {
  const Pooling s(p, args);
  const float *const dy = args.in(0, s.y_floats), *const where = args.in(1, s.y_floats);
  float* const dx = args.out(0, s.x_floats);
  std::fill_n(dx, s.x_floats, 0.0f);
  s.each([&](ptrdiff_t o, ptrdiff_t plane, const Window& down, const Window& across) {
    if (!(where[o] >= 0 && where[o] < 0x1p24f)) args.fail("where holds what is no place in a window");
    const ptrdiff_t place = static_cast<ptrdiff_t>(where[o]);
    const ptrdiff_t row = down.first + place / s.columns.kernel, column = across.first + place % s.columns.kernel;
    if (row < down.begin || row >= down.end || column < across.begin || column >= across.end)
      args.fail("where holds a place outside of x");
    dx[plane + row * s.columns.size + column] += dy[o];
  });
}

void avg_pool2d(const params::avg_pool2d& p, const Args& args) {
  const Pooling s(p, args);
  const float* const x = args.in(0, s.x_floats);
  float* const y = args.out(0, s.y_floats);
  s.each([&](ptrdiff_t o, ptrdiff_t plane, const Window& down, const Window& across) {
    float sum = 0;
    for (ptrdiff_t r = down.begin; r < down.end; ++r) {
      const float* const row = x + plane + r * s.columns.size;
      float row_sum = 0;
      for (ptrdiff_t c = across.begin; c < across.end; ++c) row_sum += row[c];
      sum += row_sum;
    }
    y[o] = sum / static_cast<float>((down.last - down.first) * (across.last - across.first));
  });
}

void avg_pool2d_backward(const params::avg_pool2d_backward& p, const Args& args) {
  const Pooling s(p, args);
  const float* const dy = args.in(0, s.y_floats);
  float* const dx = args.out(0, s.x_floats);
  std::fill_n(dx, s.x_floats, 0.0f);
  s.each([&](ptrdiff_t o, ptrdiff_t plane, const Window& down, const Window& across) {
    const float share = dy[o] / static_cast<float>((down.last - down.first) * (across.last - across.first));
    for (ptrdiff_t r = down.begin; r < down.end; ++r) {
      float* const row = dx + plane + r * s.columns.size;
      for (ptrdiff_t c = across.begin; c < across.end; ++c) row[c] += share;
    }
  });
}

}  // namespace kernels
}  // namespace sg::cpu
