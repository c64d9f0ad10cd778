// Attention and transformer layers against PyTorch's.
#include "nn/attention.h"

#include <catch2/catch.hpp>

#include "tests/golden/layers.h"

namespace sg::tests {
namespace {

std::vector<LayerCase> all_cases() {
  constexpr int kWidth = 8, kHeads = 2, kFeedForward = 12;
  using nn::Context;
  const auto masked = [](const auto& layer, const Inputs& in, Context& context) {
    return layer.forward(in.at("x"), nn::Mask{.causal = true}, context);
  };
  const auto padded = [](const auto& layer, const Inputs& in, Context& context) {
    return layer.forward(in.at("x"), nn::Mask{.causal = true, .key_padding = in.at("padding")}, context);
  };
  const auto across = [](const nn::MultiheadAttention& layer, const Inputs& in, Context& context) {
    return layer.forward(in.at("q"), in.at("k"), nn::Mask{.key_padding = in.at("padding")}, context);
  };
  const auto decode = [](const nn::TransformerDecoderLayer& layer, const Inputs& in, Context& context) {
    return layer.forward(in.at("x"), in.at("memory"), nn::Mask{}, nn::Mask{}, context);
  };
  std::vector<LayerCase> cases{
      layer_case<nn::MultiheadAttention>("attention of a sequence to itself", kWidth, kHeads),
      layer_case_with<nn::MultiheadAttention>("attention, causal", masked, kWidth, kHeads),
      layer_case_with<nn::MultiheadAttention>("attention to another sequence with padding", across, kWidth, kHeads),
  };
  for (const bool pre : {false, true}) {
    const std::string order = pre ? "pre-norm" : "post-norm";
    nn::TransformerOptions options{.width = kWidth, .heads = kHeads, .feedforward = kFeedForward, .norm_first = pre};
    cases.push_back(layer_case<nn::TransformerEncoderLayer>("encoder layer, " + order + ", relu", options));
    cases.push_back(layer_case_with<nn::TransformerEncoderLayer>("encoder layer, " + order + ", causal with padding",
                                                                 padded, options));
    options.gelu = true;
    cases.push_back(layer_case<nn::TransformerEncoderLayer>("encoder layer, " + order + ", gelu", options));
    cases.push_back(layer_case_with<nn::TransformerDecoderLayer>("decoder layer, " + order, decode, options));
  }
  return cases;
}

TEST_CASE("attention and transformer layers are PyTorch's on cpu", "[golden]") {
  check_layers("attention.safetensors", all_cases(), "cpu");
}
TEST_CASE("attention and transformer layers are PyTorch's on webgl", "[golden][webgl]") {
  check_layers("attention.safetensors", all_cases(), "webgl");
}

}  // namespace
}  // namespace sg::tests
