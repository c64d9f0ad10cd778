#include "nn/module.h"

namespace sg::nn {

std::vector<Parameter> Module::parameters() const { return collect(&Module::own_); }
std::vector<Parameter> Module::buffers() const { return collect(&Module::own_buffers_); }

std::vector<Parameter> Module::collect(Own own) const {
  std::vector<Parameter> all = this->*own;
  for (const auto& [name, module] : children_)
    for (const Parameter& p : module->collect(own)) all.push_back({name + "." + p.name, p.value});
  return all;
}

std::vector<Tensor> Module::constants() const {
  std::vector<Tensor> all = own_constants_;
  for (const auto& [name, module] : children_)
    for (const Tensor& t : module->constants()) all.push_back(t);
  return all;
}

Tensor Module::parameter(const std::string& name, Tensor value) {
  own_.push_back({name, value});
  return value;
}

Tensor Module::buffer(const std::string& name, Tensor value) {
  own_buffers_.push_back({name, value});
  return value;
}

Tensor Module::constant(Tensor value) {
  own_constants_.push_back(value);
  return value;
}

void Module::child(const std::string& name, const Module& module) { children_.emplace_back(name, &module); }

}  // namespace sg::nn
