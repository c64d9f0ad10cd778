#include "nn/norm.h"

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {
namespace {

/// running <- (1 - momentum) running + momentum scale value
void move_towards(const Tensor& running, const Tensor& value, float momentum, float scale) {
  Tensor target = running;  // a handle to the same tensor
  target.set_value(run(params::combine{.a = 1 - momentum, .b = momentum * scale}, {running, value}, running.shape()));
}

}  // namespace

LayerNorm::LayerNorm(Init& init, int width, float eps, bool bias)
    : weight_(parameter("weight", init.ones({width}))),
      bias_(bias ? parameter("bias", init.zeros({width})) : Tensor()),
      eps_(eps) {}

Tensor LayerNorm::forward(const Tensor& x, Context&) const { return ops::layer_norm(x, weight_, bias_, eps_); }

RMSNorm::RMSNorm(Init& init, int width, float eps) : weight_(parameter("weight", init.ones({width}))), eps_(eps) {}

Tensor RMSNorm::forward(const Tensor& x, Context&) const { return ops::rms_norm(x, weight_, eps_); }

GroupNorm::GroupNorm(Init& init, int groups, int channels, float eps)
    : groups_(groups),
      weight_(parameter("weight", init.ones({channels}))),
      bias_(parameter("bias", init.zeros({channels}))),
      eps_(eps) {
  SG_CHECK(groups > 0 && channels % groups == 0,
           "GroupNorm: " + std::to_string(channels) + " channels in " + std::to_string(groups) + " groups of one size");
}

Tensor GroupNorm::forward(const Tensor& x, Context&) const { return ops::group_norm(x, groups_, weight_, bias_, eps_); }

BatchNorm::BatchNorm(Init& init, int channels, float eps, float momentum)
    : weight_(parameter("weight", init.ones({channels}))),
      bias_(parameter("bias", init.zeros({channels}))),
      running_mean_(buffer("running_mean", Tensor::full(init.device, {channels}, 0))),
      running_var_(buffer("running_var", Tensor::full(init.device, {channels}, 1))),
      eps_(eps),
      momentum_(momentum) {}

Tensor BatchNorm::forward(const Tensor& x, Context& context) const {
  if (!context.training) return ops::batch_norm_with(x, running_mean_, running_var_, weight_, bias_, eps_);
  SG_CHECK(x.rank() >= 2, "BatchNorm: x " + str(x.shape()) + " must be [N, C, ...]");
  const auto count = x.size() / x.dim(1);
  SG_CHECK(count > 1, "BatchNorm: x " + str(x.shape()) + " has one value a channel: training needs more");
  ops::Moments moments;
  const Tensor y = ops::batch_norm(x, weight_, bias_, eps_, &moments);
  move_towards(running_mean_, moments.mean, momentum_, 1);
  move_towards(running_var_, moments.variance, momentum_, static_cast<float>(count) / static_cast<float>(count - 1));
  return y;
}

Tensor BatchNorm1d::forward(const Tensor& x, Context& context) const {
  SG_CHECK(x.rank() == 2 || x.rank() == 3, "BatchNorm1d: x " + str(x.shape()) + " must be [N, C] or [N, C, T]");
  return BatchNorm::forward(x, context);
}

Tensor BatchNorm2d::forward(const Tensor& x, Context& context) const {
  SG_CHECK(x.rank() == 4, "BatchNorm2d: x " + str(x.shape()) + " must be [N, C, H, W]");
  return BatchNorm::forward(x, context);
}

}  // namespace sg::nn
