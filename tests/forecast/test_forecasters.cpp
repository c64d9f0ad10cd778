// What forecasts without a network: ridge regression against scikit-learn, the others by hand, and none of them sees a
// row that it forecasts.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "forecast/forecasters.h"
#include "forecast/series_part.h"
#include "tests/forecast/golden.h"

using namespace sg;
using namespace sg::test;

namespace {

/// A season of 6 rows, a slope and noise; the second target follows the first feature.
SeriesTable busy_series(size_t rows) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  SeriesTable table;
  table.rows = rows;
  table.features = {{"a", {}}, {"b", {}}};
  table.targets = {{"a", {}}, {"c", {}}};
  for (size_t r = 0; r < rows; ++r) {
    const double t = static_cast<double>(r), a = 3 * std::sin(2 * M_PI * t / 6) + 0.02 * t + 0.3 * normal(random);
    table.features[0].values.push_back(static_cast<float>(a));
    table.features[1].values.push_back(static_cast<float>(normal(random)));
    table.targets[0].values.push_back(static_cast<float>(a));
    table.targets[1].values.push_back(static_cast<float>(1 - 0.5 * a + 0.1 * normal(random)));
  }
  return table;
}

std::vector<Forecaster> all_forecasters(const ForecastData& data) {
  return {naive_forecaster(data), drift_forecaster(data), moving_average_forecaster(data, 6),
          smoothing_forecaster(data, fit_smoothings(data, 6)), ridge_forecaster(data, fit_ridge(data))};
}

/// All validation windows, one after the other.
std::vector<double> forecasts(const ForecastData& data, const Forecaster& forecaster, size_t windows) {
  std::vector<double> all, y(data.config().horizon * data.targets());
  for (size_t i = 0; i < windows; ++i) {
    forecaster.forecast(data.windows().validation[i], y);
    all.insert(all.end(), y.begin(), y.end());
  }
  return all;
}

}  // namespace

TEST_CASE("ridge regression over runs of windows is scikit-learn's", "[forecast]") {
  const auto& g = forecast_golden("ridge");
  const size_t look_back = g["lookBack"], horizon = g["horizon"];
  const auto x = g["x"].get<std::vector<float>>(), y = g["y"].get<std::vector<float>>();
  RidgeMoments moments(look_back, horizon, 2, 2);
  CHECK_THROWS_WITH(moments.solve(1), Catch::Contains("no window"));
  for (const auto& run : g["runs"]) {
    const size_t from = run[0], to = run[1];
    moments.add(std::span(x).subspan(from * 2), std::span(y).subspan(from * 2), to - from);
  }
  CHECK(moments.windows() == 53);
  const RidgeWeights ridge = moments.solve(g["alpha"]);
  for (size_t i = 0; i < ridge.weights.size(); ++i)
    CHECK(ridge.weights[i] == Approx(g["weights"][i].get<double>()).epsilon(1e-8).margin(1e-9));
  for (size_t i = 0; i < 6; ++i) CHECK(ridge.constant[i] == Approx(g["constant"][i].get<double>()).epsilon(1e-8));
  std::vector<double> out(6);
  ridge.forecast(std::span(x).subspan(g["at"].get<size_t>() * 2, look_back * 2), out);
  for (size_t i = 0; i < 6; ++i) CHECK(out[i] == Approx(g["forecast"][i].get<double>()).epsilon(1e-8));
  CHECK_THROWS_AS(moments.solve(0), Error);
  CHECK_THROWS_AS(moments.add(std::span(x).first(40), y, 20), Error);
}

TEST_CASE("drift and moving average are what their names say", "[forecast]") {
  SeriesTable table;
  table.rows = 40;
  table.features = table.targets = {{"v", {}}};
  for (int r = 0; r < 40; ++r) table.targets[0].values.push_back(static_cast<float>(3 * r + (r % 2)));
  table.features = table.targets;
  const ForecastData data(table, {5, 3, 0.25});
  std::vector<double> y(3);
  const ColumnScale& scale = data.scaler().targets[0];
  drift_forecaster(data).forecast(10, y);  // reads rows 10..14: from 30 to 42
  for (size_t h = 0; h < 3; ++h) CHECK(scale.restore(y[h]) == Approx(42 + 3 * static_cast<double>(h + 1)));
  moving_average_forecaster(data, 2).forecast(10, y);  // 40 and 42
  for (size_t h = 0; h < 3; ++h) CHECK(scale.restore(y[h]) == Approx(41));
  CHECK(moving_average_forecaster(data, 2).period == 2);
  CHECK_THROWS_AS(moving_average_forecaster(data, 0), Error);
  CHECK_THROWS_AS(moving_average_forecaster(data, 6), Error);
  const ForecastData one(table, {1, 2, 0.25});
  y.resize(2);
  drift_forecaster(one).forecast(10, y);
  CHECK(scale.restore(y[1]) == Approx(30));
}

TEST_CASE("no baseline sees a row that it forecasts, nor fits a validation row", "[forecast]") {
  const WindowConfig config{12, 4, 0.25};
  SeriesTable table = busy_series(400);
  const ForecastData before(table, config);
  const size_t kWindows = 40, end = before.windows().validation[kWindows - 1] + config.look_back;
  for (auto* columns : {&table.features, &table.targets})
    for (SeriesColumn& c : *columns)
      for (size_t r = end; r < table.rows; ++r) c.values[r] = 1e4f * static_cast<float>(r % 5);
  const ForecastData after(table, config);
  const auto first = all_forecasters(before), second = all_forecasters(after);
  for (size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].name);
    CHECK(forecasts(before, first[i], kWindows) == forecasts(after, second[i], kWindows));
  }
}

TEST_CASE("on a series with a season smoothing and ridge beat the naive forecast, and are measured alike",
          "[forecast]") {
  const ForecastData data(busy_series(600), {12, 6, 0.25});
  const double naive = naive_forecast(data).scaled.mse;
  for (const Forecaster& forecaster : all_forecasters(data)) {
    const BaselineResult result = measure(data, forecaster);
    INFO(result.name << " " << result.scaled.mse << " naive " << naive);
    CHECK(result.scaled.count == data.windows().validation.size() * 12);
    CHECK(result.by_horizon.size() == 6);
    if (result.name == "smoothing" || result.name == "ridge") CHECK(result.scaled.mse < 0.1 * naive);
    if (result.name == "smoothing") CHECK(result.period == 6);
  }
}

TEST_CASE("smoothing follows the rows from the training part's end on", "[forecast]") {
  const ForecastData data(busy_series(300), {8, 3, 0.2});
  const std::vector<Smoothing> models = fit_smoothings(data, 6);
  const Forecaster forecaster = smoothing_forecaster(data, models);
  REQUIRE(models.size() == 2);
  CHECK(models[0].end.row == 240);
  std::vector<double> y(6);
  // Backwards is slower, not different.
  for (const size_t start : {232u, 250u, 280u, 241u}) {
    forecaster.forecast(start, y);
    for (size_t k = 0; k < 2; ++k) {
      SmoothingState state = models[k].end;
      while (state.row < start + 8) models[k].step(state, data.target(static_cast<size_t>(state.row), k));
      for (size_t h = 0; h < 3; ++h) CHECK(y[h * 2 + k] == models[k].ahead(state, h + 1));
    }
  }
  CHECK_THROWS_AS(forecaster.forecast(100, y), Error);
}

TEST_CASE("in a stretch of rows elsewhere smoothing begins at its first row", "[forecast]") {
  const SeriesTable table = busy_series(300);
  const WindowConfig config{8, 3, 0.2};
  const ForecastData whole(table, config);
  const std::vector<Smoothing> models = fit_smoothings(whole, 6);
  SeriesPart part(20, config, 240, whole.scaler());
  std::vector<float> values;  // columns a, b, c of rows 270..289
  for (const SeriesColumn* c : {&table.features[0], &table.features[1], &table.targets[1]})
    values.insert(values.end(), c->values.begin() + 270, c->values.begin() + 290);
  SeriesChoice choice;
  choice.rows = 300;
  choice.feature_at = {0, 1};
  choice.target_at = {0, 2};
  part.put({0, 270, 20, values}, choice, 0);
  std::vector<double> y(6);
  smoothing_forecaster(part, models).forecast(9, y);
  SmoothingState state = models[0].elsewhere(270);
  for (size_t r = 270; r < 287; ++r) models[0].step(state, whole.target(r, 0));
  for (size_t h = 0; h < 3; ++h) CHECK(y[h * 2] == Approx(models[0].ahead(state, h + 1)).epsilon(1e-12));
  CHECK(y[0] == Approx(double{whole.target(287, 0)}).margin(0.5));
}

TEST_CASE("of a wide window each target's own history is read, its last rows", "[forecast]") {
  const ForecastData wide(busy_series(1500), {600, 2, 0.2});
  const RidgeForecast ridge = fit_ridge(wide);
  CHECK(ridge.own_history);
  CHECK(ridge.look_back == 512);
  REQUIRE(ridge.parts.size() == 2);
  CHECK(ridge.parts[0].weights.size() == 512 * 2);
  CHECK(measure(wide, ridge_forecaster(wide, ridge)).scaled.mse < 0.1 * naive_forecast(wide).scaled.mse);
  const ForecastData narrow(busy_series(1500), {12, 2, 0.2});
  CHECK_FALSE(fit_ridge(narrow).own_history);
}

TEST_CASE("noise gets a heavier penalty than a season that repeats", "[forecast]") {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  SeriesTable noise;
  noise.rows = 300;
  noise.targets = {{"v", {}}};
  for (size_t r = 0; r < noise.rows; ++r) noise.targets[0].values.push_back(normal(random));
  noise.features = noise.targets;
  const ForecastData of_noise(noise, {48, 4, 0.25}), of_season(busy_series(300), {12, 4, 0.25});
  const double windows = static_cast<double>(of_noise.windows().training.size());
  CHECK(fit_ridge(of_noise).parts[0].penalty >= 0.1 * windows);
  CHECK(fit_ridge(of_season).parts[0].penalty <= 0.1 * static_cast<double>(of_season.windows().training.size()));
  const ForecastData few(busy_series(25), {12, 4, 0.25});  // nothing to hold out
  CHECK(fit_ridge(few).parts[0].penalty == Approx(1e-2 * static_cast<double>(few.windows().training.size())));
}
