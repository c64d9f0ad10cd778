#include "nn/module.h"

#include "ops/ops.h"

namespace sg::nn {

Tensor Init::uniform(const Shape& shape, float bound) {
  return ops::uniform(device, shape, -bound, bound, generator, Stream::weights, draw++).set_requires_grad();
}

std::vector<Parameter> Module::parameters() const {
  std::vector<Parameter> all = own_;
  for (const auto& [name, module] : children_)
    for (const Parameter& p : module->parameters()) all.push_back({name + "." + p.name, p.value});
  return all;
}

Tensor Module::parameter(const std::string& name, Tensor value) {
  own_.push_back({name, value});
  return value;
}

void Module::child(const std::string& name, const Module& module) { children_.emplace_back(name, &module); }

}  // namespace sg::nn
