#pragma once
// Errors of a forecast. Sums are double, so the order of batches does not show.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sg {

struct Metrics {
  double mse = 0;
  double mae = 0;
  double rmse = 0;
  double r2 = 0;  // 1 - squared errors / squared distances from the truths' mean; 0 where they do not vary
  uint64_t count = 0;
};

class MetricSum {
 public:
  void add(double prediction, double truth) {
    const double error = prediction - truth;
    squares_ += error * error;
    absolutes_ += std::abs(error);
    ++count_;
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
  uint64_t count_ = 0;
};

}  // namespace sg
