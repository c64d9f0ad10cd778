#include "forecast/baselines.h"

#include <algorithm>
#include <cmath>

#include "forecast/forecasters.h"

namespace sg {
namespace {

nlohmann::json metrics_json(const Metrics& m) {
  return {{"mse", m.mse}, {"mae", m.mae}, {"rmse", m.rmse}, {"count", m.count}};
}

/// Without their line of best fit; a missing value counts as the line.
std::vector<double> detrended(const std::vector<float>& values) {
  const size_t n = values.size();
  std::vector<double> y(n);
  double count = 0, st = 0, sy = 0, stt = 0, sty = 0;
  for (size_t i = 0; i < n; ++i) {
    y[i] = values[i];
    if (std::isnan(y[i])) continue;
    const double t = static_cast<double>(i);
    ++count, st += t, sy += y[i], stt += t * t, sty += t * y[i];
  }
  const double spread = count * stt - st * st;
  const double slope = spread > 0 ? (count * sty - st * sy) / spread : 0;
  const double level = count > 0 ? (sy - slope * st) / count : 0;
  for (size_t i = 0; i < n; ++i) y[i] = std::isnan(y[i]) ? 0 : y[i] - level - slope * static_cast<double>(i);
  return y;
}

std::vector<double> differences(std::vector<double> y) {
  for (size_t i = y.size(); i-- > 1;) y[i] -= y[i - 1];
  y.erase(y.begin());
  return y;
}

/// At lags 0..max_lag; 1 at lag 0.
std::vector<double> autocorrelation(const std::vector<double>& y, size_t max_lag) {
  std::vector<double> result(max_lag + 1, 0);
  const size_t n = y.size();
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

/// An odd multiple contrasts as strongly as the season itself, so a third, fifth or seventh that stands out goes first;
/// and a peak blurred by noise is taken for the season of the calendar (hours, weeks, months, days of a year) beside
/// it.
Season named_season(size_t period, const std::vector<double>& contrast) {
  for (const size_t part : {7u, 5u, 3u}) {
    const size_t lag = period / part;
    const bool peak =
        lag >= 3 && period % part == 0 && contrast[lag] >= contrast[lag - 1] && contrast[lag] >= contrast[lag + 1];
    if (peak && contrast[lag] >= 0.6 * contrast[period]) return {lag, contrast[lag]};
  }
  for (const size_t known : {24u, 48u, 52u, 96u, 144u, 168u, 288u, 336u, 365u, 672u, 1440u}) {
    const double off = std::abs(static_cast<double>(known) - static_cast<double>(period));
    if (known < contrast.size() && off <= 0.03 * static_cast<double>(known) &&
        contrast[known] >= 0.95 * contrast[period]) {
      return {known, contrast[known]};
    }
  }
  return {period, contrast[period]};
}

/// A season stands out against half a season before and after it; slow drift falls out of that difference, and so do
/// even multiples of the season. The shortest lag within a tenth of the best opens the peak that is taken.
Season clearest_season(const std::vector<double>& y, size_t longest, size_t shortest) {
  const std::vector<double> r = autocorrelation(y, longest + longest / 2 + 2);
  std::vector<double> contrast(longest + 1, 0);
  for (size_t lag = shortest; lag <= longest; ++lag) {
    const double half = static_cast<double>(lag) / 2;
    contrast[lag] = r[lag] - (at(r, half) + at(r, 3 * half)) / 2;
  }
  const double best = *std::max_element(contrast.begin(), contrast.end());
  if (best <= 0) return {};
  size_t lag = shortest;
  while (contrast[lag] < 0.9 * best) ++lag;
  const size_t last = std::min(longest, lag + lag / 4);
  const auto peak = std::max_element(contrast.begin() + static_cast<ptrdiff_t>(lag),
                                     contrast.begin() + static_cast<ptrdiff_t>(last) + 1);
  return named_season(static_cast<size_t>(peak - contrast.begin()), contrast);
}

}  // namespace

nlohmann::json BaselineResult::to_json() const {
  nlohmann::json units = nlohmann::json::array();
  for (const Metrics& m : data) units.push_back(metrics_json(m));
  return {
      {"name", name}, {"period", period}, {"scaled", metrics_json(scaled)}, {"data", units}, {"fallbacks", fallbacks}};
}

BaselineResult naive_forecast(const ForecastData& data) { return measure(data, naive_forecaster(data)); }

BaselineResult seasonal_naive_forecast(const ForecastData& data, size_t period) {
  if (period == 0 || period > data.windows().split_row) {
    throw Error("forecast.bad_config", "a season of " + std::to_string(period) + " rows: it must be from 1 to the " +
                                           std::to_string(data.windows().split_row) + " rows of the training part");
  }
  uint64_t fallbacks = 0;
  const auto predict = [&](size_t last, size_t h, size_t k, size_t first) {
    size_t back = period * ((h + period - 1) / period);
    if (last + h >= back + first && !std::isnan(data.target(last + h - back, k)))
      return data.target(last + h - back, k);
    ++fallbacks;
    for (back += period; last + h >= back + first; back += period) {
      if (!std::isnan(data.target(last + h - back, k))) return data.target(last + h - back, k);
    }
    return data.target(last, k);
  };
  BaselineResult result = measure(data, {"seasonal_naive", period, [&](size_t start, std::span<double> y) {
                                           const size_t last = start + data.config().look_back - 1;
                                           const size_t first = data.stretch_begin(last), targets = data.targets();
                                           for (size_t i = 0; i < y.size(); ++i)
                                             y[i] = predict(last, i / targets + 1, i % targets, first);
                                         }});
  result.fallbacks = fallbacks;
  return result;
}

uint64_t season_sample_rows(uint64_t training_rows) { return std::min<uint64_t>(training_rows, 20'000); }

std::optional<Season> propose_season(const ForecastData& data) {
  const auto end = static_cast<size_t>(data.windows().split_row);
  std::vector<float> values;
  for (size_t row = end - static_cast<size_t>(season_sample_rows(end)); row < end; ++row)
    values.push_back(data.target(row, 0));
  return propose_season(values, end);
}

std::optional<Season> propose_season(const std::vector<float>& last_values, uint64_t training_rows) {
  const size_t longest = static_cast<size_t>(std::min<uint64_t>(training_rows / 3, 1500));
  if (longest < 3) return std::nullopt;
  // Drift can drown a short season in the level, and noise a long one in the differences: both are asked.
  const std::vector<double> y = detrended(last_values);
  const Season level = clearest_season(y, longest, 2), change = clearest_season(differences(y), longest, 3);
  const Season& best = change.strength > level.strength ? change : level;
  // What chance alone reaches in a series of this length is no season.
  const double chance = 4 / std::sqrt(static_cast<double>(y.size()));
  if (best.period == 0 || best.strength < std::max(best.period == change.period ? 0.2 : 0.1, chance))
    return std::nullopt;
  return best;
}

}  // namespace sg
