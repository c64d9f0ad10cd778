// torch.nn.Embedding: a row of its weight for each index.
#pragma once
#include "nn/module.h"

namespace sg::nn {

/// x[...] of whole numbers below `rows` -> y[..., width]; weight[rows, width] is normal with a standard deviation of 1.
class Embedding : public Module {
 public:
  Embedding(Init& init, int rows, int width);
  Tensor forward(const Tensor& x, Context& context) const override;
  /// For an output layer that shares it.
  const Tensor& weight() const { return weight_; }

 private:
  Tensor weight_;
};

}  // namespace sg::nn
