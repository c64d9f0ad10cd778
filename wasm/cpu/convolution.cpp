// Convolutions as products of matrices. The windows of a block of output positions are unrolled into the columns of a
// matrix [taps, positions] (im2col), which is kept small enough to stay in a cache; a tap is an input channel and a
// place in the kernel. A kernel of 1 x 1 needs no unrolling: x is that matrix.
#include "cpu/convolution.h"

#include <algorithm>

#include "cpu/gemm.h"
#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

constexpr ptrdiff_t kFewOutputs = 3;          // channels a group, up to which tiles of a product stay empty
constexpr ptrdiff_t kColumnFloats = 1 << 16;  // about what a block of columns takes
constexpr ptrdiff_t kMostPositions = 248, kFewestPositions = 64;  // gemm reads B in place where its rows are this near

bool is_direct(const Convolution& s) { return s.group_outputs() <= kFewOutputs; }

/// x itself is the matrix of columns.
bool is_pointwise(const Convolution& s) {
  return s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pad_h == 0 && s.pad_w == 0 &&
         s.out_height == s.height && s.out_width == s.width;
}

/// How output positions are cut into blocks, and how far apart the rows of a block's columns lie.
struct Blocks {
  ptrdiff_t width, row;

  explicit Blocks(const Convolution& s) {
    const ptrdiff_t most =
        std::clamp(kColumnFloats / std::max<ptrdiff_t>(1, s.taps()), kFewestPositions, kMostPositions);
    const ptrdiff_t count = std::max<ptrdiff_t>(1, (s.y_plane() + most - 1) / most);
    width = ((s.y_plane() + count - 1) / count + 7) / 8 * 8;
    row = width % 64 == 0 ? width + 8 : width;  // rows a power of two apart would fall into the same lines of a cache
  }
};

/// A stretch of a block within one output row: `count` positions from `at` on, of which `first` up to `last` lie within
/// x, the one at `first` reading the float `from` of the plane.
struct Run {
  ptrdiff_t at, count, first, last, from;
};

/// Calls f(run) for the runs of one tap over the positions start .. start + count - 1.
template <class F>
void each_run(const Convolution& s, ptrdiff_t h, ptrdiff_t w, ptrdiff_t start, ptrdiff_t count, F f) {
  ptrdiff_t row = start / s.out_width, column = start % s.out_width;
  // The output columns for which the tap lies within x: not divided for anew in each row.
  const ptrdiff_t x0 = w * s.dilation_w - s.pad_w;
  const ptrdiff_t lowest = x0 < 0 ? (-x0 + s.stride_w - 1) / s.stride_w : 0;
  const ptrdiff_t highest = x0 < s.width ? (s.width - 1 - x0) / s.stride_w + 1 : 0;
  for (ptrdiff_t at = 0; at < count; ++row, column = 0) {
    const ptrdiff_t n = std::min(s.out_width - column, count - at);
    const ptrdiff_t y = row * s.stride_h - s.pad_h + h * s.dilation_h;
    Run run{at, n, n, n, 0};
    if (y >= 0 && y < s.height) {
      run.first = std::clamp<ptrdiff_t>(lowest - column, 0, n);
      run.last = std::clamp(highest - column, run.first, n);
      run.from = y * s.width + x0 + (column + run.first) * s.stride_w;
    }
    f(run);
    at += n;
  }
}

/// to[0 .. n) = 0; may write three more.
void clear_run(float* to, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; i += 4) store(to + i, splat(0));
}

/// to[0 .. n) = from[i * step]; may write three more.
void copy_run(const float* from, ptrdiff_t step, float* to, ptrdiff_t n) {
  if (step == 1) {
    for (ptrdiff_t i = 0; i < n; i += 4) store(to + i, load(from + i));
  } else {
    for (ptrdiff_t i = 0; i < n; ++i) to[i] = from[i * step];
  }
}

/// to[i * step] += from[0 .. n)
void add_run(const float* from, float* to, ptrdiff_t step, ptrdiff_t n) {
  ptrdiff_t i = 0;
  if (step == 1) {
    for (; i + 4 <= n; i += 4) store(to + i, load(to + i) + load(from + i));
  }
  for (; i < n; ++i) to[i * step] += from[i];
}

/// A part of the work: some samples, and some of each group's input channels.
struct Part {
  ptrdiff_t first_sample, last_sample, first_channel, last_channel;
  ptrdiff_t taps(const Convolution& s) const { return (last_channel - first_channel) * s.kernel_h * s.kernel_w; }
};

template <class F>
void each_tap(const Convolution& s, const Part& part, F f) {
  for (ptrdiff_t c = part.first_channel; c < part.last_channel; ++c)
    for (ptrdiff_t h = 0; h < s.kernel_h; ++h)
      for (ptrdiff_t w = 0; w < s.kernel_w; ++w) f(c, h, w);
}

/// columns[taps, count] = what each tap reads for each position; x begins at the group. Written from front to back.
void unroll(const Convolution& s, const Part& part, const float* x, ptrdiff_t start, ptrdiff_t count, float* columns,
            ptrdiff_t row) {
  each_tap(s, part, [&](ptrdiff_t c, ptrdiff_t h, ptrdiff_t w) {
    const float* const plane = x + c * s.x_plane();
    each_run(s, h, w, start, count, [&](const Run& run) {
      float* const to = columns + run.at;
      clear_run(to, run.first);
      copy_run(plane + run.from, s.stride_w, to + run.first, run.last - run.first);
      clear_run(to + run.last, run.count - run.last);
    });
    columns += row;
  });
}

/// Adds each column's floats to where they were read from (col2im).
void roll_up(const Convolution& s, const Part& part, const float* columns, ptrdiff_t row, ptrdiff_t start,
             ptrdiff_t count, float* dx) {
  each_tap(s, part, [&](ptrdiff_t c, ptrdiff_t h, ptrdiff_t w) {
    float* const plane = dx + c * s.x_plane();
    each_run(s, h, w, start, count, [&](const Run& run) {
      add_run(columns + run.at + run.first, plane + run.from, s.stride_w, run.last - run.first);
    });
    columns += row;
  });
}

/// Calls f(sample, group, first position, positions, columns as a matrix) for each block of a part; the columns hold x
/// where it is given. What f takes from the scratch is given back.
template <class F>
void each_block(const Convolution& s, const Part& part, const float* x, Scratch& scratch, F f) {
  const bool pointwise = is_pointwise(s);
  const Blocks blocks(s);
  float* const columns = pointwise ? nullptr : scratch.take(int64_t{part.taps(s)} * blocks.row);
  const ptrdiff_t width = pointwise ? s.y_plane() : blocks.width;
  const size_t taken = scratch.taken();
  for (ptrdiff_t g = 0; g < s.groups; ++g) {
    for (ptrdiff_t n = part.first_sample; n < part.last_sample; ++n) {
      for (ptrdiff_t start = 0; start < s.y_plane(); start += width) {
        const ptrdiff_t count = std::min(width, s.y_plane() - start);
        if (!pointwise && x) unroll(s, part, x + s.x_group(n, g), start, count, columns, blocks.row);
        f(n, g, start, count, columns, blocks.row);
        scratch.return_to(taken);
      }
    }
  }
}

/// f(a part, a thread's scratch) for ranges of samples.
template <class F>
void over_samples(const Convolution& s, Scratch& scratch, F f) {
  parallel(s.batch, 1, s.y_floats * s.taps(), scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch& own) {
    f(Part{begin, end, 0, s.group_channels()}, own);
  });
}

void convolve(const Convolution& s, const float* x, const float* weight, const float* bias, float* y,
              Scratch& scratch) {
  const ptrdiff_t outputs = s.group_outputs(), taps = s.taps(), plane = s.y_plane();
  over_samples(s, scratch, [&](const Part& part, Scratch& own) {
    each_block(
        s, part, x, own,
        [&](ptrdiff_t n, ptrdiff_t g, ptrdiff_t start, ptrdiff_t count, const float* columns, ptrdiff_t row) {
          float* const to = y + s.y_group(n, g) + start;
          for (ptrdiff_t o = 0; bias && o < outputs; ++o) std::fill_n(to + o * plane, count, bias[g * outputs + o]);
          const View b = columns ? View{columns, row, 1} : View{x + s.x_group(n, g), plane, 1};
          gemm(outputs, count, taps, View{weight + s.weight_group(g), taps, 1}, b, to, plane, bias != nullptr, own);
        });
  });
}

/// dX = Wᵀ · dY in columns, rolled up.
void input_gradient(const Convolution& s, const float* dy, const float* weight, float* dx, Scratch& scratch) {
  const ptrdiff_t taps = s.taps(), plane = s.y_plane(), sample = s.channels * s.x_plane();
  over_samples(s, scratch, [&](const Part& part, Scratch& own) {
    if (!is_pointwise(s))
      std::fill_n(dx + part.first_sample * sample, (part.last_sample - part.first_sample) * sample, 0.0f);
    each_block(s, part, nullptr, own,
               [&](ptrdiff_t n, ptrdiff_t g, ptrdiff_t start, ptrdiff_t count, float* columns, ptrdiff_t row) {
                 float* const to = dx + s.x_group(n, g);
                 gemm(taps, count, s.group_outputs(), View{weight + s.weight_group(g), 1, taps},
                      View{dy + s.y_group(n, g) + start, plane, 1}, columns ? columns : to, columns ? row : plane,
                      false, own);
                 if (columns) roll_up(s, part, columns, row, start, count, to);
               });
  });
}

/// dWᵀ[taps, outputs] of some channels of a group = the sum over samples and blocks of columns · dYᵀ: the smaller of
/// the two is what gemm has to turn.
void weight_gradient_of(const Convolution& s, const Part& part, const float* x, const float* dy, float* dweight,
                        Scratch& scratch) {
  const ptrdiff_t outputs = s.group_outputs(), taps = part.taps(s), plane = s.y_plane();
  float* const turned = scratch.take(int64_t{taps} * outputs);
  each_block(s, part, x, scratch,
             [&](ptrdiff_t n, ptrdiff_t g, ptrdiff_t start, ptrdiff_t count, const float* columns, ptrdiff_t row) {
               const View a = columns ? View{columns, row, 1}
                                      : View{x + s.x_group(n, g) + part.first_channel * s.x_plane(), plane, 1};
               gemm(taps, outputs, count, a, View{dy + s.y_group(n, g) + start, 1, plane}, turned, outputs,
                    n > 0 || start > 0, scratch);
               if (n < s.batch - 1 || start + count < plane) return;
               float* const to = dweight + s.weight_group(g) + part.first_channel * s.kernel_h * s.kernel_w;
               for (ptrdiff_t o = 0; o < outputs; ++o)
                 for (ptrdiff_t t = 0; t < taps; ++t) to[o * s.taps() + t] = turned[t * outputs + o];
             });
}

/// How many taps a product of the gradient to the weight has at least, where there are as many: sizes alone decide,
/// since the order of a product's sums depends on its size.
constexpr ptrdiff_t kTapsAtOnce = 64;

void weight_gradient(const Convolution& s, const float* x, const float* dy, float* dweight, Scratch& scratch) {
  const ptrdiff_t kernel = s.kernel_h * s.kernel_w, channels = (kTapsAtOnce + kernel - 1) / kernel;
  const ptrdiff_t parts = (s.group_channels() + channels - 1) / channels;
  parallel(parts, 1, s.y_floats * s.taps(), scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch& own) {
    const size_t taken = own.taken();
    for (ptrdiff_t i = begin; i < end; ++i) {
      const Part part{0, s.batch, i * channels, std::min(s.group_channels(), (i + 1) * channels)};
      weight_gradient_of(s, part, x, dy, dweight, own);
      own.return_to(taken);
    }
  });
}

}  // namespace

namespace kernels {

void conv2d(const params::conv2d& p, const Args& args) {
  const Convolution s(p, args);
  const float *const x = args.in(0, s.x_floats), *const weight = args.in(1, s.weight_floats);
  const float* const bias = p.has_bias ? args.in(2, s.out_channels) : nullptr;
  (is_direct(s) ? convolve_directly : convolve)(s, x, weight, bias, args.out(0, s.y_floats), args.scratch());
}

void conv2d_backward_input(const params::conv2d_backward_input& p, const Args& args) {
  const Convolution s(p, args);
  const float *const dy = args.in(0, s.y_floats), *const weight = args.in(1, s.weight_floats);
  (is_direct(s) ? input_gradient_directly : input_gradient)(s, dy, weight, args.out(0, s.x_floats), args.scratch());
}

void conv2d_backward_weight(const params::conv2d_backward_weight& p, const Args& args) {
  const Convolution s(p, args);
  const float *const x = args.in(0, s.x_floats), *const dy = args.in(1, s.y_floats);
  (is_direct(s) ? weight_gradient_directly : weight_gradient)(s, x, dy, args.out(0, s.weight_floats), args.scratch());
}

}  // namespace kernels
}  // namespace sg::cpu
