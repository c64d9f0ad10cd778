#pragma once
// What a model has to beat: the last value repeated, and the value one season ago. Both are measured over exactly the
// validation windows that the model is measured on.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "forecast/metrics.h"
#include "forecast/windows.h"

namespace sg {

struct BaselineResult {
  std::string name;                 // "naive" or "seasonal_naive"
  size_t period = 0;                // rows in a season; 0 for naive
  Metrics scaled;                   // comparable with the model's loss
  std::vector<Metrics> data;        // per target, in its own units
  std::vector<Metrics> by_horizon;  // of the first target, in its own units: 1 row ahead, 2, ...
  uint64_t fallbacks = 0;           // forecasts whose season-old value is missing: an older season or the last value

  nlohmann::json to_json() const;
};

/// y_hat[t + h] = y[t], t the last row that the window reads.
BaselineResult naive_forecast(const ForecastData& data);

/// y_hat[t + h] = y[t + h - s * ceil(h / s)] with season s; throws forecast.bad_config for a season of 0 or longer
/// than the training part.
BaselineResult seasonal_naive_forecast(const ForecastData& data, size_t period);

struct Season {
  size_t period = 0;
  double strength = 0;  // contrast of the autocorrelation between whole and half seasons, 0..2
};

/// The season of the first target, by autocorrelation over the training part (lags 2 to min(rows / 3, 1500)); empty
/// when none stands out.
std::optional<Season> propose_season(const ForecastData& data);
/// The same from the values of the last training rows, as season_sample_rows says; NaN where missing.
std::optional<Season> propose_season(const std::vector<float>& last_values, uint64_t training_rows);

/// A season is looked for in this many training rows, the last ones.
uint64_t season_sample_rows(uint64_t training_rows);

}  // namespace sg
