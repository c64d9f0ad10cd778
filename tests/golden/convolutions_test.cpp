// Convolutions and poolings against PyTorch's.
#include <catch2/catch.hpp>

#include "nn/convolution.h"
#include "ops/ops.h"
#include "tests/golden/layers.h"

namespace sg::tests {
namespace {

/// A layer without parameters.
template <class F>
LayerCase function_case(const std::string& name, F f) {
  return {name, nullptr, [f](const nn::Module*, const Inputs& in, nn::Context&) -> Tensor { return f(in.at("x")); }};
}

std::vector<LayerCase> all_cases() {
  using ops::Pair;
  return {
      layer_case<nn::Conv1d>("conv1d", 3, 4, 3),
      layer_case<nn::Conv1d>("conv1d strided, dilated, padded, grouped", 4, 6, 3,
                             nn::Conv1dConfig{.stride = 2, .padding = 2, .dilation = 2, .groups = 2}),
      layer_case<nn::Conv1d>("conv1d causal", 3, 5, 3, nn::Conv1dConfig{.dilation = 2, .causal = true}),
      layer_case<nn::Conv2d>("conv2d", 2, 3, Pair{3, 2}),
      layer_case<nn::Conv2d>("conv2d strided, dilated, padded", 3, 4, Pair{3, 3},
                             ops::Convolution{.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}}),
      layer_case<nn::Conv2d>("conv2d depthwise", 4, 4, Pair{3, 3}, ops::Convolution{.padding = {1, 1}, .groups = 4}),
      layer_case<nn::TemporalBlock>("temporal block", 3, 3, 3, 2, 0.0f),
      layer_case<nn::TemporalBlock>("temporal block of other channels", 2, 4, 3, 2, 0.0f),
      function_case("max_pool1d", [](const Tensor& x) { return ops::max_pool1d(x, 3, 2, 1); }),
      function_case("max_pool2d",
                    [](const Tensor& x) {
                      return ops::max_pool2d(x, {3, 2}, {2, 1}, {1, 1});
                    }),
      function_case("avg_pool1d", [](const Tensor& x) { return ops::avg_pool1d(x, 3, 2, 1); }),
      function_case("avg_pool2d",
                    [](const Tensor& x) {
                      return ops::avg_pool2d(x, {3, 2}, {2, 1}, {1, 1});
                    }),
      function_case("adaptive_avg_pool1d", [](const Tensor& x) { return ops::adaptive_avg_pool1d(x, 4); }),
      function_case("adaptive_avg_pool2d",
                    [](const Tensor& x) {
                      return ops::adaptive_avg_pool2d(x, {3, 2});
                    }),
      function_case("adaptive_max_pool1d", [](const Tensor& x) { return ops::adaptive_max_pool1d(x, 4); }),
      function_case("adaptive_max_pool2d",
                    [](const Tensor& x) {
                      return ops::adaptive_max_pool2d(x, {3, 2});
                    }),
  };
}

TEST_CASE("convolutions and poolings are PyTorch's on cpu", "[golden]") {
  check_layers("convolutions.safetensors", all_cases(), "cpu");
}
TEST_CASE("convolutions and poolings are PyTorch's on webgl", "[golden][webgl]") {
  check_layers("convolutions.safetensors", all_cases(), "webgl");
}

}  // namespace
}  // namespace sg::tests
