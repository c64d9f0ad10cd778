// A module owns parameters and child modules by name. Names join with dots, as in PyTorch's state_dict:
// "lstm.weight_hh_l0".
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/parameter.h"
#include "core/random.h"

namespace sg::nn {

/// Where initial weights come from: each parameter is one draw of the stream `weights`, in the order of construction.
struct Init {
  Device& device;
  Generator generator;
  uint32_t draw = 0;
  /// Uniform in [-bound, bound), needing a gradient.
  Tensor uniform(const Shape& shape, float bound);
};

/// What a forward pass may depend on beside its input.
struct Context {
  bool training = false;
  Generator generator;  // its `draws` counts the dropout masks used so far
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

 protected:
  Tensor parameter(const std::string& name, Tensor value);
  void child(const std::string& name, const Module& module);

 private:
  std::vector<Parameter> own_;
  std::vector<std::pair<std::string, const Module*>> children_;
};

}  // namespace sg::nn
