// Layers, with PyTorch's names, parameter layouts and initial distributions.
#pragma once
#include <vector>

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

/// torch.nn.LSTM(batch_first=True): x[N, T, F] -> the hidden states of the last layer [N, T, H], with dropout between
/// layers. weight_ih_lk[4H, F], weight_hh_lk[4H, H], bias_ih_lk and bias_hh_lk[4H], uniform in ±1/√H; gates i, f, g, o.
class LSTM : public Module {
 public:
  LSTM(Init& init, int features, int hidden, int layers, float dropout);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  struct Layer {
    Tensor weight_ih, weight_hh, bias_ih, bias_hh;
  };
  std::vector<Layer> layers_;
  float dropout_;
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
