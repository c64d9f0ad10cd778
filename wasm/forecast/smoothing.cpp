#include "forecast/smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "forecast/simplex.h"
#include "io/error.h"

namespace sg {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kLevelValues = 10;  // that the first level and slope are fitted to
constexpr double kLeastFading = 0.8, kMostFading = 0.98;

/// The mean over a season around each row (of an even one, its ends count half); NaN where more than half is missing.
std::vector<double> season_means(std::span<const double> values, size_t period) {
  std::vector<double> means(values.size(), kNone);
  const size_t half = period / 2;
  for (size_t t = half; t + half < values.size(); ++t) {
    double sum = 0, weight = 0;
    for (size_t i = t - half; i <= t + half; ++i) {
      const double w = period % 2 == 0 && (i == t - half || i == t + half) ? 0.5 : 1;
      if (std::isnan(values[i])) continue;
      sum += w * values[i];
      weight += w;
    }
    if (weight * 2 >= static_cast<double>(period)) means[t] = sum / weight;
  }
  return means;
}

/// Level before the first row and slope, by the line through the first ten values; false where there are fewer.
bool first_line(std::span<const double> values, SmoothingState& state) {
  double n = 0, st = 0, sy = 0, stt = 0, sty = 0;
  for (size_t i = 0; i < values.size() && n < kLevelValues; ++i) {
    if (std::isnan(values[i])) continue;
    const double t = static_cast<double>(i + 1);
    ++n, st += t, sy += values[i], stt += t * t, sty += t * values[i];
  }
  if (n < kLevelValues) return false;
  state.slope = (n * sty - st * sy) / (n * stt - st * st);
  state.level = (sy - state.slope * st) / n;
  return true;
}

/// Empty where there are too few values.
std::optional<SmoothingState> first_state(std::span<const double> values, Slope slope, size_t period,
                                          uint64_t first_row) {
  SmoothingState state;
  state.row = first_row;
  std::vector<double> means;
  if (period > 0) {
    if (values.size() / 2 < period || values.size() < kLevelValues + period / 2 * 2) return std::nullopt;
    const size_t enough = (kLevelValues + period / 2 * 2 + period - 1) / period;
    const size_t cycles = std::max(std::min<size_t>(5, values.size() / period), enough);
    const auto first = values.first(std::min(values.size(), cycles * period));
    means = season_means(first, period);
    std::vector<double> sums(period, 0), counts(period, 0);
    for (size_t t = 0; t < first.size(); ++t) {
      if (std::isnan(means[t]) || std::isnan(first[t])) continue;
      sums[(first_row + t) % period] += first[t] - means[t];
      ++counts[(first_row + t) % period];
    }
    double mean = 0;
    for (size_t i = 0; i < period; ++i) {
      sums[i] = counts[i] > 0 ? sums[i] / counts[i] : 0;
      mean += sums[i] / static_cast<double>(period);
    }
    for (double& s : sums) s -= mean;
    state.season = std::move(sums);
  }
  if (!first_line(period > 0 ? std::span<const double>(means) : values, state)) return std::nullopt;
  if (slope == Slope::none) state.slope = 0;
  return state;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// Any numbers become weights that smoothing may have: 0 < alpha < 1, 0 < beta < alpha, 0 < gamma < 1 - alpha.
void set_weights(Smoothing& model, const std::vector<double>& at) {
  size_t i = 0;
  model.alpha = 1e-4 + (1 - 2e-4) * logistic(at[i++]);
  if (model.slope != Slope::none) model.beta = model.alpha * logistic(at[i++]);
  if (model.period > 0) model.gamma = (1 - model.alpha) * logistic(at[i++]);
  if (model.slope == Slope::fading) model.phi = kLeastFading + (kMostFading - kLeastFading) * logistic(at[i++]);
}

/// Squared errors one row ahead, summed; leaves the last state in `end`.
double smooth_through(const Smoothing& model, std::span<const double> values, SmoothingState& end) {
  double squares = 0;
  end = model.start;
  for (const double y : values) {
    const double error = model.step(end, y);
    squares += error * error;
  }
  return squares;
}

/// The Gaussian likelihood with the variance that fits best; the states count, a season's sum to zero.
double information_criterion(const Smoothing& model) {
  const double n = static_cast<double>(model.count);
  const double weights = 1 + (model.slope != Slope::none) + (model.period > 0) + (model.slope == Slope::fading);
  const double states = 1 + (model.slope != Slope::none) + static_cast<double>(model.period > 0 ? model.period - 1 : 0);
  const double k = weights + states + 1;  // and the variance
  if (n - k - 1 <= 0) return std::numeric_limits<double>::infinity();
  // A series that is foretold to the last bit would be infinitely likely: rounding keeps the comparison finite.
  const double variance = std::max(model.squares / n, 1e-300);
  return n * (std::log(2 * M_PI * variance) + 1) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

/// Empty where there are too few values.
std::optional<Smoothing> fitted(std::span<const double> values, Slope slope, size_t period, uint64_t first_row) {
  std::optional<SmoothingState> first = first_state(values, slope, period, first_row);
  if (!first) return std::nullopt;
  Smoothing model;
  model.slope = slope;
  model.period = period;
  model.start = *std::move(first);
  for (const double y : values) model.count += !std::isnan(y);
  const size_t weights = 1 + (slope != Slope::none) + (period > 0) + (slope == Slope::fading);
  const auto squares = [&](const std::vector<double>& at) {
    set_weights(model, at);
    return std::min(smooth_through(model, values, model.end), std::numeric_limits<double>::max());
  };
  SimplexResult best;
  for (const auto& [alpha, others] : {std::pair(-1.5, -2.0), {1.0, -2.0}, {2.0, 1.5}}) {
    std::vector<double> start(weights, others);
    start[0] = alpha;
    if (slope == Slope::fading) start.back() = 2;
    SimplexResult found = simplex_minimum(squares, start, 1.0, 1e-9, 400);
    if (best.at.empty() || found.value < best.value) best = std::move(found);
  }
  model.squares = squares(best.at);
  model.aicc = information_criterion(model);
  return model;
}

}  // namespace

std::string Smoothing::name() const {
  const std::string trend = slope == Slope::none ? "N" : slope == Slope::lasting ? "A" : "Ad";
  return "ETS(A," + trend + (period > 0 ? ",A)" : ",N)");
}

double Smoothing::step(SmoothingState& state, double value) const {
  const double slope_now = phi * state.slope;
  double* season = state.season.empty() ? nullptr : &state.season[state.row % period];
  ++state.row;
  if (std::isnan(state.level)) {
    if (!std::isnan(value)) state.level = value - (season ? *season : 0);
    return 0;
  }
  const double error = std::isnan(value) ? 0 : value - (state.level + slope_now + (season ? *season : 0));
  state.level += slope_now + alpha * error;
  state.slope = slope_now + beta * error;
  if (season) *season += gamma * error;
  return error;
}

double Smoothing::ahead(const SmoothingState& state, size_t h) const {
  double slopes = static_cast<double>(h);
  if (slope == Slope::fading) slopes = phi * (1 - std::pow(phi, slopes)) / (1 - phi);
  const double season = state.season.empty() ? 0 : state.season[(state.row + h - 1) % period];
  return state.level + slopes * state.slope + season;
}

SmoothingState Smoothing::elsewhere(uint64_t row) const {
  SmoothingState state = end;
  state.row = row;
  state.level = kNone;
  return state;
}

Smoothing fit_smoothing(std::span<const double> values, Slope slope, size_t period, uint64_t first_row) {
  if (period == 1) throw Error("forecast.bad_config", "a season of 1 row is none: smoothing takes 0, or 2 and more");
  std::optional<Smoothing> model = fitted(values, slope, period, first_row);
  if (!model) {
    throw Error("forecast.too_few_rows", std::to_string(values.size()) +
                                             " rows are too few for smoothing with a season of " +
                                             std::to_string(period) + ": it needs two seasons, and " +
                                             std::to_string(kLevelValues) + " values more than one");
  }
  return *std::move(model);
}

std::vector<Smoothing> choose_smoothing(std::span<const double> values, size_t period, uint64_t first_row) {
  std::vector<Smoothing> models;
  for (const Slope slope : {Slope::none, Slope::lasting, Slope::fading}) {
    for (const size_t m : period > 1 ? std::vector<size_t>{0, period} : std::vector<size_t>{0}) {
      std::optional<Smoothing> model = fitted(values, slope, m, first_row);
      if (model && std::isfinite(model->aicc)) models.push_back(*std::move(model));
    }
  }
  std::stable_sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.aicc < b.aicc; });
  return models;
}

}  // namespace sg
