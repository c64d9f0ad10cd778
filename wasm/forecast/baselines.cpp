#include "forecast/baselines.h"

#include <algorithm>
#include <cmath>

namespace sg {
namespace {

nlohmann::json metrics_json(const Metrics& m) { return {{"mse", m.mse}, {"mae", m.mae}, {"rmse", m.rmse}, {"count", m.count}}; }

/// Runs `predict(last row read, steps ahead, target)` over every validation window.
template <typename Predict>
BaselineResult measure(const ForecastData& data, std::string name, size_t period, const Predict& predict) {
  const size_t targets = data.targets();
  MetricSum scaled;
  std::vector<MetricSum> units(targets);
  for (const uint32_t start : data.windows().validation) {
    const size_t last = start + data.config().look_back - 1;
    for (size_t h = 1; h <= data.config().horizon; ++h) {
      for (size_t k = 0; k < targets; ++k) {
        const double prediction = predict(last, h, k), truth = data.target(last + h, k);
        const ColumnScale& scale = data.scaler().targets[k];
        scaled.add(prediction, truth);
        units[k].add(scale.restore(prediction), scale.restore(truth));
      }
    }
  }
  BaselineResult result;
  result.name = std::move(name);
  result.period = period;
  result.scaled = scaled.result();
  for (const MetricSum& sum : units) result.data.push_back(sum.result());
  return result;
}

/// Autocorrelation of the first target's training rows (the last 20,000 of them) at lags 0..max_lag, its line of best
/// fit taken off; missing values count as the line.
std::vector<double> autocorrelation(const ForecastData& data, size_t max_lag) {
  constexpr size_t most = 20'000;
  const size_t end = data.windows().split_row, begin = end > most ? end - most : 0, n = end - begin;
  std::vector<double> y(n);
  double count = 0, st = 0, sy = 0, stt = 0, sty = 0;
  for (size_t i = 0; i < n; ++i) {
    y[i] = data.target(begin + i, 0);
    if (std::isnan(y[i])) continue;
    const double t = static_cast<double>(i);
    ++count, st += t, sy += y[i], stt += t * t, sty += t * y[i];
  }
  const double spread = count * stt - st * st;
  const double slope = spread > 0 ? (count * sty - st * sy) / spread : 0;
  const double level = count > 0 ? (sy - slope * st) / count : 0;
  for (size_t i = 0; i < n; ++i) y[i] = std::isnan(y[i]) ? 0 : y[i] - level - slope * static_cast<double>(i);
  std::vector<double> result(max_lag + 1, 0);
  for (size_t lag = 0; lag <= std::min(max_lag, n - 1); ++lag) {
    double sum = 0;
    for (size_t i = lag; i < n; ++i) sum += y[i] * y[i - lag];
    result[lag] = sum / static_cast<double>(n - lag);
  }
  const double variance = result[0];
  for (double& r : result) r = variance > 0 ? r / variance : 0;
  return result;
}

double at(const std::vector<double>& values, double lag) {
  const auto low = static_cast<size_t>(lag);
  const double part = lag - static_cast<double>(low);
  return part == 0 ? values[low] : values[low] * (1 - part) + values[low + 1] * part;
}

}  // namespace

nlohmann::json BaselineResult::to_json() const {
  nlohmann::json units = nlohmann::json::array();
  for (const Metrics& m : data) units.push_back(metrics_json(m));
  return {{"name", name}, {"period", period}, {"scaled", metrics_json(scaled)}, {"data", units}, {"fallbacks", fallbacks}};
}

BaselineResult naive_forecast(const ForecastData& data) {
  return measure(data, "naive", 0, [&](size_t last, size_t, size_t k) { return data.target(last, k); });
}

BaselineResult seasonal_naive_forecast(const ForecastData& data, size_t period) {
  if (period == 0 || period > data.windows().split_row) {
    throw Error("forecast.bad_config", "a season of " + std::to_string(period) + " rows: it must be from 1 to the " +
                                           std::to_string(data.windows().split_row) + " rows of the training part");
  }
  uint64_t fallbacks = 0;
  BaselineResult result = measure(data, "seasonal_naive", period, [&](size_t last, size_t h, size_t k) {
    size_t back = period * ((h + period - 1) / period);
    if (last + h >= back && !std::isnan(data.target(last + h - back, k))) return data.target(last + h - back, k);
    ++fallbacks;
    for (back += period; last + h >= back; back += period) {
      if (!std::isnan(data.target(last + h - back, k))) return data.target(last + h - back, k);
    }
    return data.target(last, k);
  });
  result.fallbacks = fallbacks;
  return result;
}

std::optional<Season> propose_season(const ForecastData& data) {
  const size_t longest = std::min<size_t>(data.windows().split_row / 3, 1500);
  if (longest < 2) return std::nullopt;
  const std::vector<double> r = autocorrelation(data, longest + longest / 2 + 2);
  // A season stands out against half a season before and after it; slow drift falls out of the difference, and so do
  // even multiples of the season.
  std::vector<double> contrast(longest + 1, 0);
  for (size_t lag = 2; lag <= longest; ++lag) {
    const double half = static_cast<double>(lag) / 2;
    contrast[lag] = r[lag] - (at(r, half) + at(r, 3 * half)) / 2;
  }
  const double best = *std::max_element(contrast.begin(), contrast.end());
  if (best < 0.1) return std::nullopt;
  for (size_t lag = 2; lag <= longest; ++lag) {
    const bool peak = r[lag] >= r[lag - 1] && r[lag] >= r[lag + 1] && contrast[lag] > 0;
    if (peak && contrast[lag] >= 0.9 * best) return Season{lag, contrast[lag]};
  }
  return std::nullopt;
}

}  // namespace sg
