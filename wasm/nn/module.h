// A module owns parameters, buffers and child modules by name. Names join with dots, as in PyTorch's state_dict:
// "lstm.weight_hh_l0".
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/parameter.h"
#include "core/random.h"
#include "nn/init.h"

namespace sg::nn {

/// What a forward pass may depend on beside its input.
struct Context {
  bool training = false;
  Generator generator;  // its `draws` counts the dropout masks used so far
  /// The floats of core/step_values.h where a step is to be recorded, and the generator's draws that they hold.
  Tensor step = {};
  uint32_t first_draw = 0;
};

class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  virtual Tensor forward(const Tensor& x, Context& context) const = 0;
  /// All parameters below this module, in the order of construction.
  std::vector<Parameter> parameters() const;
  /// What is kept with a model but not trained, such as running statistics: a forward pass changes it by set_value.
  std::vector<Parameter> buffers() const;
  /// What forward passes read beside those and never change, made from the configuration alone and so in no checkpoint.
  std::vector<Tensor> constants() const;

 protected:
  Tensor parameter(const std::string& name, Tensor value);
  Tensor buffer(const std::string& name, Tensor value);
  Tensor constant(Tensor value);
  void child(const std::string& name, const Module& module);

 private:
  using Own = std::vector<Parameter> Module::*;
  std::vector<Parameter> collect(Own own) const;

  std::vector<Parameter> own_, own_buffers_;
  std::vector<Tensor> own_constants_;
  std::vector<std::pair<std::string, const Module*>> children_;
};

}  // namespace sg::nn
