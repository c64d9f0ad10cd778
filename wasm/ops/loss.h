// Losses, each the mean over what counts. With sample weights w[N] (may be undefined) it is the weighted mean over the
// first axis: Σ w[n] loss[n] / Σ w[n], where loss[n] is the mean over the sample's elements; 0 where the weights sum to
// 0. Weights carry no gradient.
#pragma once
#include <span>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::ops {

/// (torch.nn.functional.mse_loss, l1_loss, huber_loss) of input and target of one shape.
Tensor mse_loss(const Tensor& input, const Tensor& target, const Tensor& sample_weight = {});
Tensor l1_loss(const Tensor& input, const Tensor& target, const Tensor& sample_weight = {});
Tensor huber_loss(const Tensor& input, const Tensor& target, float delta = 1, const Tensor& sample_weight = {});
constexpr int kMostQuantiles = 16;
/// Pinball loss of several quantiles in (0, 1) at once (Koenker and Bassett 1978): input[..., Q], target[...]; the mean
/// over Q of max(q e, (q - 1) e) with e = target - input.
Tensor quantile_loss(const Tensor& input, const Tensor& target, std::span<const float> quantiles,
                     const Tensor& sample_weight = {});
/// torch.nn.functional.gaussian_nll_loss, full: (log(var) + (input - target)² / var + log 2π) / 2, var clamped from
/// below at eps; var broadcasts to input's shape. The gradient to var goes past the clamp, as in PyTorch.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, float eps = 1e-6f,
                         const Tensor& sample_weight = {});
/// The negative log likelihood of torch.distributions.StudentT(df, loc, scale), which broadcast to target's shape; df
/// may learn.
Tensor student_t_nll_loss(const Tensor& loc, const Tensor& scale, const Tensor& df, const Tensor& target,
                          const Tensor& sample_weight = {});
/// torch.nn.functional.binary_cross_entropy_with_logits; pos_weight multiplies the positive part. Exact for logits of
/// any size.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, float pos_weight = 1,
                                        const Tensor& sample_weight = {});

constexpr int kIgnoreIndex = -100;
struct CrossEntropy {
  float label_smoothing = 0;
  Tensor class_weight = {};         // [C]
  int ignore_index = kIgnoreIndex;  // targets of this class do not count
  Tensor sample_weight = {};        // of target's shape
};
/// torch.nn.functional.cross_entropy: logits[N, C], target[N] of whole numbers; the mean is over the weights of the
/// targets that count. All targets ignored, or weights that sum to 0: 0, where PyTorch gives NaN. A target that is no
/// class is an error on cpu and NaN on webgl.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropy& how = {});

}  // namespace sg::ops
