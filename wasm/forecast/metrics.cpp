#include "forecast/metrics.h"

#include <limits>

#include "io/error.h"

namespace sg {

void MetricSum::add(std::span<const float> predictions, std::span<const float> truths) {
  if (predictions.size() != truths.size()) {
    throw Error("forecast.bad_batch", "metrics: " + std::to_string(predictions.size()) + " predictions for " +
                                          std::to_string(truths.size()) + " values");
  }
  for (size_t i = 0; i < predictions.size(); ++i) add(predictions[i], truths[i]);
}

Metrics MetricSum::result() const {
  if (count_ == 0) return {};
  const double n = static_cast<double>(count_);
  return {.mse = squares_ / n,
          .mae = absolutes_ / n,
          .rmse = std::sqrt(squares_ / n),
          .r2 = spread_ > 0 ? 1 - squares_ / spread_ : 0,
          .mape = zeros_ < count_ ? shares_ / static_cast<double>(count_ - zeros_)
                                  : std::numeric_limits<double>::quiet_NaN(),
          .smape = symmetric_ / n,
          .zeros = zeros_,
          .count = count_};
}

SeasonalScale::SeasonalScale(size_t period) : last_(period, std::numeric_limits<double>::quiet_NaN()) {
  if (period == 0) throw Error("forecast.bad_config", "the season of MASE's scale must be at least 1 row");
}

void SeasonalScale::add(double value) {
  const double change = std::abs(value - last_[at_]);
  last_[at_] = value;
  if (++at_ == last_.size()) at_ = 0;
  if (std::isnan(change)) return;
  sum_ += change;
  ++count_;
}

double mase(double mae, double scale) { return scale > 0 ? mae / scale : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace sg
