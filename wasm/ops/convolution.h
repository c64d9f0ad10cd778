// Convolutions and pooling, layouts as in PyTorch: x[N, C, L] or x[N, C, H, W].
#pragma once
#include <span>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::ops {

/// A size for each spatial axis, height then width.
struct Pair {
  int h = 1, w = 1;
};
struct Convolution {
  Pair stride{1, 1}, padding{0, 0}, dilation{1, 1};
  int groups = 1;  // C for a depthwise convolution
};

/// y[N, O, H', W'] = the cross-correlation of x[N, C, H, W] with weight[O, C / groups, kh, kw], plus bias[O] (may be
/// undefined).
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Convolution& how = {});
/// y[N, O, L'] = the cross-correlation of x[N, C, L] with weight[O, C / groups, k], plus bias[O]. `causal`: padded by
/// dilation · (k - 1) on the left alone, so that y[t] sees nothing after t and, with stride 1, L' = L.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, int stride = 1, int padding = 0,
              int dilation = 1, int groups = 1, bool causal = false);

/// Windows of `kernel`, `stride` apart; padding counts as -inf, and the gradient goes to the first maximum.
Tensor max_pool2d(const Tensor& x, Pair kernel, Pair stride, Pair padding = {0, 0});
Tensor max_pool1d(const Tensor& x, int kernel, int stride, int padding = 0);
/// Means of windows; padding counts as 0 (count_include_pad).
Tensor avg_pool2d(const Tensor& x, Pair kernel, Pair stride, Pair padding = {0, 0});
Tensor avg_pool1d(const Tensor& x, int kernel, int stride, int padding = 0);
/// Means of windows from floor(i H / h) to ceil((i + 1) H / h), so that the output is h x w.
Tensor adaptive_avg_pool2d(const Tensor& x, Pair size);
Tensor adaptive_avg_pool1d(const Tensor& x, int size);
Tensor adaptive_max_pool2d(const Tensor& x, Pair size);
Tensor adaptive_max_pool1d(const Tensor& x, int size);

}  // namespace sg::ops
