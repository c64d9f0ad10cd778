// Metrics of points, quantiles and intervals against scikit-learn, closed forms, and what they are at zeros.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "forecast/metrics.h"
#include "forecast/quantiles.h"
#include "io/error.h"
#include "tests/forecast/golden.h"

using namespace sg;
using namespace sg::test;

namespace {

Metrics metrics_of(const std::vector<double>& predictions, const std::vector<double>& truths) {
  MetricSum sum;
  for (size_t i = 0; i < truths.size(); ++i) sum.add(predictions[i], truths[i]);
  return sum.result();
}

double scale_of(const std::vector<double>& values, size_t period) {
  SeasonalScale scale(period);
  for (const double v : values) scale.add(v);
  return scale.result();
}

/// Of the standard normal distribution, by bisection of the error function.
double normal_quantile(double level) {
  double low = -10, high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < level ? low : high) = middle;
  }
  return low;
}

}  // namespace

TEST_CASE("metrics of points are scikit-learn's", "[forecast]") {
  const auto& g = forecast_golden("points");
  const std::vector<double> truth = doubles(g["truth"]), prediction = doubles(g["prediction"]);
  const Metrics m = metrics_of(prediction, truth);
  for (const auto& [name, value] : {std::pair("mae", m.mae),
                                    {"mse", m.mse},
                                    {"rmse", m.rmse},
                                    {"r2", m.r2},
                                    {"mape", m.mape},
                                    {"smape", m.smape}}) {
    INFO(name);
    CHECK(value == Approx(g[name].get<double>()).epsilon(1e-12));
  }
  CHECK(m.count == truth.size());
  CHECK(m.zeros == 0);
}

TEST_CASE("shares of a truth of 0 are left out and counted, and none is no number", "[forecast]") {
  const auto& g = forecast_golden("points");
  std::vector<double> truth = doubles(g["truth"]);
  for (size_t i = 0; i < truth.size(); i += 20) truth[i] = 0;
  const Metrics m = metrics_of(doubles(g["prediction"]), truth);
  CHECK(m.mape == Approx(g["mape_of_kept"].get<double>()).epsilon(1e-12));
  CHECK(m.zeros == 10);
  CHECK(std::isnan(metrics_of({1, 0}, {0, 0}).mape));
  CHECK(metrics_of({1, 0}, {0, 0}).smape == 1);  // 2 of the one, 0 of the other
  CHECK(metrics_of({-3}, {3}).smape == 2);
  CHECK(metrics_of({}, {}).count == 0);
}

TEST_CASE("MASE divides by how far season-old values are off in the training part", "[forecast]") {
  const auto& g = forecast_golden("points");
  std::vector<double> training = doubles(g["training"]);
  CHECK(scale_of(training, 1) == Approx(g["scale1"].get<double>()).epsilon(1e-12));
  CHECK(scale_of(training, 7) == Approx(g["scale7"].get<double>()).epsilon(1e-12));
  CHECK(mase(3, 1.5) == 2);
  CHECK(std::isnan(mase(3, scale_of({4, 4, 4}, 1))));
  CHECK(std::isnan(mase(3, scale_of({4, 5}, 2))));
  const double gap = std::numeric_limits<double>::quiet_NaN();
  CHECK(scale_of({1, gap, 4, 6, gap, gap, 1}, 2) == Approx(3));  // 1 and 4 alone have both sides
  CHECK_THROWS_AS(SeasonalScale(0), Error);
}

TEST_CASE("errors are summed by row ahead and over all of them", "[forecast]") {
  ByHorizon<MetricSum> sums(2);
  sums.add(0, 1.0, 2.0);
  sums.add(0, 5.0, 2.0);
  sums.add(1, 9.0, 2.0);
  CHECK(sums.ahead()[0].result().mae == 2);
  CHECK(sums.ahead()[1].result().mae == 7);
  CHECK(sums.all().result().mae == Approx(11.0 / 3));
  CHECK_THROWS_AS(sums.add(2, 1.0, 1.0), std::out_of_range);
  ByHorizon<QuantileSum> quantiles(3, QuantileSum({0.5}));
  quantiles.add(2, std::vector<float>{1}, 4.0);
  CHECK(quantiles.ahead()[2].result().crps == 3);
  CHECK(quantiles.ahead()[1].result().count == 0);
}

TEST_CASE("pinball losses, coverage and width are those of the reference", "[forecast]") {
  const auto& g = forecast_golden("quantiles");
  const std::vector<double> levels = doubles(g["levels"]), truth = doubles(g["truth"]);
  QuantileSum sum(levels);
  IntervalSum interval;
  for (size_t i = 0; i < truth.size(); ++i) {
    const auto at = g["quantiles"][i].get<std::vector<float>>();
    sum.add(at, truth[i]);
    interval.add(double{at[0]}, double{at[4]}, truth[i]);
  }
  const QuantileScores scores = sum.result();
  for (size_t i = 0; i < levels.size(); ++i)
    CHECK(scores.pinball[i] == Approx(g["pinball"][i].get<double>()).epsilon(1e-12));
  CHECK(scores.crossed == 0);
  CHECK(interval.result().coverage == Approx(g["coverage"].get<double>()).epsilon(1e-12));
  CHECK(interval.result().width == Approx(g["width"].get<double>()).epsilon(1e-12));
  CHECK(interval.result().below + interval.result().above > 0);
}

TEST_CASE("CRPS of many quantiles is the closed form of the normal distribution", "[forecast]") {
  const auto& g = forecast_golden("quantiles");
  const double mean = g["normal"]["mean"], std = g["normal"]["std"], crps = g["normal"]["crps"];
  for (const bool even : {true, false}) {
    std::vector<double> levels;
    for (int i = 1; i < 400; ++i) {
      const double level = i / 400.0;
      levels.push_back(even ? level : level * level);  // crowded at one end: each still stands for its own share
    }
    std::vector<float> quantiles;
    for (const double level : levels) quantiles.push_back(static_cast<float>(mean + std * normal_quantile(level)));
    QuantileSum sum(levels);
    for (const double y : doubles(g["truth"])) sum.add(quantiles, y);
    CHECK(sum.result().crps == Approx(crps).epsilon(0.002));
  }
  QuantileSum median({0.5});
  median.add(std::vector<float>{2}, 5);
  median.add(std::vector<float>{2}, 1);
  CHECK(median.result().crps == 2);
}

TEST_CASE("levels that are no levels are refused, and quantiles that cross are counted", "[forecast]") {
  for (const std::vector<double>& levels :
       std::vector<std::vector<double>>{{}, {0}, {1}, {0.5, 0.5}, {0.9, 0.1}, {NAN}})
    CHECK_THROWS_AS(QuantileSum(levels), Error);
  QuantileSum sum({0.1, 0.9});
  CHECK_THROWS_AS(sum.add(std::vector<float>{1}, 0), Error);
  sum.add(std::vector<float>{1, 0}, 0);
  sum.add(std::vector<float>{0, 1}, 0);
  CHECK(sum.result().crossed == 1);
  CHECK(sum.result().count == 2);
}
