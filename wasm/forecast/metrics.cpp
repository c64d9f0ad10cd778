#include "forecast/metrics.h"

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
  return {squares_ / n, absolutes_ / n, std::sqrt(squares_ / n), spread_ > 0 ? 1 - squares_ / spread_ : 0, count_};
}

}  // namespace sg
