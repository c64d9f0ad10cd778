#include "nn/convolution.h"

#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {
namespace {

/// 1 / √fan_in, for the weights' sizes [out, in / groups, ...] checked.
float bound(const char* layer, int in, int out, int groups, ops::Pair kernel) {
  SG_CHECK(in > 0 && out > 0 && groups > 0 && kernel.h > 0 && kernel.w > 0,
           std::string(layer) + ": channels, groups and kernel must be above 0");
  SG_CHECK(in % groups == 0 && out % groups == 0, std::string(layer) + ": " + std::to_string(in) + " and " +
                                                      std::to_string(out) + " channels do not divide into " +
                                                      std::to_string(groups) + " groups");
  const int64_t fan_in = int64_t{in / groups} * kernel.h * kernel.w;
  return 1.0f / std::sqrt(static_cast<float>(fan_in));
}

}  // namespace

Conv1d::Conv1d(Init& init, int in, int out, int kernel, const Conv1dConfig& config) : config_(config) {
  const float most = bound("Conv1d", in, out, config.groups, {1, kernel});
  weight_ = parameter("weight", init.uniform({out, in / config.groups, kernel}, most));
  if (config.bias) bias_ = parameter("bias", init.uniform({out}, most));
}

Tensor Conv1d::forward(const Tensor& x, Context&) const {
  return ops::conv1d(x, weight_, bias_, config_.stride, config_.padding, config_.dilation, config_.groups,
                     config_.causal);
}

Conv2d::Conv2d(Init& init, int in, int out, ops::Pair kernel, const ops::Convolution& how, bool bias) : how_(how) {
  const float most = bound("Conv2d", in, out, how.groups, kernel);
  weight_ = parameter("weight", init.uniform({out, in / how.groups, kernel.h, kernel.w}, most));
  if (bias) bias_ = parameter("bias", init.uniform({out}, most));
}

Tensor Conv2d::forward(const Tensor& x, Context&) const { return ops::conv2d(x, weight_, bias_, how_); }

TemporalBlock::TemporalBlock(Init& init, int in, int out, int kernel, int dilation, float dropout)
    : conv1_(init, in, out, kernel, {.dilation = dilation, .causal = true}),
      conv2_(init, out, out, kernel, {.dilation = dilation, .causal = true}),
      downsample_(in == out ? nullptr : std::make_unique<Conv1d>(init, in, out, 1)),
      dropout_(dropout) {
  child("conv1", conv1_);
  child("conv2", conv2_);
  if (downsample_) child("downsample", *downsample_);
}

Tensor TemporalBlock::forward(const Tensor& x, Context& context) const {
  Tensor y = dropout_.forward(ops::relu(conv1_.forward(x, context)), context);
  y = dropout_.forward(ops::relu(conv2_.forward(y, context)), context);
  return ops::relu(ops::add(y, downsample_ ? downsample_->forward(x, context) : x));
}

}  // namespace sg::nn
