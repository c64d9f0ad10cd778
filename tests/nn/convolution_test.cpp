// Convolutional layers: PyTorch's names, sizes and initial ranges, and that a temporal block sees nothing of the
// future.
#include "nn/convolution.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "ops/ops.h"

using namespace sg;

namespace {

using Named = std::vector<std::pair<std::string, Shape>>;

void check_parameters(const nn::Module& module, const Named& expected) {
  const auto parameters = module.parameters();
  REQUIRE(parameters.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(parameters[i].name == expected[i].first);
    CHECK(parameters[i].value.shape() == expected[i].second);
    CHECK(parameters[i].value.requires_grad());
  }
}

float largest(const Tensor& t) {
  float most = 0;
  for (const float v : t.values()) most = std::max(most, std::abs(v));
  return most;
}

Tensor numbers(Device& device, const Shape& shape, uint64_t seed) {
  return ops::uniform(device, shape, -1, 1, Generator{seed, 0}, Stream::weights, 0);
}

/// Two values of x, equal up to time t, must give the same bits up to t, and do differ after it.
void check_causal(const nn::Module& module, Device& device, const Shape& shape, int t) {
  const int time = shape[2];
  std::vector<float> before = numbers(device, shape, 1).values(), after = before;
  const std::vector<float> other = numbers(device, shape, 2).values();
  for (size_t i = 0; i < after.size(); ++i)
    if (static_cast<int>(i) % time > t) after[i] = other[i];
  nn::Context context;
  const Tensor y = module.forward(Tensor::from(device, shape, before), context);
  const std::vector<float> a = y.values();
  const std::vector<float> b = module.forward(Tensor::from(device, shape, after), context).values();
  REQUIRE(y.dim(2) == time);
  bool later_differs = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (static_cast<int>(i) % time <= t)
      CHECK(a[i] == b[i]);
    else
      later_differs = later_differs || a[i] != b[i];
  }
  CHECK(later_differs);
}

}  // namespace

TEST_CASE("convolutional layers have PyTorch's parameter names, shapes and initial ranges", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{3, 0}};
  const nn::Conv2d conv2d(init, 8, 32, {3, 5}, {.groups = 2});
  check_parameters(conv2d, {{"weight", {32, 4, 3, 5}}, {"bias", {32}}});
  const float most = 1 / std::sqrt(60.0f);
  CHECK(largest(conv2d.parameters()[0].value) <= most);
  CHECK(largest(conv2d.parameters()[0].value) > 0.95f * most);
  CHECK(largest(conv2d.parameters()[1].value) <= most);
  CHECK(largest(conv2d.parameters()[1].value) > 0.7f * most);

  check_parameters(nn::Conv1d(init, 6, 4, 7), {{"weight", {4, 6, 7}}, {"bias", {4}}});
  check_parameters(nn::Conv1d(init, 6, 6, 3, {.groups = 6, .bias = false}), {{"weight", {6, 1, 3}}});
  check_parameters(nn::TemporalBlock(init, 3, 5, 2, 4, 0.1f), {{"conv1.weight", {5, 3, 2}},
                                                               {"conv1.bias", {5}},
                                                               {"conv2.weight", {5, 5, 2}},
                                                               {"conv2.bias", {5}},
                                                               {"downsample.weight", {5, 3, 1}},
                                                               {"downsample.bias", {5}}});
  check_parameters(
      nn::TemporalBlock(init, 5, 5, 3, 1, 0),
      {{"conv1.weight", {5, 5, 3}}, {"conv1.bias", {5}}, {"conv2.weight", {5, 5, 3}}, {"conv2.bias", {5}}});
  CHECK_THROWS_AS(nn::Conv1d(init, 6, 4, 3, {.groups = 3}), Error);
  CHECK_THROWS_AS(nn::Conv2d(init, 0, 4, {3, 3}), Error);
}

TEST_CASE("convolutional layers give PyTorch's sizes", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{4, 0}};
  nn::Context context;
  const Tensor image = numbers(*device, {2, 3, 13, 17}, 5), series = numbers(*device, {2, 3, 29}, 6);
  const nn::Conv2d conv2d(init, 3, 7, {3, 5}, {.stride = {2, 3}, .padding = {1, 2}, .dilation = {2, 1}});
  CHECK(conv2d.forward(image, context).shape() == Shape{2, 7, 6, 6});
  CHECK(nn::Conv1d(init, 3, 4, 5, {.stride = 3, .padding = 2}).forward(series, context).shape() == Shape{2, 4, 10});
  CHECK(nn::TemporalBlock(init, 3, 6, 3, 8, 0).forward(series, context).shape() == Shape{2, 6, 29});
}

TEST_CASE("a causal convolution and a temporal block see nothing of the future", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{7, 0}};
  for (const int t : {0, 5, 17, 28}) {
    check_causal(nn::Conv1d(init, 3, 4, 3, {.dilation = 2, .causal = true}), *device, {2, 3, 30}, t);
    check_causal(nn::Conv1d(init, 4, 4, 2, {.dilation = 3, .groups = 4, .causal = true}), *device, {1, 4, 30}, t);
    check_causal(nn::TemporalBlock(init, 3, 6, 3, 4, 0.5f), *device, {2, 3, 30}, t);
    check_causal(nn::TemporalBlock(init, 3, 3, 2, 1, 0), *device, {2, 3, 30}, t);
  }
}

TEST_CASE("a temporal block is its formula, and drops out twice in training", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{8, 0}};
  const nn::TemporalBlock block(init, 2, 5, 3, 2, 0.25f);
  const auto p = block.parameters();
  const Tensor x = numbers(*device, {3, 2, 11}, 9);
  const auto conv = [](const Tensor& in, const Parameter& w, const Parameter& b, int dilation) {
    return ops::conv1d(in, w.value, b.value, 1, 0, dilation, 1, true);
  };
  const Tensor inner = ops::relu(conv(ops::relu(conv(x, p[0], p[1], 2)), p[2], p[3], 2));
  nn::Context context;
  CHECK(block.forward(x, context).values() == ops::relu(ops::add(inner, conv(x, p[4], p[5], 1))).values());
  CHECK(context.generator.draws == 0);
  context = {.training = true, .generator = {1, 0}};
  const auto first = block.forward(x, context).values();
  CHECK(context.generator.draws == 2);
  CHECK(block.forward(x, context).values() != first);
}
