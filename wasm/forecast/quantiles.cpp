#include "forecast/quantiles.h"

#include <string>

#include "io/error.h"

namespace sg {

QuantileSum::QuantileSum(std::vector<double> levels) : levels_(std::move(levels)), sums_(levels_.size(), 0) {
  if (levels_.empty()) throw Error("forecast.bad_config", "there must be a quantile's level");
  double before = 0, cell = 0;
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (!(levels_[i] > before && levels_[i] < 1)) {
      throw Error("forecast.bad_config", "quantile level " + std::to_string(i + 1) + " is " +
                                             std::to_string(levels_[i]) +
                                             ": levels must ascend, and lie between 0 and 1");
    }
    before = levels_[i];
    const double end = i + 1 < levels_.size() ? (levels_[i] + levels_[i + 1]) / 2 : 1;
    weights_.push_back(end - cell);
    cell = end;
  }
}

void QuantileSum::add(std::span<const float> quantiles, double truth) {
  if (quantiles.size() != levels_.size()) {
    throw Error("forecast.bad_batch",
                std::to_string(quantiles.size()) + " quantiles for " + std::to_string(levels_.size()) + " levels");
  }
  bool crossed = false;
  for (size_t i = 0; i < quantiles.size(); ++i) {
    sums_[i] += pinball(levels_[i], double{quantiles[i]}, truth);
    crossed = crossed || (i > 0 && quantiles[i] < quantiles[i - 1]);
  }
  crossed_ += crossed;
  ++count_;
}

QuantileScores QuantileSum::result() const {
  QuantileScores scores{std::vector<double>(levels_.size(), 0), 0, crossed_, count_};
  if (count_ == 0) return scores;
  for (size_t i = 0; i < levels_.size(); ++i) {
    scores.pinball[i] = sums_[i] / static_cast<double>(count_);
    scores.crps += 2 * weights_[i] * scores.pinball[i];
  }
  return scores;
}

IntervalScores IntervalSum::result() const {
  if (count_ == 0) return {};
  const double n = static_cast<double>(count_);
  return {1 - static_cast<double>(below_ + above_) / n, width_ / n, below_, above_, count_};
}

}  // namespace sg
