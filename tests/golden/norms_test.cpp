// Normalising layers against PyTorch's.
#include <catch2/catch.hpp>

#include "nn/norm.h"
#include "tests/golden/layers.h"

namespace sg::tests {
namespace {

std::vector<LayerCase> all_cases() {
  std::vector<LayerCase> cases{layer_case<nn::LayerNorm>("layer_norm", 7), layer_case<nn::RMSNorm>("rms_norm", 7),
                               layer_case<nn::GroupNorm>("group_norm", 3, 6)};
  for (const bool training : {true, false}) {
    const std::string what = training ? "training" : "evaluation";
    for (LayerCase c : {layer_case<nn::BatchNorm1d>("batch_norm of features, " + what, 4),
                        layer_case<nn::BatchNorm1d>("batch_norm of series, " + what, 3),
                        layer_case<nn::BatchNorm2d>("batch_norm of images, " + what, 3)}) {
      c.training = training;
      cases.push_back(c);
    }
  }
  return cases;
}

TEST_CASE("normalising layers are PyTorch's on cpu", "[golden]") {
  check_layers("norms.safetensors", all_cases(), "cpu");
}
TEST_CASE("normalising layers are PyTorch's on webgl", "[golden][webgl]") {
  check_layers("norms.safetensors", all_cases(), "webgl");
}

}  // namespace
}  // namespace sg::tests
