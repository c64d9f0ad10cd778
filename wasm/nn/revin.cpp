#include "nn/revin.h"

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {

RevIN::RevIN(Init& init, int features, float eps)
    : eps_(eps),
      weight_(parameter("affine_weight", init.ones({features}))),
      bias_(parameter("affine_bias", init.zeros({features}))) {}

RevIN::Statistics RevIN::statistics(const Tensor& x) const {
  SG_CHECK(x.rank() == 3 && x.dim(2) == weight_.dim(0),
           "RevIN: x " + str(x.shape()) + " must be [N, T, " + std::to_string(weight_.dim(0)) + "]");
  const NoGrad off;
  const Tensor mean = ops::mean(x, 1, true);
  const Tensor variance = ops::mean(ops::square(ops::sub(x, mean)), 1, true);
  return {mean, ops::sqrt(ops::add_scalar(variance, eps_))};
}

Tensor RevIN::normalise(const Tensor& x, const Statistics& s) const {
  return ops::add(ops::mul(ops::div(ops::sub(x, s.mean), s.deviation), weight_), bias_);
}

Tensor RevIN::restore(const Tensor& y, const Statistics& s) const {
  const Tensor plain = ops::div(ops::sub(y, bias_), ops::add_scalar(weight_, eps_ * eps_));
  return ops::add(ops::mul(plain, s.deviation), s.mean);
}

Tensor RevIN::forward(const Tensor& x, Context&) const { return normalise(x, statistics(x)); }

}  // namespace sg::nn
