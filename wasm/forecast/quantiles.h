#pragma once
// Scores of forecasts that say how sure they are: pinball loss and CRPS of quantiles, coverage and width of intervals,
// one value after the other in memory that does not grow.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sg {

/// max(level (truth - quantile), (level - 1) (truth - quantile)) (Koenker & Bassett 1978).
inline double pinball(double level, double quantile, double truth) {
  return truth >= quantile ? level * (truth - quantile) : (1 - level) * (quantile - truth);
}

struct QuantileScores {
  std::vector<double> pinball;  // mean, by level
  double crps = 0;              // in the units of the values; of the median alone it is the mean absolute error
  uint64_t crossed = 0;         // forecasts with a quantile below one of a lower level
  uint64_t count = 0;
};

/// CRPS is twice the integral of the pinball loss over all levels (Laio & Tamea 2007); here each level stands for the
/// levels nearer to it than to another, so that levels need not be evenly spaced.
class QuantileSum {
 public:
  /// Throws forecast.bad_config where levels do not ascend strictly between 0 and 1, or there is none.
  explicit QuantileSum(std::vector<double> levels);

  /// `quantiles` by level; throws forecast.bad_batch where there are more or fewer than levels.
  void add(std::span<const float> quantiles, double truth);
  /// Zeros with count 0 when nothing was added.
  QuantileScores result() const;
  const std::vector<double>& levels() const { return levels_; }

 private:
  std::vector<double> levels_, weights_, sums_;  // weights: of each level in CRPS
  uint64_t crossed_ = 0, count_ = 0;
};

struct IntervalScores {
  double coverage = 0;  // share of the truths in [low, high]
  double width = 0;     // mean high - low
  uint64_t below = 0, above = 0, count = 0;
};

class IntervalSum {
 public:
  void add(double low, double high, double truth) {
    width_ += high - low;
    below_ += truth < low;
    above_ += truth >= low && truth > high;
    ++count_;
  }
  /// Zeros with count 0 when nothing was added.
  IntervalScores result() const;

 private:
  double width_ = 0;
  uint64_t below_ = 0, above_ = 0, count_ = 0;
};

}  // namespace sg
