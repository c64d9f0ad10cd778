// Convolutions where a group has few output channels, depthwise ones above all: their products of matrices would be
// mostly unrolling. A group's input planes are copied once into planes with their padding, so that no window has an
// edge, and each output row is summed over the taps in registers.
#include <algorithm>

#include "cpu/convolution.h"
#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

/// The padded planes of a group: as high and wide as the outputs reach.
struct Planes {
  ptrdiff_t height, width, floats, rows, columns;  // rows and columns of x that they hold

  explicit Planes(const Convolution& s)
      : height((s.out_height - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1),
        width((s.out_width - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1),
        floats(height * width),
        rows(std::clamp<ptrdiff_t>(height - s.pad_h, 0, s.height)),
        columns(std::clamp<ptrdiff_t>(width - s.pad_w, 0, s.width)) {}

  /// Zeros at first; followed by what the lanes beyond a row's end reach.
  float* take(const Convolution& s, Scratch& scratch) const {
    const int64_t all = int64_t{s.group_channels()} * floats;
    float* const planes = scratch.take(all + 4 * s.stride_w);
    std::fill_n(planes, all + 4 * s.stride_w, 0.0f);
    return planes;
  }
  float* inside(const Convolution& s, float* planes, ptrdiff_t c) const {
    return planes + c * floats + s.pad_h * width + s.pad_w;
  }
  /// Copies a group of x between the zeros.
  void fill(const Convolution& s, const float* x, float* planes) const {
    for (ptrdiff_t c = 0; c < s.group_channels(); ++c, x += s.x_plane()) {
      float* const to = inside(s, planes, c);
      for (ptrdiff_t r = 0; r < rows; ++r) copy(to + r * width, x + r * s.width, columns);
    }
  }
};

template <bool kUnit>
vf load_apart(const float* x, ptrdiff_t step) {
  if constexpr (kUnit) return load(x);
  return vf{x[0], x[step], x[2 * step], x[3 * step]};
}

/// Calls f(offset of a tap in the padded planes) in the weight's order.
template <class F>
void each_tap(const Convolution& s, const Planes& planes, F f) {
  for (ptrdiff_t c = 0; c < s.group_channels(); ++c)
    for (ptrdiff_t h = 0; h < s.kernel_h; ++h)
      for (ptrdiff_t w = 0; w < s.kernel_w; ++w)
        f(c * planes.floats + h * s.dilation_h * planes.width + w * s.dilation_w);
}

/// y[4 * Vectors] = bias + the sum over the taps; x is what the first tap of the first output reads.
template <int Vectors, bool kUnit>
void sum_taps(const Convolution& s, const Planes& planes, const float* x, const float* weight, float bias, float* y) {
  vf sums[Vectors];
  for (vf& sum : sums) sum = splat(bias);
  each_tap(s, planes, [&](ptrdiff_t offset) {
    const vf w = splat(*weight++);
    for (int v = 0; v < Vectors; ++v) sums[v] += w * load_apart<kUnit>(x + offset + 4 * v * s.stride_w, s.stride_w);
  });
  for (int v = 0; v < Vectors; ++v) store(y + 4 * v, sums[v]);
}

/// An output row, written up to three floats beyond its end.
template <bool kUnit>
void sum_row(const Convolution& s, const Planes& planes, const float* x, const float* weight, float bias, float* y) {
  ptrdiff_t i = 0;
  for (; i + 16 <= s.out_width; i += 16) {
    sum_taps<4, kUnit>(s, planes, x + i * s.stride_w, weight, bias, y + i);
  }
  for (; i < s.out_width; i += 4) sum_taps<1, kUnit>(s, planes, x + i * s.stride_w, weight, bias, y + i);
}

/// x[i * step] += scale * dy[i]
template <bool kUnit>
void add_row(ptrdiff_t n, float scale, const float* dy, float* x, ptrdiff_t step) {
  ptrdiff_t i = 0;
  if constexpr (kUnit) {
    const vf w = splat(scale);
    for (; i + 4 <= n; i += 4) store(x + i, load(x + i) + w * load(dy + i));
  }
  for (; i < n; ++i) x[i * step] += scale * dy[i];
}

/// The sum over a plane of dy[r, i] * x[r * stride_h, i * stride_w].
template <bool kUnit>
float dot_planes(const Convolution& s, const Planes& planes, const float* dy, const float* x) {
  vf s0{}, s1{};
  float rest = 0;
  for (ptrdiff_t r = 0; r < s.out_height; ++r, dy += s.out_width, x += s.stride_h * planes.width) {
    ptrdiff_t i = 0;
    for (; i + 8 <= s.out_width; i += 8) {
      s0 += load(dy + i) * load_apart<kUnit>(x + i * s.stride_w, s.stride_w);
      s1 += load(dy + i + 4) * load_apart<kUnit>(x + (i + 4) * s.stride_w, s.stride_w);
    }
    for (; i + 4 <= s.out_width; i += 4) s0 += load(dy + i) * load_apart<kUnit>(x + i * s.stride_w, s.stride_w);
    for (; i < s.out_width; ++i) rest += dy[i] * x[i * s.stride_w];
  }
  return sum_lanes(s0 + s1) + rest;
}

/// f(sample, group, a thread's scratch) for all of them, ranges of groups at once; `fits` where nothing that f writes
/// goes beyond its group.
template <class F>
void each_group(const Convolution& s, const Planes& planes, bool fits, Scratch& scratch, F f) {
  const auto range = [&](ptrdiff_t begin, ptrdiff_t end, Scratch& own) {
    float* const padded = planes.take(s, own);
    for (ptrdiff_t n = 0; n < s.batch; ++n)
      for (ptrdiff_t g = begin; g < end; ++g) f(n, g, padded);
  };
  if (fits)
    parallel(s.groups, 1, s.y_floats * s.taps(), scratch, range);
  else
    range(0, s.groups, scratch);
}

}  // namespace

void convolve_directly(const Convolution& s, const float* x, const float* weight, const float* bias, float* y,
                       Scratch& scratch) {
  const Planes planes(s);
  const auto row = s.stride_w == 1 ? sum_row<true> : sum_row<false>;
  each_group(s, planes, s.out_width % 4 == 0, scratch, [&](ptrdiff_t n, ptrdiff_t g, float* padded_x) {
    planes.fill(s, x + s.x_group(n, g), padded_x);
    float* to = y + s.y_group(n, g);
    for (ptrdiff_t o = g * s.group_outputs(); o < (g + 1) * s.group_outputs(); ++o) {
      for (ptrdiff_t r = 0; r < s.out_height; ++r, to += s.out_width) {
        row(s, planes, padded_x + r * s.stride_h * planes.width, weight + o * s.taps(), bias ? bias[o] : 0, to);
      }
    }
  });
}

void input_gradient_directly(const Convolution& s, const float* dy, const float* weight, float* dx, Scratch& scratch) {
  const Planes planes(s);
  const auto add = s.stride_w == 1 ? add_row<true> : add_row<false>;
  if (planes.rows < s.height || planes.columns < s.width) std::fill_n(dx, s.x_floats, 0.0f);
  each_group(s, planes, true, scratch, [&](ptrdiff_t n, ptrdiff_t g, float* sums) {
    std::fill_n(sums, s.group_channels() * planes.floats, 0.0f);
    const float *from = dy + s.y_group(n, g), *w = weight + s.weight_group(g);
    for (ptrdiff_t o = 0; o < s.group_outputs(); ++o, from += s.y_plane()) {
      each_tap(s, planes, [&](ptrdiff_t offset) {
        float* to = sums + offset;
        for (ptrdiff_t r = 0; r < s.out_height; ++r, to += s.stride_h * planes.width) {
          add(s.out_width, *w, from + r * s.out_width, to, s.stride_w);
        }
        ++w;
      });
    }
    float* to = dx + s.x_group(n, g);
    for (ptrdiff_t c = 0; c < s.group_channels(); ++c, to += s.x_plane()) {
      const float* const inside = planes.inside(s, sums, c);
      for (ptrdiff_t r = 0; r < planes.rows; ++r) copy(to + r * s.width, inside + r * planes.width, planes.columns);
    }
  });
}

void weight_gradient_directly(const Convolution& s, const float* x, const float* dy, float* dweight, Scratch& scratch) {
  const Planes planes(s);
  const auto dot = s.stride_w == 1 ? dot_planes<true> : dot_planes<false>;
  std::fill_n(dweight, s.weight_floats, 0.0f);
  each_group(s, planes, true, scratch, [&](ptrdiff_t n, ptrdiff_t g, float* padded_x) {
    planes.fill(s, x + s.x_group(n, g), padded_x);
    float* to = dweight + s.weight_group(g);
    for (ptrdiff_t o = 0; o < s.group_outputs(); ++o) {
      const float* const from = dy + s.y_group(n, g) + o * s.y_plane();
      each_tap(s, planes, [&](ptrdiff_t offset) { *to++ += dot(s, planes, from, padded_x + offset); });
    }
  });
}

}  // namespace sg::cpu
