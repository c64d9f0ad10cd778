// Normalising layers, with PyTorch's names: weight starts at 1, bias at 0.
#pragma once
#include "nn/module.h"

namespace sg::nn {

/// torch.nn.LayerNorm(width, eps, bias): over the last axis of x[..., width].
class LayerNorm : public Module {
 public:
  LayerNorm(Init& init, int width, float eps = 1e-5f, bool bias = true);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Tensor weight_, bias_;
  float eps_;
};

/// torch.nn.RMSNorm(width).
class RMSNorm : public Module {
 public:
  RMSNorm(Init& init, int width, float eps = 1e-6f);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Tensor weight_;
  float eps_;
};

/// torch.nn.GroupNorm(groups, channels): x[N, channels, ...].
class GroupNorm : public Module {
 public:
  GroupNorm(Init& init, int groups, int channels, float eps = 1e-5f);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  int groups_;
  Tensor weight_, bias_;
  float eps_;
};

/// While training, x[N, channels, ...] is normalised by its own statistics, and the buffers running_mean and
/// running_var move towards them by `momentum` (the variance over count - 1); out of training they are what it is
/// normalised by.
class BatchNorm : public Module {
 public:
  Tensor forward(const Tensor& x, Context& context) const override;

 protected:
  BatchNorm(Init& init, int channels, float eps, float momentum);

 private:
  Tensor weight_, bias_, running_mean_, running_var_;
  float eps_, momentum_;
};

/// torch.nn.BatchNorm1d: x[N, channels] or [N, channels, T].
class BatchNorm1d : public BatchNorm {
 public:
  BatchNorm1d(Init& init, int channels, float eps = 1e-5f, float momentum = 0.1f)
      : BatchNorm(init, channels, eps, momentum) {}
  Tensor forward(const Tensor& x, Context& context) const override;
};

/// torch.nn.BatchNorm2d: x[N, channels, H, W].
class BatchNorm2d : public BatchNorm {
 public:
  BatchNorm2d(Init& init, int channels, float eps = 1e-5f, float momentum = 0.1f)
      : BatchNorm(init, channels, eps, momentum) {}
  Tensor forward(const Tensor& x, Context& context) const override;
};

}  // namespace sg::nn
