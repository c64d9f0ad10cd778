// Initialisers: their distributions, that they are the same bits on every device and in every build, and the numbers
// that existing checkpoints were started from.
#include "nn/init.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "ops/ops.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Make = Tensor (*)(nn::Init&);

struct Kind {
  const char* name;
  Make make;
  double std, kurtosis;  // of all numbers; a uniform distribution's kurtosis is 1.8, a normal one's 3
};
const Kind kKinds[]{
    {"uniform",
     [](nn::Init& i) {
       return i.uniform({64, 96}, 0.5f);
     },
     0.5 / std::sqrt(3.0), 1.8},
    {"normal",
     [](nn::Init& i) {
       return i.normal({64, 96}, 0.02);
     },
     0.02, 3},
    {"kaiming_uniform",
     [](nn::Init& i) {
       return i.kaiming_uniform({64, 16, 3, 2});
     },
     std::sqrt(2.0 / 96), 1.8},
    {"kaiming_normal",
     [](nn::Init& i) {
       return i.kaiming_normal({64, 32, 3}, 1);
     },
     std::sqrt(1.0 / 96), 3},
    {"xavier_uniform",
     [](nn::Init& i) {
       return i.xavier_uniform({64, 96});
     },
     std::sqrt(2.0 / 160), 1.8},
    {"xavier_normal",
     [](nn::Init& i) {
       return i.xavier_normal({64, 24, 4}, 3);
     },
     3 * std::sqrt(2.0 / 352), 3},
    {"orthogonal",
     [](nn::Init& i) {
       return i.orthogonal({64, 96});
     },
     std::sqrt(1.0 / 96), 3},
};

std::vector<float> numbers(const char* device_name, const Kind& kind, uint64_t seed) {
  nn::Init init{device(device_name), Generator{seed, 0}};
  return kind.make(init).values();
}

TEST_CASE("initialisers have the mean, the variance and the shape of their distribution", "[nn]") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    double mean = 0, square = 0, fourth = 0;
    const std::vector<float> x = numbers("cpu", kind, 11);
    REQUIRE(x.size() == 64 * 96);
    const auto n = static_cast<double>(x.size());
    for (const float v : x) mean += v / n;
    for (const float v : x) square += std::pow(v - mean, 2) / n, fourth += std::pow(v - mean, 4) / n;
    CHECK(mean == Approx(0).margin(4 * kind.std / std::sqrt(n)));
    CHECK(std::sqrt(square) == Approx(kind.std).epsilon(0.03));
    CHECK(fourth / (square * square) == Approx(kind.kurtosis).epsilon(0.08));
  }
}

TEST_CASE("initialisers give the same bits on every device, and others for another seed or draw", "[nn]") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    const std::vector<float> x = numbers("cpu", kind, 3);
    CHECK(x == numbers("webgl", kind, 3));
    CHECK(x != numbers("cpu", kind, 4));
    nn::Init init{device("cpu"), Generator{3, 0}};
    CHECK(x == kind.make(init).values());
    CHECK(x != kind.make(init).values());
    CHECK(init.draw == 2);
  }
}

TEST_CASE("initialisers start with the same numbers in every build", "[nn]") {
  const std::vector<std::vector<float>> golden{
      {-0x1.44ec2cp-2f, -0x1.6d842cp-2f, 0x1.da07bp-2f},  {-0x1.289986p-6f, -0x1.5d8a7p-6f, 0x1.248e88p-5f},
      {-0x1.44ec2cp-3f, -0x1.6d842cp-3f, 0x1.da07bp-3f},  {-0x1.7a650ep-4f, -0x1.bdef8ap-4f, 0x1.753ca2p-3f},
      {-0x1.f75e2cp-4f, -0x1.1b20b2p-3f, 0x1.6f2e9cp-3f}, {-0x1.a331cep-3f, -0x1.ee049cp-3f, 0x1.9d7b04p-2f},
      {-0x1.9ee9e4p-4f, -0x1.e8f914p-4f, 0x1.99420ap-3f}};
  for (size_t k = 0; k < golden.size(); ++k) {
    INFO(kKinds[k].name);
    const std::vector<float> x = numbers("cpu", kKinds[k], 7);
    for (size_t i = 0; i < golden[k].size(); ++i) CHECK(x[i] == golden[k][i]);
  }
}

TEST_CASE("uniform weights are the numbers of the device's own uniform kernel", "[nn]") {
  Device& cpu = device("cpu");
  nn::Init init{cpu, Generator{21, 0}};
  (void)init.uniform({3}, 1);
  CHECK(init.uniform({37, 5}, 0.31f).values() ==
        ops::uniform(cpu, {37, 5}, -0.31f, 0.31f, {21, 0}, Stream::weights, 1).values());
}

TEST_CASE("the normal quantile is that of the tables", "[nn]") {
  CHECK(nn::normal_quantile(0.5) == 0);
  CHECK(nn::normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-15));
  CHECK(nn::normal_quantile(0.9) == Approx(1.2815515655446004).epsilon(1e-15));
  CHECK(nn::normal_quantile(0.25) == Approx(-0.6744897501960817).epsilon(1e-15));
  CHECK(nn::normal_quantile(1e-3) == Approx(-3.0902323061678132).epsilon(1e-15));
  CHECK(nn::normal_quantile(1e-20) == Approx(-9.262340089798408).epsilon(1e-15));
  for (double p = 0.0005; p < 1; p += 0.0005)
    CHECK(std::erfc(-nn::normal_quantile(p) / std::sqrt(2.0)) / 2 == Approx(p).epsilon(1e-13));
}

/// The largest distance of A Aᵀ (or Aᵀ A, whichever is smaller) from gain² I, for rows [first, first + rows) of a.
double distance_from_orthogonal(const std::vector<float>& a, size_t first, size_t rows, size_t columns, double gain) {
  const auto at = [&](size_t r, size_t c) { return double{a[(first + r) * columns + c]}; };
  const size_t count = std::min(rows, columns), n = std::max(rows, columns);
  double worst = 0;
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j) {
      double sum = i == j ? -gain * gain : 0;
      for (size_t k = 0; k < n; ++k) sum += rows <= columns ? at(i, k) * at(j, k) : at(k, i) * at(k, j);
      worst = std::max(worst, std::abs(sum));
    }
  return worst;
}

TEST_CASE("orthogonal weights are orthogonal, wide, tall, square, and a gate at a time", "[nn]") {
  nn::Init init{device("cpu"), Generator{5, 0}};
  for (const auto& [rows, columns] : {std::pair{40, 40}, {17, 40}, {40, 17}, {1, 9}, {9, 1}}) {
    const Tensor w = init.orthogonal({rows, columns}, 2);
    CHECK(distance_from_orthogonal(w.values(), 0, static_cast<size_t>(rows), static_cast<size_t>(columns), 2) < 4e-6);
  }
  const std::vector<float> gates = init.orthogonal({4 * 24, 24}, 1, 4).values();
  for (size_t gate = 0; gate < 4; ++gate) CHECK(distance_from_orthogonal(gates, gate * 24, 24, 24, 1) < 1e-6);
  CHECK_THROWS_WITH(init.orthogonal({10, 3}, 1, 4), Catch::Contains("4 blocks of a weight [10, 3]"));
}

TEST_CASE("constants take no draw, every initial weight needs a gradient", "[nn]") {
  nn::Init init{device("cpu"), Generator{5, 0}};
  CHECK(init.ones({2}).values() == std::vector<float>{1, 1});
  CHECK(init.zeros({2}).values() == std::vector<float>{0, 0});
  CHECK(init.constant({1}, -3.5f).values() == std::vector<float>{-3.5f});
  CHECK(init.draw == 0);
  CHECK(init.ones({2}).requires_grad());
  for (const Kind& kind : kKinds) CHECK(kind.make(init).requires_grad());
  CHECK_THROWS_WITH(init.kaiming_normal({8}), Catch::Contains("two axes"));
}

}  // namespace
}  // namespace sg::tests
