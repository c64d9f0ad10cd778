// Pooling: every output looks at its window, every gradient goes back to its window, in the order of the outputs.
#include <algorithm>

#include "cpu/ranges.h"

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

  ptrdiff_t x_plane() const { return rows.size * columns.size; }
  /// f(begin, end) for ranges of planes.
  template <class F>
  void over_planes(Scratch& scratch, F f) const {
    parallel(planes, 1, (x_floats + y_floats) * kPlain, scratch,
             [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) { f(begin, end); });
  }
  /// Calls f(first output, plane's offset in x, the window down) for each row of the planes' outputs in order.
  template <class F>
  void each_row(ptrdiff_t begin, ptrdiff_t end, F f) const {
    for (ptrdiff_t row = begin * rows.outputs; row < end * rows.outputs; ++row) {
      f(row * columns.outputs, row / rows.outputs * x_plane(), rows.window(row % rows.outputs));
    }
  }
  /// Calls f(output, plane's offset in x, its window down, its window across) in the outputs' order, planes at once.
  template <class F>
  void each(Scratch& scratch, F f) const {
    over_planes(scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
      each_row(begin, end, [&](ptrdiff_t o, ptrdiff_t plane, const Window& down) {
        for (ptrdiff_t c = 0; c < columns.outputs; ++c) f(o + c, plane, down, columns.window(c));
      });
    });
  }
  /// Windows of 2 x 2 beside each other, all within x.
  bool is_halving() const {
    const auto halves = [](const Axis& a) {
      return a.kernel == 2 && a.stride == 2 && a.pad == 0 && !a.adaptive && 2 * a.outputs <= a.size;
    };
    return halves(rows) && halves(columns);
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

/// at[0], at[step], at[2 step] and at[3 step]; Step is step where it is 1 or 2. May read one float beyond the last.
template <int Step>
vf four_apart(const float* at, ptrdiff_t step) {
  if constexpr (Step == 1) return load(at);
  if constexpr (Step == 2) return __builtin_shufflevector(load(at), load(at + 4), 0, 2, 4, 6);
  return vf{at[0], at[step], at[2 * step], at[3 * step]};
}

/// v where it is larger than the best, or the first NaN, with its place.
void take_better(vf v, float place, vf& best, vf& found) {
  const vi better = ~(v <= best) & (best == best);
  best = select(better, v, best);
  found = select(better, splat(place), found);
}

/// The same for four windows side by side that lie within x, without a branch: where maxima lie nobody can foresee.
template <int Step>
void maxima_of_four(const Pooling& s, const float* x, const Window& down, const Window& across, float* y,
                    float* where) {
  const ptrdiff_t step = s.columns.stride;
  const auto four = [step](const float* at) { return four_apart<Step>(at, step); };
  const float* row = x + down.begin * s.columns.size + across.first;
  float place = static_cast<float>((down.begin - down.first) * s.columns.kernel);
  vf best = four(row), found = splat(place);
  for (ptrdiff_t r = down.begin; r < down.end; ++r, row += s.columns.size) {
    for (ptrdiff_t c = 0; c < s.columns.kernel; ++c, place += 1) {
      take_better(four(row + c), place, best, found);
    }
  }
  store(y, best);
  store(where, found);
}

/// The maxima of n windows of 2 x 2, four at a time; n is at least 4, and the last four may be some of those before.
void maxima_of_halves(const float* top, const float* bottom, ptrdiff_t n, float* y, float* where) {
  for (ptrdiff_t next = 0; next < n; next += 4) {
    const ptrdiff_t c = std::min(next, n - 4);
    const auto even = [c](const float* row) {
      return __builtin_shufflevector(load(row + 2 * c), load(row + 2 * c + 4), 0, 2, 4, 6);
    };
    const auto odd = [c](const float* row) {
      return __builtin_shufflevector(load(row + 2 * c), load(row + 2 * c + 4), 1, 3, 5, 7);
    };
    vf best = even(top), found{};
    take_better(odd(top), 1, best, found);
    take_better(even(bottom), 2, best, found);
    take_better(odd(bottom), 3, best, found);
    store(y + c, best);
    store(where + c, found);
  }
}

/// A row of gradients goes to where the maxima of windows of 2 x 2 are, which write both of their rows of x as a whole.
/// False where a place is none of 0 to 3. n is at least 4.
bool put_in_halves(const float* dy, const float* where, ptrdiff_t n, float* top, float* bottom) {
  vi wrong{};
  for (ptrdiff_t next = 0; next < n; next += 4) {
    const ptrdiff_t c = std::min(next, n - 4);
    const vf d = load(dy + c), w = load(where + c), zero = splat(0);
    const auto at = [=](float place) { return w == splat(place); };
    const auto interleave = [](vf even, vf odd, float* to) {
      store(to, __builtin_shufflevector(even, odd, 0, 4, 1, 5));
      store(to + 4, __builtin_shufflevector(even, odd, 2, 6, 3, 7));
    };
    interleave(select(at(0), d, zero), select(at(1), d, zero), top + 2 * c);
    interleave(select(at(2), d, zero), select(at(3), d, zero), bottom + 2 * c);
    wrong |= ~(at(0) | at(1) | at(2) | at(3));
  }
  return (wrong[0] | wrong[1] | wrong[2] | wrong[3]) == 0;
}

}  // namespace

namespace kernels {

void max_pool2d(const params::max_pool2d& p, const Args& args) {
  const Pooling s(p, args);
  const float* const x = args.in(0, s.x_floats);
  float *const y = args.out(0, s.y_floats), *const where = args.out(1, s.y_floats);
  const auto maxima = s.columns.stride == 1   ? maxima_of_four<1>
                      : s.columns.stride == 2 ? maxima_of_four<2>
                                              : maxima_of_four<0>;
  s.over_planes(args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    s.each_row(begin, end, [&](ptrdiff_t o, ptrdiff_t plane, const Window& down) {
      if (s.is_halving() && s.columns.outputs >= 4) {
        const float* const top = x + plane + down.first * s.columns.size;
        return maxima_of_halves(top, top + s.columns.size, s.columns.outputs, y + o, where + o);
      }
      for (ptrdiff_t c = 0; c < s.columns.outputs;) {
        const bool four = !p.adaptive && c + 4 <= s.columns.outputs && s.columns.window(c).is_inside() &&
                          s.columns.window(c + 3).is_inside();
        (four ? maxima : maximum)(s, x + plane, down, s.columns.window(c), y + o + c, where + o + c);
        c += four ? 4 : 1;
      }
    });
  });
}

void max_pool2d_backward(const params::max_pool2d_backward& p, const Args& args) {
  const Pooling s(p, args);
  const float *const dy = args.in(0, s.y_floats), *const where = args.in(1, s.y_floats);
  float* const dx = args.out(0, s.x_floats);
  const auto put = [&](ptrdiff_t o, ptrdiff_t plane, const Window& down, const Window& across) {
    if (!(where[o] >= 0 && where[o] < 0x1p24f)) args.fail("where holds what is no place in a window");
    const ptrdiff_t place = static_cast<ptrdiff_t>(where[o]);
    const ptrdiff_t row = down.first + place / s.columns.kernel, column = across.first + place % s.columns.kernel;
    if (row < down.begin || row >= down.end || column < across.begin || column >= across.end)
      args.fail("where holds a place outside of x");
    dx[plane + row * s.columns.size + column] += dy[o];
  };
  const ptrdiff_t width = s.columns.size, outputs = s.columns.outputs;
  s.over_planes(args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    const bool halves = s.is_halving() && outputs >= 4;
    const bool filled = !halves || 2 * s.rows.outputs < s.rows.size || 2 * outputs < width;
    if (filled) std::fill_n(dx + begin * s.x_plane(), (end - begin) * s.x_plane(), 0.0f);
    s.each_row(begin, end, [&](ptrdiff_t o, ptrdiff_t plane, const Window& down) {
      if (halves) {
        float* const top = dx + plane + down.first * width;
        if (put_in_halves(dy + o, where + o, outputs, top, top + width)) return;
        std::fill_n(top, 2 * width, 0.0f);
      }
      for (ptrdiff_t c = 0; c < outputs; ++c) put(o + c, plane, down, s.columns.window(c));
    });
  });
}

void avg_pool2d(const params::avg_pool2d& p, const Args& args) {
  const Pooling s(p, args);
  const float* const x = args.in(0, s.x_floats);
  float* const y = args.out(0, s.y_floats);
  s.each(args.scratch(), [&](ptrdiff_t o, ptrdiff_t plane, const Window& down, const Window& across) {
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
  s.each(args.scratch(), [&](ptrdiff_t o, ptrdiff_t plane, const Window& down, const Window& across) {
    const float share = dy[o] / static_cast<float>((down.last - down.first) * (across.last - across.first));
    for (ptrdiff_t r = down.begin; r < down.end; ++r) {
      float* const row = dx + plane + r * s.columns.size;
      for (ptrdiff_t c = across.begin; c < across.end; ++c) row[c] += share;
    }
  });
}

}  // namespace kernels
}  // namespace sg::cpu
