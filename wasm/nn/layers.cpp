#include "nn/layers.h"

#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {
namespace {

float bound(int n) { return 1.0f / std::sqrt(static_cast<float>(n)); }

Tensor drop(const Tensor& x, float p, Context& context) {
  return context.training && p > 0 ? ops::dropout(x, p, context.generator, context.generator.draws++) : x;
}

}  // namespace

Linear::Linear(Init& init, int in, int out, bool bias)
    : weight_(parameter("weight", init.uniform({out, in}, bound(in)))),
      bias_(bias ? parameter("bias", init.uniform({out}, bound(in))) : Tensor()) {}

Linear::Linear(const Tensor& weight, const Tensor& bias)
    : weight_(parameter("weight", weight)), bias_(bias.defined() ? parameter("bias", bias) : Tensor()) {}

Tensor Linear::forward(const Tensor& x, Context&) const { return ops::linear(x, weight_, bias_); }

LSTM::LSTM(Init& init, int features, int hidden, int layers, float dropout) : dropout_(dropout) {
  SG_CHECK(features > 0 && hidden > 0 && layers > 0, "LSTM: sizes must be above 0");
  for (int l = 0; l < layers; ++l) {
    const std::string suffix = "_l" + std::to_string(l);
    const auto make = [&](const char* name, const Shape& shape) {
      return parameter(name + suffix, init.uniform(shape, bound(hidden)));
    };
    Layer layer;
    layer.weight_ih = make("weight_ih", {4 * hidden, l == 0 ? features : hidden});
    layer.weight_hh = make("weight_hh", {4 * hidden, hidden});
    layer.bias_ih = make("bias_ih", {4 * hidden});
    layer.bias_hh = make("bias_hh", {4 * hidden});
    layers_.push_back(layer);
  }
}

Tensor LSTM::forward(const Tensor& x, Context& context) const {
  Tensor y = x;
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    if (l > 0) y = drop(y, dropout_, context);
    y = ops::lstm(ops::linear(y, layer.weight_ih, ops::add(layer.bias_ih, layer.bias_hh)), layer.weight_hh);
  }
  return y;
}

Tensor Dropout::forward(const Tensor& x, Context& context) const { return drop(x, p_, context); }

}  // namespace sg::nn
