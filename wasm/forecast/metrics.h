#pragma once
// Errors of a forecast, one value after the other in memory that does not grow. Sums are double, so the order of
// batches does not show. What a metric is where it would divide by zero stands beside it.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sg {

struct Metrics {
  double mse = 0;
  double mae = 0;
  double rmse = 0;
  double r2 = 0;     // 1 - squared errors / squared distances from the truths' mean; 0 where they do not vary
  double mape = 0;   // mean |error| / |truth| over the truths other than 0, a fraction; NaN where all are 0
  double smape = 0;  // mean 2 |error| / (|prediction| + |truth|), 0 to 2 (M4 competition, as a fraction); 0 of 0 and 0
  uint64_t zeros = 0;  // truths that mape leaves out
  uint64_t count = 0;
};

class MetricSum {
 public:
  void add(double prediction, double truth) {
    const double error = prediction - truth, size = std::abs(error);
    squares_ += error * error;
    absolutes_ += size;
    ++count_;
    if (truth == 0)
      ++zeros_;
    else
      shares_ += size / std::abs(truth);
    if (size > 0) symmetric_ += 2 * size / (std::abs(prediction) + std::abs(truth));
    const double delta = truth - mean_;
    mean_ += delta / static_cast<double>(count_);
    spread_ += delta * (truth - mean_);
  }
  void add(std::span<const float> predictions, std::span<const float> truths);
  /// Zeros with count 0 when nothing was added.
  Metrics result() const;

 private:
  double squares_ = 0;
  double mean_ = 0, spread_ = 0;  // of the truths (Welford)
  double absolutes_ = 0;
  double shares_ = 0, symmetric_ = 0;  // of mape and smape
  uint64_t count_ = 0, zeros_ = 0;
};

/// What MASE divides by (Hyndman & Koehler 2006): how far a season-old value is off in the training part, the mean
/// |y[t] - y[t - period]|. Values come in row order, NaN where missing; a pair with a missing value is left out.
class SeasonalScale {
 public:
  /// A period of 1 is the naive forecast. Throws forecast.bad_config for 0.
  explicit SeasonalScale(size_t period);
  void add(double value);
  /// NaN where there was no pair.
  double result() const { return sum_ / static_cast<double>(count_); }

 private:
  std::vector<double> last_;  // a season, in a ring
  size_t at_ = 0;
  double sum_ = 0;
  uint64_t count_ = 0;
};

/// Below 1: better than a season-old value was in the training part, both in the same units. NaN where the scale is
/// not known or 0: the training part repeats itself.
double mase(double mae, double scale);

/// The same sum (MetricSum, QuantileSum, IntervalSum) of each row ahead, 1..H, and over all of them.
template <typename Sum>
class ByHorizon {
 public:
  explicit ByHorizon(size_t horizon, const Sum& empty = {}) : all_(empty), ahead_(horizon, empty) {}

  /// `step` rows after the first one that is forecast; throws std::out_of_range from H on.
  template <typename... Values>
  void add(size_t step, const Values&... values) {
    ahead_.at(step).add(values...);
    all_.add(values...);
  }
  const Sum& all() const { return all_; }
  const std::vector<Sum>& ahead() const { return ahead_; }

 private:
  Sum all_;
  std::vector<Sum> ahead_;
};

}  // namespace sg
