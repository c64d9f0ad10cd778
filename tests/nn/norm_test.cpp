// Normalising layers: names, first weights, and what batch normalisation keeps from training for evaluation.
#include "nn/norm.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "ops/ops.h"

using namespace sg;

TEST_CASE("normalising layers have PyTorch's names and start as the identity's weights", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{1, 0}};
  const nn::LayerNorm layer(init, 6);
  const nn::RMSNorm rms(init, 6);
  const nn::GroupNorm group(init, 2, 6);
  const nn::BatchNorm2d batch(init, 6);
  for (const nn::Module* module : {static_cast<const nn::Module*>(&layer), static_cast<const nn::Module*>(&group),
                                   static_cast<const nn::Module*>(&batch)}) {
    const auto parameters = module->parameters();
    REQUIRE(parameters.size() == 2);
    CHECK(parameters[0].name == "weight");
    CHECK(parameters[0].value.values() == std::vector<float>(6, 1));
    CHECK(parameters[1].name == "bias");
    CHECK(parameters[1].value.values() == std::vector<float>(6, 0));
  }
  CHECK(rms.parameters().size() == 1);
  const auto buffers = batch.buffers();
  REQUIRE(buffers.size() == 2);
  CHECK(buffers[0].name == "running_mean");
  CHECK(buffers[0].value.values() == std::vector<float>(6, 0));
  CHECK(buffers[1].name == "running_var");
  CHECK(buffers[1].value.values() == std::vector<float>(6, 1));
  CHECK_THROWS_AS(nn::GroupNorm(init, 4, 6), Error);
}

TEST_CASE("batch normalisation averages its statistics while training, and evaluates by the averages", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{2, 0}};
  const nn::BatchNorm1d batch(init, 2);
  // Channel 0: 1, 2, 3, 6 (mean 3, variance over three 14/3); channel 1: -4, -4, 0, 0 (mean -2, 16/3).
  const Tensor x = Tensor::from(*device, {4, 2}, std::vector<float>{1, -4, 2, -4, 3, 0, 6, 0});
  nn::Context training{.training = true, .generator = {}}, evaluation;
  const std::vector<float> y = batch.forward(x, training).values();
  CHECK(y[0] == Approx(-2 / std::sqrt(3.5 + 1e-5)));
  CHECK(y[1] == Approx(-1));
  double mean[]{0, 0}, var[]{1, 1};
  for (int step = 0; step < 2; ++step) {
    const std::vector<float> means = batch.buffers()[0].value.values(), vars = batch.buffers()[1].value.values();
    for (size_t c = 0; c < 2; ++c) {
      mean[c] += 0.1 * ((c ? -2.0 : 3.0) - mean[c]);
      var[c] += 0.1 * ((c ? 16.0 : 14.0) / 3 - var[c]);
      CHECK(means[c] == Approx(mean[c]));
      CHECK(vars[c] == Approx(var[c]));
    }
    if (step == 0) batch.forward(x, training);
  }
  const std::vector<float> z = batch.forward(x, evaluation).values();
  for (size_t i = 0; i < z.size(); ++i)
    CHECK(z[i] == Approx((x.values()[i] - mean[i % 2]) / std::sqrt(var[i % 2] + 1e-5)));
  CHECK(batch.buffers()[0].value.values()[0] == Approx(mean[0]));  // evaluation changes nothing
  CHECK_FALSE(batch.buffers()[0].value.requires_grad());
}

TEST_CASE("batch normalisation refuses other ranks, and training on one value a channel", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{3, 0}};
  const nn::BatchNorm1d one(init, 3);
  const nn::BatchNorm2d two(init, 3);
  nn::Context training{.training = true, .generator = {}};
  CHECK_THROWS_AS(one.forward(Tensor::full(*device, {2, 3, 4, 4}, 1), training), Error);
  CHECK_THROWS_AS(two.forward(Tensor::full(*device, {2, 3}, 1), training), Error);
  CHECK_THROWS_AS(one.forward(Tensor::full(*device, {1, 3}, 1), training), Error);
}
