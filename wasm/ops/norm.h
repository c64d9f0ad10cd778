// Softmax and normalisations.
#pragma once
#include <span>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::ops {

/// exp(x) over its sum along an axis, whatever the size of x; log_softmax is its logarithm.
Tensor softmax(const Tensor& x, int axis);
Tensor log_softmax(const Tensor& x, int axis);
/// log of the sum of exp(x) along an axis.
Tensor logsumexp(const Tensor& x, int axis, bool keepdim = false);

/// (x - mean) / sqrt(var + eps) over the last axis, times weight[D] plus bias[D]; either may be undefined (Ba et al.
/// 2016).
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float eps = 1e-5f);
/// x / sqrt(mean of x² + eps) over the last axis, times weight[D], which may be undefined (Zhang and Sennrich 2019).
Tensor rms_norm(const Tensor& x, const Tensor& weight, float eps = 1e-6f);
/// What a batch norm normalised by: the mean and the variance (over the count, not one less) of each channel, [C].
struct Moments {
  Tensor mean, variance;
};
/// x[N, C, ...] normalised a channel over all other axes, times weight[C] plus bias[C] (Ioffe and Szegedy 2015), either
/// of which may be undefined; `moments`, where given, becomes what it normalised by, for running averages.
Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float eps = 1e-5f,
                  Moments* moments = nullptr);
/// The same with given mean[C] and variance[C], as in evaluation; they get no gradient.
Tensor batch_norm_with(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& weight,
                       const Tensor& bias, float eps = 1e-5f);
/// x[N, C, ...] normalised a sample and group of C / groups channels, times weight[C] plus bias[C], which may be
/// undefined (Wu and He 2018).
Tensor group_norm(const Tensor& x, int groups, const Tensor& weight, const Tensor& bias, float eps = 1e-5f);

}  // namespace sg::ops
