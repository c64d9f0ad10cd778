// Convolutions and pooling in double.
#pragma once
#include "tests/reference/array.h"

namespace sg::reference {

struct Convolution {
  int stride_h = 1, stride_w = 1, top = 0, left = 0, bottom = 0, right = 0, dilation_h = 1, dilation_w = 1, groups = 1;
};
/// x[N, C, H, W] between zeros, weight[O, C / groups, kh, kw], bias[O] or null.
Array conv2d(const Array& x, const Array& weight, const Array* bias, const Convolution& how);

/// Windows along the last two axes of x[N, C, H, W].
struct Pooling {
  int kernel_h, kernel_w, stride_h, stride_w, pad_h = 0, pad_w = 0;
};
Array max_pool2d(const Array& x, const Pooling& how);
Array avg_pool2d(const Array& x, const Pooling& how);
Array adaptive_max_pool2d(const Array& x, int height, int width);
Array adaptive_avg_pool2d(const Array& x, int height, int width);

}  // namespace sg::reference
