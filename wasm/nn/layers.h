// Layers, with PyTorch's names, parameter layouts and initial distributions.
#pragma once
#include "nn/module.h"

namespace sg::nn {

/// y[..., out] = x[..., in] · weightᵀ + bias; weight[out, in] and bias[out] uniform in ±1/√in.
class Linear : public Module {
 public:
  Linear(Init& init, int in, int out, bool bias = true);
  /// From other first weights; no bias where it is undefined.
  explicit Linear(const Tensor& weight, const Tensor& bias = {});
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Tensor weight_, bias_;
};

/// While training, zeroes each element with probability p and scales the others by 1 / (1 - p).
class Dropout : public Module {
 public:
  explicit Dropout(float p) : p_(p) {}
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  float p_;
};

}  // namespace sg::nn
