// What the two ways to convolve share: products of matrices over unrolled windows (convolution.cpp), and, where a group
// has few output channels, sums over padded planes (convolution_direct.cpp).
#pragma once
#include "cpu/kernel.h"

namespace sg::cpu {

/// The sizes of a convolution, checked.
struct Convolution {
  ptrdiff_t batch, channels, height, width, out_channels, out_height, out_width, kernel_h, kernel_w;
  ptrdiff_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t x_floats, y_floats, weight_floats;

  template <class P>
  Convolution(const P& p, const Args& args)
      : batch(p.batch),
        channels(p.channels),
        height(p.height),
        width(p.width),
        out_channels(p.out_channels),
        out_height(p.out_height),
        out_width(p.out_width),
        kernel_h(p.kernel_h),
        kernel_w(p.kernel_w),
        stride_h(p.stride_h),
        stride_w(p.stride_w),
        pad_h(p.pad_h),
        pad_w(p.pad_w),
        dilation_h(p.dilation_h),
        dilation_w(p.dilation_w),
        groups(p.groups) {
    if (p.groups < 1 || p.channels % p.groups != 0 || p.out_channels % p.groups != 0)
      args.fail("its channels do not divide into " + std::to_string(p.groups) + " groups");
    if (p.out_height < 1 || p.out_width < 1 || p.kernel_h < 1 || p.kernel_w < 1) args.fail("a size below 1");
    if (p.stride_h < 1 || p.stride_w < 1 || p.dilation_h < 1 || p.dilation_w < 1 || p.pad_h < 0 || p.pad_w < 0)
      args.fail("a stride or a dilation below 1, or a negative padding");
    x_floats = args.count({p.batch, p.channels, p.height, p.width});
    y_floats = args.count({p.batch, p.out_channels, p.out_height, p.out_width});
    weight_floats = args.count({p.out_channels, p.channels / p.groups, p.kernel_h, p.kernel_w});
  }

  ptrdiff_t group_channels() const { return channels / groups; }
  ptrdiff_t group_outputs() const { return out_channels / groups; }
  ptrdiff_t taps() const { return group_channels() * kernel_h * kernel_w; }
  ptrdiff_t x_plane() const { return height * width; }
  ptrdiff_t y_plane() const { return out_height * out_width; }
  /// Where a sample's group begins in x, in y and in the weight.
  ptrdiff_t x_group(ptrdiff_t n, ptrdiff_t g) const { return (n * channels + g * group_channels()) * x_plane(); }
  ptrdiff_t y_group(ptrdiff_t n, ptrdiff_t g) const { return (n * out_channels + g * group_outputs()) * y_plane(); }
  ptrdiff_t weight_group(ptrdiff_t g) const { return g * group_outputs() * taps(); }
};

/// The direct ways; `bias` may be null.
void convolve_directly(const Convolution& s, const float* x, const float* weight, const float* bias, float* y,
                       Scratch& scratch);
void input_gradient_directly(const Convolution& s, const float* dy, const float* weight, float* dx, Scratch& scratch);
void weight_gradient_directly(const Convolution& s, const float* x, const float* dy, float* dweight, Scratch& scratch);

}  // namespace sg::cpu
