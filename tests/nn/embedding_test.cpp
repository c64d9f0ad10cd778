// nn::Embedding: its parameter, and training it.
#include "nn/embedding.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "ops/ops.h"

using namespace sg;

TEST_CASE("an embedding has one weight, drawn from a normal distribution of deviation 1", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{3, 0}};
  const nn::Embedding embedding(init, 100, 64);
  const auto parameters = embedding.parameters();
  REQUIRE(parameters.size() == 1);
  CHECK(parameters[0].name == "weight");
  CHECK(parameters[0].value.shape() == Shape{100, 64});
  double sum = 0, squares = 0;
  for (const float v : parameters[0].value.values()) sum += v, squares += static_cast<double>(v) * v;
  CHECK(std::abs(sum / 6400) < 0.05);
  CHECK(squares / 6400 == Approx(1).epsilon(0.06));
}

TEST_CASE("an embedding gives the rows that are asked for, and learns only those", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{3, 0}};
  const nn::Embedding embedding(init, 4, 2);
  nn::Context context;
  const Tensor x = Tensor::from(*device, {2, 2}, std::vector<float>{3, 0, 3, 1});
  const Tensor y = embedding.forward(x, context);
  CHECK(y.shape() == Shape{2, 2, 2});
  const auto w = embedding.weight().values(), got = y.values();
  CHECK(got == std::vector<float>{w[6], w[7], w[0], w[1], w[6], w[7], w[2], w[3]});
  ops::sum(y).backward();
  CHECK(embedding.weight().grad().values() == std::vector<float>{1, 1, 1, 1, 0, 0, 2, 2});
}

TEST_CASE("an embedding without rows or width is refused", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{3, 0}};
  CHECK_THROWS_AS(nn::Embedding(init, 0, 4), Error);
  CHECK_THROWS_AS(nn::Embedding(init, 4, 0), Error);
}
