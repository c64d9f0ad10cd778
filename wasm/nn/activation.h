// Activations by name, for models that leave the choice to a field.
#pragma once
#include <string>
#include <vector>

#include "nn/module.h"
#include "ops/ops.h"

namespace sg::nn {

/// "relu", "gelu", ...
std::vector<std::string> activation_names();

class Activation : public Module {
 public:
  /// The one at `index` of activation_names().
  explicit Activation(int index);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  ops::Unary op_;
  float p_;
};

}  // namespace sg::nn
