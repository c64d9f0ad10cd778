// Intervals cover what they promise on rows that were held out, whatever the noise; adaptive ones while it changes.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "forecast/conformal.h"
#include "forecast/quantiles.h"
#include "io/error.h"

using namespace sg;

namespace {

/// Errors of a forecast, by time.
using Noise = std::function<double(std::mt19937&, int)>;

const std::pair<const char*, Noise> kNoises[] = {
    {"normal", [](std::mt19937& r, int) { return std::normal_distribution<double>()(r); }},
    {"heavy tails", [](std::mt19937& r, int) { return std::student_t_distribution<double>(2.5)(r); }},
    {"skewed", [](std::mt19937& r, int) { return std::exponential_distribution<double>()(r) - 0.3; }},
    {"varying",
     [](std::mt19937& r, int t) { return (1.5 + std::sin(t / 12.0)) * std::normal_distribution<double>()(r); }},
    {"two kinds", [](std::mt19937& r, int t) { return (t % 3 ? 1 : 8) * std::normal_distribution<double>()(r); }}};

}  // namespace

TEST_CASE("a split conformal margin is the score that its rank names", "[forecast]") {
  const std::vector<double> scores = {9, 1, 8, 2, 7, 3, 6, 4, 5};
  CHECK(conformal_margin(scores, 0.5) == 5);
  CHECK(conformal_margin(scores, 0.9) == 9);  // (9 + 1) 0.9 = 9, whatever rounding says
  CHECK(conformal_margin(scores, 0.11) == 2);
  CHECK(std::isinf(conformal_margin(scores, 0.91)));
  CHECK(std::isinf(conformal_margin({}, 0.5)));
  for (const double level : {0.0, 1.0, -1.0, std::nan("")}) CHECK_THROWS_AS(conformal_margin(scores, level), Error);
  CHECK_THROWS_AS(conformal_margin({1, std::nan("")}, 0.5), Error);
}

TEST_CASE("split intervals cover within 2 points of their level on rows held out", "[forecast]") {
  for (const auto& [name, noise] : kNoises) {
    for (const double level : {0.5, 0.8, 0.9, 0.95}) {
      std::mt19937 random(29);
      std::vector<double> scores;
      for (int t = 0; t < 4000; ++t) scores.push_back(std::abs(noise(random, t)));
      const double margin = conformal_margin(scores, level);
      IntervalSum sum;
      for (int t = 4000; t < 12000; ++t) sum.add(-margin, margin, noise(random, t));
      INFO(name << " " << level);
      CHECK(sum.result().coverage == Approx(level).margin(0.02));
    }
  }
}

TEST_CASE("adaptive intervals cover within 2 points where the noise grows, and fixed ones do not", "[forecast]") {
  for (const auto& [name, noise] : kNoises) {
    std::mt19937 random(31);
    AdaptiveConformal adaptive(0.9, 0.02, 300);
    std::vector<double> scores;
    IntervalSum moving, fixed;
    double margin = 0;
    for (int t = 0; t < 8000; ++t) {
      const double growth = t < 1000 ? 1 : 1 + (t - 1000) / 1000.0, error = growth * noise(random, t);
      const double given = adaptive.margin();
      if (t == 1000) margin = conformal_margin(scores, 0.9);
      if (t >= 1000) {
        moving.add(-given, given, error);
        fixed.add(-margin, margin, error);
      }
      scores.push_back(std::abs(error));
      adaptive.add(std::abs(error), given);
    }
    INFO(name);
    CHECK(moving.result().coverage == Approx(0.9).margin(0.02));
    CHECK(fixed.result().coverage < 0.8);
  }
}

TEST_CASE("adaptive intervals widen after misses, and keep the last scores alone", "[forecast]") {
  AdaptiveConformal adaptive(0.5, 0.1, 3);
  CHECK(std::isinf(adaptive.margin()));
  for (const double score : {100.0, 1.0, 2.0, 3.0}) adaptive.add(score, score);  // hits: 0.05 narrower each
  CHECK(adaptive.margin() == 2);                                                 // of 1, 2, 3: 4 * 0.3 is 1.2
  for (int i = 0; i < 20; ++i) adaptive.add(2, 0);
  CHECK(std::isinf(adaptive.margin()));
  CHECK(adaptive.margin() > 0);
  CHECK_THROWS_AS(AdaptiveConformal(1, 0.1, 3), Error);
  CHECK_THROWS_AS(AdaptiveConformal(0.9, -0.1, 3), Error);
  CHECK_THROWS_AS(AdaptiveConformal(0.9, 0.1, 0), Error);
  CHECK_THROWS_AS(adaptive.add(std::nan(""), 1), Error);
}
