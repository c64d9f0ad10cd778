#include "forecast/conformal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "io/error.h"

namespace sg {
namespace {

void check_coverage(double level) {
  if (!(level > 0 && level < 1)) {
    throw Error("forecast.bad_config", "an interval's level must lie between 0 and 1, and is " + std::to_string(level));
  }
}

void check_score(double score) {
  if (std::isnan(score)) throw Error("forecast.bad_config", "a conformal score is not a number");
}

/// Which of n scores in ascending order bounds the level, from 1; n + 1 and more: none does.
double rank_of(size_t n, double level) { return std::ceil((static_cast<double>(n) + 1) * level - 1e-9); }

}  // namespace

double conformal_margin(std::vector<double> scores, double level) {
  check_coverage(level);
  for (const double s : scores) check_score(s);
  const double rank = rank_of(scores.size(), level);
  if (rank > static_cast<double>(scores.size())) return std::numeric_limits<double>::infinity();
  const auto at = scores.begin() + static_cast<ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(scores.begin(), at, scores.end());
  return *at;
}

AdaptiveConformal::AdaptiveConformal(double level, double rate, size_t memory)
    : level_(level), rate_(rate), miss_(1 - level), memory_(memory) {
  check_coverage(level);
  if (!(rate >= 0) || std::isinf(rate) || memory == 0)
    throw Error("forecast.bad_config", "adaptive intervals need a rate of 0 or more, and at least one score kept");
}

double AdaptiveConformal::margin() const {
  const double rank = rank_of(sorted_.size(), 1 - miss_), n = static_cast<double>(sorted_.size());
  if (miss_ <= 0 || rank > n) return std::numeric_limits<double>::infinity();
  if (rank < 1) return -std::numeric_limits<double>::infinity();
  return sorted_[static_cast<size_t>(rank) - 1];
}

void AdaptiveConformal::add(double score, double margin) {
  check_score(score);
  miss_ += rate_ * (1 - level_ - (score > margin ? 1 : 0));
  if (ring_.size() < memory_) {
    ring_.push_back(score);
  } else {
    sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), ring_[at_]));
    ring_[at_] = score;
    at_ = (at_ + 1) % memory_;
  }
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), score), score);
}

}  // namespace sg
