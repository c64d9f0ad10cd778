#include "forecast/forecasters.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace sg {
namespace {

constexpr double kTailWork = 1e8;  // multiplications that trying a penalty on held-out windows may take

/// Starts that follow each other: [first, first + windows).
struct Run {
  size_t first = 0, windows = 0;
};

std::vector<Run> runs_of(std::span<const uint32_t> starts) {
  std::vector<Run> runs;
  for (const uint32_t s : starts) {
    if (runs.empty() || s != runs.back().first + runs.back().windows) runs.push_back({s, 0});
    ++runs.back().windows;
  }
  return runs;
}

/// What one ridge regression reads and forecasts: [rows, F] and [rows, K].
struct RidgeSource {
  std::span<const float> features, targets;
  size_t width = 1, outputs = 1;  // F, K
  size_t skipped = 0;             // rows of the window before those that are read
  size_t look_back = 1;           // that are read
};

void add_windows(RidgeMoments& moments, const RidgeSource& source, std::span<const uint32_t> starts) {
  for (const Run& run : runs_of(starts)) {
    const size_t first = run.first + source.skipped;
    moments.add(source.features.subspan(first * source.width), source.targets.subspan(first * source.outputs),
                run.windows);
  }
}

double squared_error(const RidgeWeights& ridge, const RidgeSource& source, size_t horizon,
                     std::span<const uint32_t> starts) {
  std::vector<double> y(horizon * source.outputs);
  double sum = 0;
  const size_t most = static_cast<size_t>(kTailWork / static_cast<double>(ridge.weights.size())) + 20;
  const size_t windows = std::min(starts.size(), most);
  for (size_t i = 0; i < windows; ++i) {
    const size_t first = starts[i * starts.size() / windows] + source.skipped;
    ridge.forecast(source.features.subspan(first * source.width, source.look_back * source.width), y);
    const auto truth = source.targets.subspan((first + source.look_back) * source.outputs, y.size());
    for (size_t j = 0; j < y.size(); ++j) sum += (y[j] - double{truth[j]}) * (y[j] - double{truth[j]});
  }
  return sum;
}

RidgeWeights fitted_ridge(const RidgeSource& source, const WindowConfig& config, std::span<const uint32_t> starts) {
  RidgeMoments moments(source.look_back, config.horizon, source.width, source.outputs);
  const size_t tail = starts.size() - starts.size() / 5;  // the first that is held out
  size_t before = 0;
  // A window before the tail ends where the tail's first row ahead begins.
  if (tail < starts.size())
    while (before < tail && starts[before] + config.horizon <= starts[tail]) ++before;
  add_windows(moments, source, starts.first(before));
  double share = 1e-2, least = 0;
  if (before > 0) {
    share = 0;
    for (const double tried : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
      const RidgeWeights ridge = moments.solve(tried * static_cast<double>(before));
      const double error = squared_error(ridge, source, config.horizon, starts.subspan(tail));
      if (share == 0 || error < least) share = tried, least = error;
    }
  }
  add_windows(moments, source, starts.subspan(before));
  return moments.solve(share * static_cast<double>(starts.size()));
}

/// Target k of all rows.
std::vector<float> history_of(const ForecastData& data, size_t k) {
  std::vector<float> values(data.rows());
  for (size_t row = 0; row < values.size(); ++row) values[row] = data.target(row, k);
  return values;
}

}  // namespace

BaselineResult measure(const ForecastData& data, const Forecaster& forecaster) {
  const size_t targets = data.targets(), horizon = data.config().horizon;
  MetricSum scaled;
  std::vector<MetricSum> units(targets), ahead(horizon);
  std::vector<double> y(horizon * targets);
  for (const uint32_t start : data.windows().validation) {
    forecaster.forecast(start, y);
    for (size_t h = 0; h < horizon; ++h) {
      for (size_t k = 0; k < targets; ++k) {
        const double prediction = y[h * targets + k], truth = data.target(start + data.config().look_back + h, k);
        const ColumnScale& scale = data.scaler().targets[k];
        scaled.add(prediction, truth);
        units[k].add(scale.restore(prediction), scale.restore(truth));
        if (k == 0) ahead[h].add(scale.restore(prediction), scale.restore(truth));
      }
    }
  }
  BaselineResult result;
  result.name = forecaster.name;
  result.period = forecaster.period;
  result.scaled = scaled.result();
  for (const MetricSum& sum : units) result.data.push_back(sum.result());
  for (const MetricSum& sum : ahead) result.by_horizon.push_back(sum.result());
  return result;
}

Forecaster naive_forecaster(const ForecastData& data) {
  return {"naive", 0, [&data](size_t start, std::span<double> y) {
            const size_t last = start + data.config().look_back - 1;
            for (size_t i = 0; i < y.size(); ++i) y[i] = data.target(last, i % data.targets());
          }};
}

Forecaster drift_forecaster(const ForecastData& data) {
  return {"drift", 0, [&data](size_t start, std::span<double> y) {
            const size_t rows = data.config().look_back - 1, targets = data.targets();
            for (size_t i = 0; i < y.size(); ++i) {
              const double last = data.target(start + rows, i % targets), first = data.target(start, i % targets);
              const double slope = rows > 0 ? (last - first) / static_cast<double>(rows) : 0;
              y[i] = last + static_cast<double>(i / targets + 1) * slope;
            }
          }};
}

Forecaster moving_average_forecaster(const ForecastData& data, size_t width) {
  if (width == 0 || width > data.config().look_back) {
    throw Error("forecast.bad_config", "a moving average of " + std::to_string(width) +
                                           " rows: it must be from 1 to the " +
                                           std::to_string(data.config().look_back) + " rows of the look-back");
  }
  return {"moving_average", width, [&data, width](size_t start, std::span<double> y) {
            const size_t end = start + data.config().look_back, targets = data.targets();
            for (size_t k = 0; k < targets; ++k) {
              double sum = 0;
              for (size_t row = end - width; row < end; ++row) sum += double{data.target(row, k)};
              for (size_t i = k; i < y.size(); i += targets) y[i] = sum / static_cast<double>(width);
            }
          }};
}

std::vector<Smoothing> fit_smoothings(const ForecastData& data, size_t period) {
  const auto end = static_cast<size_t>(data.windows().split_row);
  const size_t begin = end - std::min(end, std::max<size_t>(5000, 10 * std::min(period, end)));
  std::vector<Smoothing> best;
  for (size_t k = 0; k < data.targets(); ++k) {
    std::vector<double> values;
    for (size_t row = begin; row < end; ++row) values.push_back(data.target(row, k));
    std::vector<Smoothing> models = choose_smoothing(values, period, begin);
    if (models.empty()) {
      throw Error("forecast.too_few_rows", "the training part of '" + data.scaler().targets[k].name +
                                               "' has too few values for smoothing: it needs 10");
    }
    best.push_back(std::move(models.front()));
  }
  return best;
}

Forecaster smoothing_forecaster(const ForecastData& data, std::vector<Smoothing> models) {
  std::vector<SmoothingState> states;
  for (const Smoothing& model : models) states.push_back(model.end);
  const size_t period = models.empty() ? 0 : models.front().period;
  return {"smoothing", period,
          [&data, models = std::move(models), states = std::move(states)](size_t start, std::span<double> y) mutable {
            const size_t last = start + data.config().look_back - 1, first = data.stretch_begin(last);
            const uint64_t begin = data.row_of(first), next = data.row_of(last) + 1;
            for (size_t k = 0; k < models.size(); ++k) {
              const Smoothing& model = models[k];
              if (next < model.end.row) {
                throw Error("forecast.bad_batch", "smoothing was fitted to the " + std::to_string(model.end.row) +
                                                      " training rows, and cannot forecast row " +
                                                      std::to_string(next + 1) + " among them");
              }
              SmoothingState& state = states[k];
              if (begin > state.row || state.row > next)
                state = begin > model.end.row ? model.elsewhere(begin) : model.end;
              while (state.row < next)
                model.step(state, data.target(first + static_cast<size_t>(state.row - begin), k));
              for (size_t i = k; i < y.size(); i += models.size()) y[i] = model.ahead(state, i / models.size() + 1);
            }
          }};
}

RidgeForecast fit_ridge(const ForecastData& data) {
  const WindowConfig& config = data.config();
  const auto& starts = data.windows().training;
  RidgeForecast model;
  model.own_history = data.features() > RidgeForecast::kMostInputs / config.look_back;
  model.look_back = model.own_history ? std::min(config.look_back, RidgeForecast::kMostInputs) : config.look_back;
  const size_t skipped = config.look_back - model.look_back;
  if (!model.own_history) {
    model.parts.push_back(fitted_ridge(
        {data.feature_values(), data.target_values(), data.features(), data.targets(), skipped, model.look_back},
        config, starts));
    return model;
  }
  for (size_t k = 0; k < data.targets(); ++k) {
    const std::vector<float> values = history_of(data, k);
    model.parts.push_back(fitted_ridge({values, values, 1, 1, skipped, model.look_back}, config, starts));
  }
  return model;
}

Forecaster ridge_forecaster(const ForecastData& data, RidgeForecast model) {
  return {"ridge", 0, [&data, model = std::move(model)](size_t start, std::span<double> y) {
            const size_t first = start + data.config().look_back - model.look_back;
            if (!model.own_history) {
              const size_t width = data.features();
              model.parts[0].forecast(data.feature_values().subspan(first * width, model.look_back * width), y);
              return;
            }
            const size_t targets = data.targets();
            std::vector<float> x(model.look_back);
            std::vector<double> own(y.size() / targets);
            for (size_t k = 0; k < targets; ++k) {
              for (size_t t = 0; t < x.size(); ++t) x[t] = data.target(first + t, k);
              model.parts[k].forecast(x, own);
              for (size_t h = 0; h < own.size(); ++h) y[h * targets + k] = own[h];
            }
          }};
}

}  // namespace sg
