#pragma once
// Intervals that hold what they promise, around any forecast: how far off it was on rows that were held out says how
// far off it may be. Split conformal intervals (Vovk et al. 2005; Lei et al. 2018) keep their width; adaptive ones
// (Gibbs & Candès 2021) widen after a miss and narrow after hits, so that their coverage holds while the series
// changes.

#include <cstddef>
#include <vector>

namespace sg {

/// The ceil((n + 1) level)-th smallest of the n scores: at least `level` of the scores to come, of the same kind, are
/// no larger. Infinite where n is too small for that. A score is |truth - forecast|, or of two quantiles
/// max(low - truth, truth - high) (Romano et al. 2019); in any unit. Throws forecast.bad_config for a level that is not
/// between 0 and 1, or a score that is not a number.
double conformal_margin(std::vector<double> scores, double level);

/// Of one row ahead; each has its own.
class AdaptiveConformal {
 public:
  /// `level` is covered in the long run, `rate` (Gibbs & Candès: 0.005) is how quickly it answers to misses, and the
  /// last `memory` scores are kept. Throws forecast.bad_config.
  AdaptiveConformal(double level, double rate, size_t memory);

  /// For the next forecast: its interval is the forecast -+ this. Infinite after many misses or before enough
  /// scores; minus infinite, an empty interval, where hits alone have used up all misses that are allowed.
  double margin() const;
  /// The score of the forecast that margin() was given for, once its truth is known: h rows later for h rows ahead.
  /// `margin` is what it was given then.
  void add(double score, double margin);

 private:
  double level_, rate_, miss_;  // miss_: the share of misses that is aimed at now
  size_t memory_, at_ = 0;
  std::vector<double> ring_, sorted_;  // the last scores, in order of time and of size
};

}  // namespace sg
