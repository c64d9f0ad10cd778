// Activations and other functions, and fixed positions, against PyTorch's.
#include <catch2/catch.hpp>

#include "nn/attention.h"
#include "ops/ops.h"
#include "tests/golden/layers.h"

namespace sg::tests {
namespace {

std::vector<LayerCase> all_cases() {
  std::vector<LayerCase> cases;
  const auto add = [&](const std::string& name, const std::function<Tensor(const Tensor&)>& f) {
    cases.push_back({name, nullptr, [f](const nn::Module*, const Inputs& in, nn::Context&) { return f(in.at("x")); }});
  };
  const auto add_row = [&](ops::Unary op, float p) {
    add(ops::name(op), [=](const Tensor& x) { return ops::unary(op, x, p); });
  };
  using ops::Unary;
  for (const Unary op : {Unary::relu, Unary::gelu, Unary::gelu_tanh, Unary::silu, Unary::mish, Unary::softplus,
                         Unary::hardtanh, Unary::tanh, Unary::sigmoid, Unary::erf})
    add_row(op, 0);
  add_row(Unary::leaky_relu, 0.01f);
  add_row(Unary::elu, 1);
  add("softmax", [](const Tensor& x) { return ops::softmax(x, -1); });
  add("log_softmax", [](const Tensor& x) { return ops::log_softmax(x, 0); });
  add("logsumexp", [](const Tensor& x) { return ops::logsumexp(x, -1); });
  add("cumsum", [](const Tensor& x) { return ops::cumsum(x, -1); });
  add("var", [](const Tensor& x) {
    const int axes[]{0, 1};
    return ops::var(x, axes);
  });
  LayerCase positions = layer_case<nn::LearnedPositions>("sinusoidal positions", 7, 6);
  positions.make = [](nn::Init& init) { return std::make_unique<nn::SinusoidalPositions>(init.device, 7, 6); };
  cases.push_back(positions);
  return cases;
}

TEST_CASE("functions are PyTorch's on cpu", "[golden]") { check_layers("functions.safetensors", all_cases(), "cpu"); }
TEST_CASE("functions are PyTorch's on webgl", "[golden][webgl]") {
  check_layers("functions.safetensors", all_cases(), "webgl");
}

}  // namespace
}  // namespace sg::tests
