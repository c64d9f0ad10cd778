// Layers: PyTorch's names, sizes and initial ranges, and what dropout does in training and out of it.
#include "core/step_values.h"
#include "nn/layers.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/step_values.h"
#include "cpu/cpu_device.h"
#include "models/model.h"
#include "ops/ops.h"

using namespace sg;

TEST_CASE("the LSTM model has PyTorch's parameter names, shapes and initial ranges", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{5, 0}};
  const models::ModelInfo& lstm = models::find("lstm");
  const auto model = models::make(lstm, init, {.time = 12, .features = 3, .horizon = 4, .targets = {0}},
                                  models::validated(lstm, {{"hidden", 16}, {"layers", 2}}));
  const std::vector<std::pair<std::string, Shape>> expected{
      {"lstm.weight_ih_l0", {64, 3}},  {"lstm.weight_hh_l0", {64, 16}},
      {"lstm.bias_ih_l0", {64}},       {"lstm.bias_hh_l0", {64}},
      {"lstm.weight_ih_l1", {64, 16}}, {"lstm.weight_hh_l1", {64, 16}},
      {"lstm.bias_ih_l1", {64}},       {"lstm.bias_hh_l1", {64}},
      {"head.weight", {4, 16}},        {"head.bias", {4}}};
  const auto parameters = model->parameters();
  REQUIRE(parameters.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(parameters[i].name == expected[i].first);
    CHECK(parameters[i].value.shape() == expected[i].second);
    float largest = 0;
    for (const float v : parameters[i].value.values()) largest = std::max(largest, std::abs(v));
    CHECK(largest <= 0.25f);  // 1 / sqrt(16)
    if (parameters[i].value.size() >= 64) CHECK(largest > 0.2f);
  }
  auto first = parameters[0].value.values(), second = parameters[4].value.values();
  second.resize(first.size());
  CHECK(first != second);
}

TEST_CASE("the same seed gives the same weights, another seed others", "[nn]") {
  const auto device = make_cpu_device();
  const auto weights = [&](uint64_t seed) {
    nn::Init init{*device, Generator{seed, 0}};
    return nn::Linear(init, 5, 7).parameters()[0].value.values();
  };
  CHECK(weights(1) == weights(1));
  CHECK(weights(1) != weights(2));
}

TEST_CASE("dropout scales what it keeps, draws a new mask each time, and rests outside training", "[nn]") {
  const auto device = make_cpu_device();
  const nn::Dropout dropout(0.25f);
  const Tensor x = Tensor::full(*device, {100, 100}, 3);
  nn::Context context{.training = true, .generator = {9, 0}};
  const auto first = dropout.forward(x, context).values(), second = dropout.forward(x, context).values();
  CHECK(context.generator.draws == 2);
  CHECK(first != second);
  size_t zeros = 0;
  for (const float v : first) {
    zeros += v == 0;
    CHECK((v == 0 || v == Approx(4)));
  }
  CHECK(zeros > 2300);
  CHECK(zeros < 2700);
  context.training = false;
  CHECK(dropout.forward(x, context).values() == x.values());
}

TEST_CASE("dropout with a step's floats draws what it draws without them", "[nn]") {
  const auto device = make_cpu_device();
  const nn::Dropout dropout(0.25f);
  const Tensor x = Tensor::full(*device, {100, 100}, 3);
  const uint32_t before = 0xfffffffeu;  // so that the draws wrap
  nn::Context plain{.training = true, .generator = {9, before}};
  StepValues values;
  values.set_draws(before);
  nn::Context stepped{.training = true,
                      .generator = {9, before},
                      .step = Tensor::from(*device, {StepValues::kCount}, values.floats()),
                      .first_draw = before};
  for (int i = 0; i < 4; ++i) CHECK(dropout.forward(x, stepped).values() == dropout.forward(x, plain).values());
  CHECK(stepped.generator.draws == plain.generator.draws);
}
