#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

void same_shapes(const char* op, const Tensor& input, const Tensor& target) {
  SG_CHECK(input.shape() == target.shape(), std::string(op) + ": input " + str(input.shape()) + " and target " +
                                                str(target.shape()) + " must have one shape");
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, const Tensor& sample_weight) {
  SG_CHECK(!sample_weight.defined(), "mse_loss: sample weights are not written yet");
  same_shapes("mse_loss", input, target);
  return mean(squared_error(input, target));
}

Tensor l1_loss(const Tensor& input, const Tensor& target, const Tensor& sample_weight) {
  SG_CHECK(!sample_weight.defined(), "l1_loss: sample weights are not written yet");
  same_shapes("l1_loss", input, target);
  return mean(absolute_error(input, target));
}

Tensor huber_loss(const Tensor& input, const Tensor& target, float delta, const Tensor& sample_weight) {
  SG_CHECK(!sample_weight.defined(), "huber_loss: sample weights are not written yet");
  same_shapes("huber_loss", input, target);
  SG_CHECK(delta > 0, "huber_loss: delta = " + std::to_string(delta) + " must be above 0");
  return mean(huber_error(input, target, delta));
}

}  // namespace sg::ops
