#include "nn/layers.h"

#include <cmath>

#include "ops/ops.h"

namespace sg::nn {
namespace {

float linear_bound(int n) { return 1.0f / std::sqrt(static_cast<float>(n)); }

Tensor drop(const Tensor& x, float p, Context& context) {
  if (!context.training || !(p > 0)) return x;
  const uint32_t draw = context.generator.draws++ - context.first_draw;
  return ops::dropout(x, p, context.generator, draw, context.step);
}

}  // namespace

Linear::Linear(Init& init, int in, int out, bool bias)
    : weight_(parameter("weight", init.uniform({out, in}, linear_bound(in)))),
      bias_(bias ? parameter("bias", init.uniform({out}, linear_bound(in))) : Tensor()) {}

Linear::Linear(const Tensor& weight, const Tensor& bias)
    : weight_(parameter("weight", weight)), bias_(bias.defined() ? parameter("bias", bias) : Tensor()) {}

Tensor Linear::forward(const Tensor& x, Context&) const { return ops::linear(x, weight_, bias_); }

Tensor Dropout::forward(const Tensor& x, Context& context) const { return drop(x, p_, context); }

}  // namespace sg::nn
