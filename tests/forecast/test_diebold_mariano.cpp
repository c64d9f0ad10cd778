// The test of two forecasts' losses against NumPy and SciPy, and how often it is wrong.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "forecast/diebold_mariano.h"
#include "io/error.h"
#include "tests/forecast/golden.h"

using namespace sg;
using namespace sg::test;

TEST_CASE("Student's distribution is SciPy's", "[forecast]") {
  for (const auto& g : forecast_golden("dieboldMariano")["student"]) {
    INFO(g.dump());
    CHECK(student_cdf(g[0], g[1]) == Approx(g[2].get<double>()).epsilon(1e-9).margin(1e-200));
  }
}

TEST_CASE("statistic and p of two forecasts are the reference's", "[forecast]") {
  for (const auto& g : forecast_golden("dieboldMariano")["cases"]) {
    DieboldMariano test(g["horizon"]), other(g["horizon"]);
    const std::vector<double> a = doubles(g["a"]), b = doubles(g["b"]);
    for (size_t i = 0; i < a.size(); ++i) test.add(a[i], b[i]), other.add(b[i], a[i]);
    const DieboldMarianoResult result = test.result();
    CHECK_FALSE(result.weighted);
    CHECK(result.count == a.size());
    CHECK(result.statistic == Approx(g["statistic"].get<double>()).epsilon(1e-9));
    CHECK(result.p == Approx(g["p"].get<double>()).epsilon(1e-9));
    CHECK(other.result().statistic == Approx(-result.statistic));
    CHECK(other.result().p == Approx(result.p));
  }
}

TEST_CASE("forecasts that differ by chance alone are told apart about as often as the level says", "[forecast]") {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  int wrong = 0;
  for (int run = 0; run < 1000; ++run) {
    DieboldMariano test(3);
    double before[2] = {normal(random), normal(random)};
    for (int t = 0; t < 200; ++t) {  // windows of three rows share two of them with the next
      const double now = normal(random);
      test.add(now + before[0] + before[1], 0);
      before[0] = before[1], before[1] = now;
    }
    wrong += test.result().p < 0.05;
  }
  CHECK(wrong > 25);
  CHECK(wrong < 85);
}

TEST_CASE("what cannot be told is no difference, and what is always the same is one", "[forecast]") {
  CHECK_THROWS_AS(DieboldMariano(0), Error);
  DieboldMariano few(4), same(1), constant(2), alternating(2);
  CHECK(few.result().p == 1);
  for (int i = 0; i < 4; ++i) few.add(i, 0);
  CHECK(few.result().p == 1);
  CHECK(few.result().difference == 1.5);
  for (int i = 0; i < 50; ++i) same.add(i, i), constant.add(1.1 + i, 1.0 + i), alternating.add(i % 2 ? 1 : -1.5, 0);
  CHECK(same.result().p == 1);
  CHECK(constant.result().p < 1e-6);
  CHECK(alternating.result().weighted);
  CHECK(alternating.result().p > 0);
}
