// LSTM and GRU layers against PyTorch's.
#include "nn/recurrent.h"

#include <catch2/catch.hpp>

#include "ops/ops.h"
#include "tests/golden/layers.h"

namespace sg::tests {
namespace {

/// An input that only some of the cases have.
Tensor optional(const Inputs& in, const std::string& name) {
  const auto found = in.find(name);
  return found == in.end() ? Tensor() : found->second;
}

/// From given states; the outputs and the states after, one behind the other.
Tensor states_after(const nn::Recurrent& layer, const Inputs& in, nn::Context& context) {
  const nn::RecurrentOutput out =
      layer.forward_states(in.at("x"), context, optional(in, "lengths"), {.h = in.at("h0"), .c = optional(in, "c0")});
  const auto flat = [](const Tensor& t) { return ops::reshape(t, Shape{static_cast<int>(t.size())}); };
  std::vector<Tensor> parts{flat(out.y), flat(out.state.h)};
  if (out.state.c.defined()) parts.push_back(flat(out.state.c));
  return ops::cat(parts, 0);
}

template <class Layer>
void add(std::vector<LayerCase>& cases, const std::string& kind) {
  const auto over_lengths = [](const Layer& layer, const Inputs& in, nn::Context& context) {
    return layer.nn::Recurrent::forward(in.at("x"), context, in.at("lengths"));
  };
  const nn::RecurrentOptions deep{.layers = 3}, both{.bidirectional = true},
      deep_both{.layers = 2, .bidirectional = true};
  for (const char* what : {" from states", " from states over lengths"})
    cases.push_back(layer_case_with<Layer>(kind + what, states_after, 2, 3, deep_both));
  cases.push_back(layer_case<Layer>(kind, 3, 4));
  cases.push_back(layer_case<Layer>(kind + " of three layers", 3, 4, deep));
  cases.push_back(layer_case<Layer>(kind + " in both directions", 3, 4, both));
  cases.push_back(layer_case_with<Layer>(kind + " in both directions over lengths", over_lengths, 2, 3, deep_both));
}

std::vector<LayerCase> all_cases() {
  std::vector<LayerCase> cases;
  add<nn::LSTM>(cases, "lstm");
  add<nn::GRU>(cases, "gru");
  return cases;
}

TEST_CASE("recurrent layers are PyTorch's on cpu", "[golden]") {
  check_layers("recurrent.safetensors", all_cases(), "cpu");
}
TEST_CASE("recurrent layers are PyTorch's on webgl", "[golden][webgl]") {
  check_layers("recurrent.safetensors", all_cases(), "webgl");
}

}  // namespace
}  // namespace sg::tests
