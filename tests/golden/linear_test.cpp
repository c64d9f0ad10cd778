// Linear layers and embeddings against PyTorch's.
#include <catch2/catch.hpp>

#include "nn/embedding.h"
#include "nn/layers.h"
#include "tests/golden/layers.h"

namespace sg::tests {
namespace {

std::vector<LayerCase> all_cases() {
  const auto look_up = [](const nn::Embedding& layer, const Inputs& in, nn::Context& context) {
    return layer.forward(in.at("indices"), context);
  };
  return {layer_case<nn::Linear>("linear", 5, 3), layer_case<nn::Linear>("linear without bias", 4, 7, false),
          layer_case_with<nn::Embedding>("embedding", look_up, 6, 5)};
}

TEST_CASE("linear layers and embeddings are PyTorch's on cpu", "[golden]") {
  check_layers("linear.safetensors", all_cases(), "cpu");
}
TEST_CASE("linear layers and embeddings are PyTorch's on webgl", "[golden][webgl]") {
  check_layers("linear.safetensors", all_cases(), "webgl");
}

}  // namespace
}  // namespace sg::tests
