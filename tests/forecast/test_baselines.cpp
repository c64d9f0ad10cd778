// The forecasts that a model has to beat, and the season that is proposed for them.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "forecast/baselines.h"

using namespace sg;

namespace {

SeriesTable series(std::vector<float> values) {
  SeriesTable table;
  table.rows = values.size();
  table.features = {{"v", values}};
  table.targets = {{"v", std::move(values)}};
  return table;
}

SeriesTable wave(size_t rows, double period, double noise, double drift, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<float> values;
  double walk = 0;
  for (size_t i = 0; i < rows; ++i) {
    walk += drift * normal(random);
    const double season = period > 0 ? std::sin(2 * M_PI * static_cast<double>(i) / period) : 0;
    values.push_back(static_cast<float>(season + noise * normal(random) + walk));
  }
  return series(std::move(values));
}

std::optional<size_t> season_of(const SeriesTable& table) {
  const auto season = propose_season(ForecastData(table, {4, 1, 0.2}));
  return season ? std::optional<size_t>(season->period) : std::nullopt;
}

}  // namespace

TEST_CASE("metrics are what their names say", "[forecast]") {
  MetricSum sum;
  CHECK(sum.result().count == 0);
  const std::vector<float> prediction = {1, 2, 3}, truth = {1, 4, 2};
  sum.add(prediction, truth);
  CHECK(sum.result().mse == Approx(5.0 / 3));
  CHECK(sum.result().mae == Approx(1));
  CHECK(sum.result().rmse == Approx(std::sqrt(5.0 / 3)));
  CHECK(sum.result().count == 3);
  CHECK_THROWS_AS(sum.add(prediction, std::span(truth).first(2)), Error);
}

TEST_CASE("the naive forecast repeats the last value, in both units", "[forecast]") {
  std::vector<float> values;
  for (int i = 0; i < 40; ++i) values.push_back(static_cast<float>(3 * i));
  const ForecastData data(series(values), {4, 2, 0.25});
  const BaselineResult naive = naive_forecast(data);
  CHECK(naive.data[0].mae == Approx(4.5));  // 3 one row ahead, 6 two rows ahead
  CHECK(naive.data[0].mse == Approx((9 + 36) / 2.0));
  const double std = data.scaler().targets[0].std;
  CHECK(naive.scaled.mse == Approx((9 + 36) / 2.0 / (std * std)));
  CHECK(naive.scaled.count == data.windows().validation.size() * 2);
  CHECK(naive.to_json()["name"] == "naive");
}

TEST_CASE("the seasonal forecast repeats the last season and beats naive on a wave", "[forecast]") {
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(i % 4));
  const ForecastData data(series(values), {2, 6, 0.25});  // a horizon over more than one season
  CHECK(seasonal_naive_forecast(data, 4).scaled.mse == 0);
  CHECK(seasonal_naive_forecast(data, 4).fallbacks == 0);
  CHECK(seasonal_naive_forecast(data, 4).scaled.count == naive_forecast(data).scaled.count);
  CHECK(naive_forecast(data).scaled.mse > 0.5);
  CHECK(seasonal_naive_forecast(data, 1).scaled.mse == naive_forecast(data).scaled.mse);
  CHECK_THROWS_AS(seasonal_naive_forecast(data, 0), Error);
  CHECK_THROWS_AS(seasonal_naive_forecast(data, 46), Error);
}

TEST_CASE("a missing value one season ago is replaced by an older one, and counted", "[forecast]") {
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(i % 4));
  values[46] = std::numeric_limits<float>::quiet_NaN();
  const BaselineResult result = seasonal_naive_forecast(ForecastData(series(values), {1, 1, 0.25}), 4);
  CHECK(result.fallbacks == 1);
  CHECK(result.scaled.mse == 0);
}

TEST_CASE("the season of a series is proposed, and none where there is none", "[forecast]") {
  CHECK(season_of(wave(2000, 24, 0.3, 0)) == 24u);
  CHECK(season_of(wave(2000, 24, 0.05, 0.2)) == 24u);  // drowned in drift
  CHECK(season_of(wave(400, 12, 0.2, 0)) == 12u);
  CHECK(season_of(wave(1461, 365, 0.3, 0)) == 365u);
  CHECK_FALSE(season_of(wave(2000, 0, 1, 0)));
  CHECK_FALSE(season_of(wave(2000, 0, 0, 1)));
  CHECK_FALSE(season_of(series(std::vector<float>(200, 1.0f))));
  CHECK_FALSE(season_of(series({1, 2, 3, 4, 5, 6, 7, 8})));
}

TEST_CASE("validation rows do not move the proposed season", "[forecast]") {
  SeriesTable table = wave(1000, 24, 0.2, 0);
  const auto before = season_of(table);
  for (size_t r = 800; r < 1000; ++r)
    table.targets[0].values[r] = table.features[0].values[r] = static_cast<float>(r % 7) * 50;
  CHECK(season_of(table) == before);
}
