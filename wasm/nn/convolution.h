// Convolutional layers, with PyTorch's names, parameter layouts and initial distributions.
#pragma once
#include <memory>

#include "nn/layers.h"
#include "nn/module.h"
#include "ops/convolution.h"

namespace sg::nn {

struct Conv1dConfig {
  int stride = 1, padding = 0, dilation = 1, groups = 1;
  bool causal = false;  // padded on the left alone, see ops::conv1d
  bool bias = true;
};

/// x[N, in, L] -> [N, out, L']; weight[out, in / groups, kernel] and bias[out] uniform in ±1/√(in / groups · kernel),
/// which is Kaiming's with a = √5.
class Conv1d : public Module {
 public:
  Conv1d(Init& init, int in, int out, int kernel, const Conv1dConfig& config = {});
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Conv1dConfig config_;
  Tensor weight_, bias_;
};

/// x[N, in, H, W] -> [N, out, H', W']; weight[out, in / groups, kh, kw] and bias[out] uniform in
/// ±1/√(in / groups · kh · kw).
class Conv2d : public Module {
 public:
  Conv2d(Init& init, int in, int out, ops::Pair kernel, const ops::Convolution& how = {}, bool bias = true);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  ops::Convolution how_;
  Tensor weight_, bias_;
};

/// A block of a temporal convolutional network (Bai et al. 2018, without their weight normalisation): x[N, in, T] ->
/// relu(f(x) + x), f being twice a causal convolution dilated by `dilation`, a ReLU and dropout; x goes through a
/// convolution of 1 where in and out differ. -> [N, out, T].
class TemporalBlock : public Module {
 public:
  TemporalBlock(Init& init, int in, int out, int kernel, int dilation, float dropout);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Conv1d conv1_, conv2_;
  std::unique_ptr<Conv1d> downsample_;
  Dropout dropout_;
};

}  // namespace sg::nn
