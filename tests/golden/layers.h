// A layer against PyTorch's: the same parameters and inputs by name, then outputs, gradients and buffers.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/module.h"
#include "tests/golden/golden.h"

namespace sg::tests {

using Inputs = std::map<std::string, Tensor>;

struct LayerCase {
  std::string name;
  /// A module of fresh parameters; null where the layer is a function.
  std::function<std::unique_ptr<nn::Module>(nn::Init&)> make;
  std::function<Tensor(const nn::Module*, const Inputs&, nn::Context&)> forward;
  bool training = true;
};

/// A case of a module that takes one input x and what its constructor takes after Init.
template <class Layer, class... Arguments>
LayerCase layer_case(const std::string& name, Arguments... arguments) {
  return {name, [=](nn::Init& init) { return std::make_unique<Layer>(init, arguments...); },
          [](const nn::Module* layer, const Inputs& in, nn::Context& context) {
            return layer->forward(in.at("x"), context);
          }};
}

/// The same with a call of its own: forward(layer, inputs, context).
template <class Layer, class Forward, class... Arguments>
LayerCase layer_case_with(const std::string& name, Forward forward, Arguments... arguments) {
  return {name, [=](nn::Init& init) { return std::make_unique<Layer>(init, arguments...); },
          [forward](const nn::Module* layer, const Inputs& in, nn::Context& context) {
            return forward(static_cast<const Layer&>(*layer), in, context);
          }};
}

/// Runs the cases on a device; every number of the file must be read.
void check_layers(const std::string& file, const std::vector<LayerCase>& cases, const std::string& device_name);

}  // namespace sg::tests
