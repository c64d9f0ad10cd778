// Exponential smoothing against statsmodels: with weights and first states that are given, and fitted by itself.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "forecast/simplex.h"
#include "forecast/smoothing.h"
#include "io/error.h"
#include "tests/forecast/golden.h"

using namespace sg;
using namespace sg::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Smoothing given_model(const nlohmann::json& g) {
  Smoothing model;
  model.slope = static_cast<Slope>(g["slope"].get<int>());
  model.period = g["period"];
  const std::vector<double> weights = doubles(g["weights"]);
  size_t at = 0;
  model.alpha = weights[at++];
  if (model.slope != Slope::none) model.beta = weights[at++];
  if (model.period > 0) model.gamma = weights[at++];
  if (model.slope == Slope::fading) model.phi = weights[at++];
  const nlohmann::json& first = g["first"];
  model.start.level = first["initial_level"];
  if (model.slope != Slope::none) model.start.slope = first["initial_trend"];
  if (model.period > 0) model.start.season = doubles(first["initial_seasonal"]);
  return model;
}

}  // namespace

TEST_CASE("with the same weights and first states smoothing is statsmodels' to the last digits", "[forecast]") {
  const auto& g = forecast_golden("smoothing");
  const std::vector<double> values = doubles(g["fitted"]["trend_season"]["values"]);
  REQUIRE(g["given"].size() == 6);
  for (const auto& reference : g["given"]) {
    const Smoothing model = given_model(reference);
    INFO(model.name());
    SmoothingState state = model.start;
    double squares = 0;
    for (const double y : values) {
      const double error = y - model.ahead(state, 1);
      CHECK(model.step(state, y) == Approx(error).margin(1e-12));
      squares += error * error;
    }
    CHECK(squares == Approx(reference["sse"].get<double>()).epsilon(1e-10));
    for (size_t h = 1; h <= 30; ++h)
      CHECK(model.ahead(state, h) == Approx(reference["forecast"][h - 1].get<double>()).epsilon(1e-9));
  }
}

TEST_CASE("fitted weights reach what statsmodels reaches with first states fitted, too", "[forecast]") {
  for (const auto& [name, g] : forecast_golden("smoothing")["fitted"].items()) {
    const std::vector<double> values = doubles(g["values"]);
    const std::vector<Smoothing> models = choose_smoothing(values, 12);
    REQUIRE(models.size() == 6);
    for (const Smoothing& model : models) {
      INFO(name << " " << model.name());
      // Its first states are the heuristic's, not fitted: it may be a little worse, never much better.
      const double best = g["sse"].at(model.name());
      CHECK(model.squares < 1.25 * best);
      CHECK(model.squares > 0.97 * best);
      CHECK(model.count == values.size());
    }
    const Smoothing simple = fit_smoothing(values, Slope::none, 0);
    CHECK(simple.squares < 1.0001 * g["heuristic"]["sse"].get<double>());
    CHECK(simple.squares > 0.99 * g["heuristic"]["sse"].get<double>());
  }
}

TEST_CASE("the criterion chooses the smoothing that made the series", "[forecast]") {
  const auto best = [](const std::string& name) {
    const auto values = doubles(forecast_golden("smoothing")["fitted"][name]["values"]);
    return choose_smoothing(values, 12).front();
  };
  CHECK(best("level").name() == "ETS(A,N,N)");
  CHECK(best("trend").name() == "ETS(A,A,N)");
  CHECK(best("season").name() == "ETS(A,N,A)");
  CHECK(best("trend_season").name() == "ETS(A,A,A)");
}

TEST_CASE("the criterion is Akaike's with states and variance counted", "[forecast]") {
  const auto& g = forecast_golden("smoothing")["fitted"]["level"];
  const std::vector<double> values = doubles(g["values"]);
  const Smoothing holt = fit_smoothing(values, Slope::lasting, 0);
  const double n = static_cast<double>(values.size()), k = 5;  // two weights, two states, the variance
  const double likelihood = -n / 2 * (std::log(2 * M_PI * holt.squares / n) + 1);
  CHECK(holt.aicc == Approx(2 * k - 2 * likelihood + 2 * k * (k + 1) / (n - k - 1)).epsilon(1e-12));
}

TEST_CASE("smoothing steps over missing values and keeps the season in its place", "[forecast]") {
  std::vector<double> values;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int t = 0; t < 240; ++t) values.push_back(10 * std::sin(2 * M_PI * t / 8) + 0.1 * t + 0.05 * normal(random));
  for (size_t t = 0; t < 200; t += 7) values[t] = kNaN;
  for (size_t t = 120; t < 131; ++t) values[t] = kNaN;
  const Smoothing model = fit_smoothing(values, Slope::lasting, 8);
  CHECK(model.count < values.size());
  CHECK(model.end.row == 240);
  for (size_t h = 1; h <= 24; ++h) {
    const double t = 239 + static_cast<double>(h);
    CHECK(model.ahead(model.end, h) == Approx(10 * std::sin(2 * M_PI * t / 8) + 0.1 * t).margin(0.5));
  }
  // Far away the level is not known before a value comes, and the season is that of the row's number.
  SmoothingState far = model.elsewhere(8'000'003);
  model.step(far, kNaN);
  model.step(far, 500);
  CHECK(far.row == 8'000'005);
  const double season = model.end.season[4] - model.end.season[5];
  CHECK(model.ahead(far, 1) - far.slope - model.ahead(far, 2) + 2 * far.slope ==
        Approx(model.end.season[5] - model.end.season[6]).margin(1e-9));
  CHECK(far.level + model.end.season[4] == Approx(500));
  CHECK(std::abs(season) > 0.1);
}

TEST_CASE("too short a series for smoothing is refused, and only what fits is chosen from", "[forecast]") {
  const std::vector<double> nine(9, 1.0), constant(40, 2.5);
  CHECK_THROWS_WITH(fit_smoothing(nine, Slope::none, 0), Catch::Contains("too few"));
  CHECK_THROWS_AS(fit_smoothing(constant, Slope::none, 21), Error);
  CHECK_THROWS_AS(fit_smoothing(constant, Slope::none, 1), Error);
  CHECK(choose_smoothing(nine, 0).empty());
  CHECK(choose_smoothing(constant, 21).size() == 3);
  const Smoothing best = choose_smoothing(constant, 4).front();
  CHECK(best.ahead(best.end, 7) == Approx(2.5));
  std::vector<double> gaps(100, kNaN);
  for (size_t t = 0; t < 9; ++t) gaps[11 * t] = 1;
  CHECK(choose_smoothing(gaps, 0).empty());
}

TEST_CASE("the simplex finds the floor of a crooked valley", "[forecast]") {
  const auto valley = [](const std::vector<double>& x) {
    return 100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2);
  };
  const SimplexResult found = simplex_minimum(valley, {-1.2, 1}, 0.5, 1e-14, 2000);
  CHECK(found.at[0] == Approx(1).epsilon(1e-4));
  CHECK(found.at[1] == Approx(1).epsilon(1e-4));
  CHECK(found.evaluations < 500);
  CHECK(simplex_minimum(valley, {-1.2, 1}, 0.5, 1e-14, 20).evaluations <= 24);
}
