// Layers for series, against their definitions in plain loops: reversible instance normalisation and patches.
#include <catch2/catch.hpp>
#include <cmath>

#include "nn/patching.h"
#include "nn/revin.h"
#include "ops/ops.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

Tensor series(Device& device, const Shape& shape, uint32_t draw, float level = 0) {
  return ops::uniform(device, shape, level - 2, level + 3, {5, 0}, Stream::weights, draw);
}

TEST_CASE("RevIN normalises each window and column by its own mean and deviation", "[nn]") {
  constexpr size_t kBatch = 3, kTime = 7, kColumns = 2;
  nn::Init init{device("cpu"), Generator{1, 0}};
  nn::RevIN revin(init, kColumns);
  nn::Context context;
  Parameter weight = revin.parameters()[0], bias = revin.parameters()[1];
  CHECK(weight.name == "affine_weight");
  CHECK(bias.name == "affine_bias");
  const float w[]{1.5f, 0.5f}, b[]{-1, 2};
  weight.value.set_value(Tensor::from(device("cpu"), {2}, w));
  bias.value.set_value(Tensor::from(device("cpu"), {2}, b));
  const Tensor x = series(device("cpu"), {kBatch, kTime, kColumns}, 0, 40);
  const std::vector<float> in = x.values(), out = revin.forward(x, context).values();
  for (size_t n = 0; n < kBatch; ++n)
    for (size_t c = 0; c < kColumns; ++c) {
      const auto at = [&](size_t t) { return (n * kTime + t) * kColumns + c; };
      double mean = 0, variance = 0;
      for (size_t t = 0; t < kTime; ++t) mean += double{in[at(t)]} / kTime;
      for (size_t t = 0; t < kTime; ++t) variance += std::pow(in[at(t)] - mean, 2) / kTime;
      for (size_t t = 0; t < kTime; ++t)
        CHECK(out[at(t)] == Approx((in[at(t)] - mean) / std::sqrt(variance + 1e-5) * w[c] + b[c]).margin(1e-4));
    }
}

TEST_CASE("RevIN's restoring is the inverse of its normalising, also for a column that does not vary", "[nn]") {
  nn::Init init{device("cpu"), Generator{1, 0}};
  const nn::RevIN revin(init, 2);
  std::vector<float> values = series(device("cpu"), {4, 6, 2}, 3, 10).values();
  for (size_t i = 1; i < values.size(); i += 2) values[i] = 7.25f;
  const Tensor x = Tensor::from(device("cpu"), {4, 6, 2}, values);
  const auto s = revin.statistics(x);
  const std::vector<float> back = revin.restore(revin.normalise(x, s), s).values();
  for (size_t i = 0; i < values.size(); ++i) CHECK(back[i] == Approx(values[i]).epsilon(1e-5));
  CHECK_THROWS_WITH(revin.statistics(series(device("cpu"), {4, 6, 3}, 0)), Catch::Contains("[4, 6, 3]"));
}

TEST_CASE("RevIN's statistics stand outside the tape", "[nn]") {
  nn::Init init{device("cpu"), Generator{1, 0}};
  const nn::RevIN revin(init, 1);
  nn::Context context;
  Tensor x = series(device("cpu"), {1, 5, 1}, 4);
  x.set_requires_grad();
  ops::sum(revin.forward(x, context)).backward();
  const float expected = 1 / revin.statistics(x).deviation.item();  // with them on the tape it would be 0
  for (const float dx : x.grad().values()) CHECK(dx == Approx(expected).epsilon(1e-5));
}

struct Cut {
  int batch, time, columns, length, stride;
  bool padding;
};
const Cut kCuts[]{{2, 24, 3, 16, 8, true}, {2, 24, 3, 16, 8, false}, {1, 5, 1, 5, 1, false}, {1, 5, 2, 5, 3, true},
                  {3, 13, 2, 4, 3, true},  {3, 13, 2, 4, 3, false},  {2, 11, 1, 3, 5, true}, {2, 11, 1, 3, 5, false},
                  {2, 17, 2, 6, 4, true},  {1, 1, 1, 1, 1, true},    {2, 9, 4, 1, 2, false}};

TEST_CASE("patches are stretches of the series, the last row repeated past its end", "[nn]") {
  for (const char* name : {"cpu", "webgl"})
    for (const Cut& cut : kCuts) {
      const nn::Patching patching(cut.length, cut.stride, cut.padding);
      nn::Context context;
      Tensor x = series(device(name), {cut.batch, cut.time, cut.columns}, 9);
      x.set_requires_grad();
      const Tensor y = patching.forward(x, context);
      const int patches = patching.count(cut.time);
      INFO(name << ": length " << cut.length << ", stride " << cut.stride << ", " << patches << " patches");
      REQUIRE(y.shape() == Shape{cut.batch, cut.columns, patches, cut.length});
      CHECK((patches - 1 - (cut.padding ? 1 : 0)) * cut.stride + cut.length <= cut.time);
      const std::vector<float> in = x.values(), out = y.values();
      std::vector<float> uses(in.size());
      size_t i = 0;
      for (int n = 0; n < cut.batch; ++n)
        for (int c = 0; c < cut.columns; ++c)
          for (int p = 0; p < patches; ++p)
            for (int k = 0; k < cut.length; ++k, ++i) {
              const int t = std::min(p * cut.stride + k, cut.time - 1);
              const auto from = static_cast<size_t>((n * cut.time + t) * cut.columns + c);
              CHECK(out[i] == in[from]);
              ++uses[from];
            }
      ops::sum(y).backward();
      CHECK(x.grad().values() == uses);
    }
}

TEST_CASE("a series shorter than a patch is refused", "[nn]") {
  nn::Context context;
  CHECK(nn::Patching(8, 4).count(7) == 0);
  CHECK_THROWS_WITH(nn::Patching(8, 4).forward(series(device("cpu"), {1, 7, 1}, 0), context),
                    Catch::Contains("[1, 7, 1]") && Catch::Contains("8"));
}

}  // namespace
}  // namespace sg::tests
