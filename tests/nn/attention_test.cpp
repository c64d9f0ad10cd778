// Attention layers: PyTorch's names and shapes, causality to the bit, padding without influence, evaluation without
// chance; and that attention's memory grows with the length of a sequence, not with its square.
#include "nn/attention.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "ops/ops.h"

using namespace sg;

namespace {

Tensor numbers(Device& device, const Shape& shape, uint32_t draw) {
  return ops::uniform(device, shape, -1, 1, Generator{77, 0}, Stream::weights, draw);
}

using Named = std::vector<std::pair<std::string, Shape>>;

Named named(const nn::Module& module) {
  Named all;
  for (const Parameter& p : module.parameters()) all.emplace_back(p.name, p.value.shape());
  return all;
}

/// Elements of rows first .. last - 1 of sample n in y[N, T, E].
std::vector<float> rows_of(const Tensor& y, int n, int first, int last) {
  const std::vector<float> all = y.values();
  const auto width = y.dim(2), start = (n * y.dim(1) + first) * width;
  return {all.begin() + start, all.begin() + start + (last - first) * width};
}

/// The same tensor with row t of sample n replaced by `value`.
Tensor with_row(const Tensor& x, int n, int t, float value) {
  std::vector<float> all = x.values();
  const int width = x.dim(2), start = (n * x.dim(1) + t) * width;
  std::fill_n(all.begin() + start, width, value);
  return Tensor::from(x.device(), x.shape(), all);
}

}  // namespace

TEST_CASE("a transformer's layers have PyTorch's parameter names and shapes", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{5, 0}};
  const nn::TransformerOptions options{.width = 12, .heads = 3, .feedforward = 20};
  const Named encoder{{"self_attn.in_proj_weight", {36, 12}},
                      {"self_attn.in_proj_bias", {36}},
                      {"self_attn.out_proj.weight", {12, 12}},
                      {"self_attn.out_proj.bias", {12}},
                      {"linear1.weight", {20, 12}},
                      {"linear1.bias", {20}},
                      {"linear2.weight", {12, 20}},
                      {"linear2.bias", {12}},
                      {"norm1.weight", {12}},
                      {"norm1.bias", {12}},
                      {"norm2.weight", {12}},
                      {"norm2.bias", {12}}};
  CHECK(named(nn::TransformerEncoderLayer(init, options)) == encoder);
  Named decoder(encoder.begin(), encoder.begin() + 4);
  for (size_t i = 0; i < 4; ++i)
    decoder.emplace_back("multihead_attn." + encoder[i].first.substr(10), encoder[i].second);
  decoder.insert(decoder.end(), encoder.begin() + 4, encoder.end());
  decoder.insert(decoder.end(), {{"norm3.weight", {12}}, {"norm3.bias", {12}}});
  CHECK(named(nn::TransformerDecoderLayer(init, options)) == decoder);

  const nn::MultiheadAttention attention(init, 16, 4);
  float largest = 0;
  for (const float v : attention.parameters()[0].value.values()) largest = std::max(largest, std::abs(v));
  CHECK(largest <= std::sqrt(6.0f / 64));  // Glorot's bound for [48, 16]
  CHECK(largest > 0.95f * std::sqrt(6.0f / 64));
  for (const float v : attention.parameters()[1].value.values()) CHECK(v == 0);
  CHECK_THROWS_AS(nn::MultiheadAttention(init, 10, 4), Error);
}

TEST_CASE("what comes later changes no bit of a causal layer's earlier outputs", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{6, 0}};
  for (const bool norm_first : {false, true}) {
    for (const bool rotary : {false, true}) {
      const nn::TransformerOptions options{
          .width = 16, .heads = 2, .feedforward = 24, .norm_first = norm_first, .gelu = rotary, .rotary = rotary};
      const nn::TransformerEncoderLayer encoder(init, options);
      const nn::TransformerDecoderLayer decoder(init, options);
      nn::Context context;
      const int time = 70, changed = 66;  // beyond a block of 64 queries
      const Tensor x = numbers(*device, {2, time, 16}, 1), memory = numbers(*device, {2, 5, 16}, 2);
      for (const float value : {3.0f, std::nanf("")}) {
        const Tensor other = with_row(x, 0, changed, value);
        const nn::Mask causal{.causal = true};
        const Tensor a = encoder.forward(x, causal, context), b = encoder.forward(other, causal, context);
        CHECK(rows_of(a, 0, 0, changed) == rows_of(b, 0, 0, changed));
        CHECK(rows_of(a, 0, changed, time) != rows_of(b, 0, changed, time));
        CHECK(rows_of(a, 1, 0, time) == rows_of(b, 1, 0, time));
        const Tensor c = decoder.forward(x, memory, {}, {}, context),
                     d = decoder.forward(other, memory, {}, {}, context);
        CHECK(rows_of(c, 0, 0, changed) == rows_of(d, 0, 0, changed));
        CHECK(rows_of(c, 0, changed, time) != rows_of(d, 0, changed, time));
      }
    }
  }
}

TEST_CASE("keys that are padding have no influence, whatever they hold", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{7, 0}};
  const nn::MultiheadAttention attention(init, 8, 2);
  nn::Context context;
  const Tensor x = numbers(*device, {2, 6, 8}, 3);
  // Sample 0 has four keys, sample 1 all six.
  const Tensor padding = Tensor::from(*device, {2, 6}, std::vector<float>{0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0});
  const nn::Mask mask{.key_padding = padding};
  const Tensor y = attention.forward(x, mask, context);
  const Tensor short_x = ops::narrow(ops::narrow(x, 0, 0, 1), 1, 0, 4);
  const std::vector<float> alone = attention.forward(short_x, nn::Mask{}, context).values();
  const std::vector<float> padded = rows_of(y, 0, 0, 4);
  for (size_t i = 0; i < alone.size(); ++i) CHECK(padded[i] == Approx(alone[i]).margin(1e-6));
  for (const float value : {1e6f, INFINITY, std::nanf("")}) {
    const Tensor z = attention.forward(with_row(x, 0, 5, value), mask, context);
    CHECK(rows_of(z, 0, 0, 4) == padded);
    CHECK(rows_of(z, 1, 0, 6) == rows_of(y, 1, 0, 6));
  }
  CHECK(rows_of(attention.forward(with_row(x, 1, 5, 2), mask, context), 1, 0, 5) != rows_of(y, 1, 0, 5));
}

TEST_CASE("attention to itself and to itself as a memory are the same", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{8, 0}};
  const nn::MultiheadAttention attention(init, 12, 3, true);
  nn::Context context;
  const Tensor x = numbers(*device, {2, 5, 12}, 4);
  const auto self = attention.forward(x, nn::Mask{}, context).values();
  const auto cross = attention.forward(x, x, nn::Mask{}, context).values();
  REQUIRE(self.size() == cross.size());
  for (size_t i = 0; i < self.size(); ++i) CHECK(self[i] == Approx(cross[i]).margin(1e-6));
}

TEST_CASE("dropout makes a transformer's training differ from step to step, and its evaluation repeats", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{9, 0}};
  const nn::TransformerEncoderLayer layer(init, {.width = 8, .heads = 2, .feedforward = 16, .dropout = 0.5f});
  const Tensor x = numbers(*device, {1, 4, 8}, 5);
  nn::Context training{.training = true, .generator = {3, 0}}, evaluation;
  CHECK(layer.forward(x, training).values() != layer.forward(x, training).values());
  CHECK(layer.forward(x, evaluation).values() == layer.forward(x, evaluation).values());
  CHECK(evaluation.generator.draws == 0);
}

TEST_CASE("every parameter of a decoder layer gets a gradient", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{10, 0}};
  const nn::TransformerDecoderLayer layer(init, {.width = 8, .heads = 2, .feedforward = 16, .gelu = true});
  nn::Context context{.training = true, .generator = {}};
  const Tensor y = layer.forward(numbers(*device, {2, 5, 8}, 6), numbers(*device, {2, 3, 8}, 7), {}, {}, context);
  ops::mean(ops::square(ops::add_scalar(y, 1))).backward();
  for (const Parameter& p : layer.parameters()) {
    INFO(p.name);
    REQUIRE(p.value.grad().defined());
    float largest = 0;
    for (const float v : p.value.grad().values()) largest = std::max(largest, std::abs(v));
    CHECK(largest > 0);
  }
  CHECK_THROWS_AS(layer.forward(numbers(*device, {2, 5, 8}, 6), context), Error);
}

TEST_CASE("positions are sines and cosines, or learned", "[nn]") {
  const auto device = make_cpu_device();
  nn::Init init{*device, Generator{11, 0}};
  nn::Context context;
  const Tensor x = Tensor::full(*device, {2, 3, 6}, 1);
  const Tensor y = nn::SinusoidalPositions(*device, 10, 6).forward(x, context);
  for (int t = 0; t < 3; ++t) {
    const std::vector<float> row = rows_of(y, 1, t, t + 1);
    for (int i = 0; i < 3; ++i) {
      const double angle = t / std::pow(10000.0, 2.0 * i / 6);
      CHECK(row[static_cast<size_t>(2 * i)] == Approx(1 + std::sin(angle)).margin(1e-6));
      CHECK(row[static_cast<size_t>(2 * i + 1)] == Approx(1 + std::cos(angle)).margin(1e-6));
    }
  }
  const nn::LearnedPositions learned(init, 4, 6);
  CHECK(named(learned) == Named{{"weight", {4, 6}}});
  const Tensor z = learned.forward(x, context);
  CHECK(rows_of(z, 0, 0, 3) == rows_of(z, 1, 0, 3));
  CHECK_THROWS_AS(learned.forward(Tensor::full(*device, {1, 5, 6}, 1), context), Error);
}
