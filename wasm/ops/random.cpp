#include "core/check.h"
#include "core/step_values.h"
#include "ops/ops.h"

namespace sg::ops {

Tensor uniform(Device& device, const Shape& shape, float low, float high, const Generator& generator, Stream stream,
               uint32_t draw) {
  const params::uniform p{.seed_low = static_cast<int32_t>(generator.low()),
                          .seed_high = static_cast<int32_t>(generator.high()),
                          .stream = static_cast<int32_t>(stream),
                          .draw = static_cast<int32_t>(draw),
                          .low = low,
                          .high = high};
  return make(p, device, shape);
}

Tensor dropout(const Tensor& x, float p, const Generator& generator, uint32_t draw, const Tensor& step) {
  SG_CHECK(p >= 0 && p < 1, "dropout: p = " + std::to_string(p) + " is not in [0, 1)");
  const params::dropout q{.seed_low = static_cast<int32_t>(generator.low()),
                          .seed_high = static_cast<int32_t>(generator.high()),
                          .stream = static_cast<int32_t>(Stream::dropout),
                          .draw = static_cast<int32_t>(draw),
                          .p = p};
  const Tensor at = step.defined() ? step : Tensor::full(x.device(), {StepValues::kCount}, 0);
  // The mask is made anew from its counter in the backward: nothing else is kept.
  return record(run(q, {x, at}, x.shape()), {x}, [q, at](const Tensor& dy) -> Grads {
    return {run(q, {dy, at}, dy.shape())};
  });
}

}  // namespace sg::ops
