#pragma once
// What forecasts a window without a network, so that a network has something to beat. Each reads the rows of the window
// and before, or was fitted to the training part: none sees a row that it forecasts.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "forecast/baselines.h"
#include "forecast/ridge.h"
#include "forecast/smoothing.h"
#include "forecast/windows.h"

namespace sg {

struct Forecaster {
  std::string name;
  size_t period = 0;  // rows in a season, or that are averaged; 0: neither
  /// Fills y [H * K] (y[h * K + k] is target k, h + 1 rows ahead), scaled, for the window that starts at that row.
  std::function<void(size_t start, std::span<double> y)> forecast;
};

/// Over every validation window.
BaselineResult measure(const ForecastData& data, const Forecaster& forecaster);

// The data outlives what is made of it here.

/// y_hat[t + h] = y[t], t the last row that the window reads.
Forecaster naive_forecaster(const ForecastData& data);

/// The line from the window's first row to its last, carried on: y[t] + h (y[t] - y[t - L + 1]) / (L - 1).
Forecaster drift_forecaster(const ForecastData& data);

/// The mean of the last `width` rows. Throws forecast.bad_config for none, or more than the look-back.
Forecaster moving_average_forecaster(const ForecastData& data, size_t width);

/// The best smoothing of each target (forecast/smoothing.h), fitted to the last training rows: 5,000, or ten seasons
/// where that is more. `period` 0: no season. Throws forecast.too_few_rows where a target has too few values.
std::vector<Smoothing> fit_smoothings(const ForecastData& data, size_t period);
/// From the training part's end on, row by row; in a stretch of rows elsewhere, from its first row on. For windows
/// whose first row ahead is not in the training part (forecast.bad_batch), quickest in ascending order.
Forecaster smoothing_forecaster(const ForecastData& data, std::vector<Smoothing> models);

/// Ridge regression of a window. Where all it reads is more than kMostInputs numbers, each target is forecast from its
/// own last kMostInputs rows alone.
struct RidgeForecast {
  static constexpr size_t kMostInputs = 512;

  bool own_history = false;
  size_t look_back = 0;             // rows that are read, the window's last
  std::vector<RidgeWeights> parts;  // one; of own histories, one a target
};

/// Fitted to the training windows. The penalty is the one, of 1e-5 to 1 times the number of windows, that is best on
/// the last fifth of them when fitted to those before that share no row ahead with it; with too few windows for that,
/// 1e-2 times.
RidgeForecast fit_ridge(const ForecastData& data);
Forecaster ridge_forecaster(const ForecastData& data, RidgeForecast model);

}  // namespace sg
