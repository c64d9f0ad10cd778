#pragma once
// Ridge regression from a window's rows to all rows ahead at once: the linear model that many a network does not beat
// (Zeng et al. 2023). Windows overlap, so their second moments are taken from the series' own products, lag by lag,
// with the ends put right: look-back times rows of work instead of look-back squared times rows.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sg {

/// y [H * K] = constant + x [L * F] · weights, as a batch's windows lie (forecast/windows.h).
struct RidgeWeights {
  std::vector<double> weights;   // [L * F, H * K]
  std::vector<double> constant;  // [H * K]
  double penalty = 0;            // on the squared weights, none on the constant; as scikit-learn's alpha

  /// x [L * F] to y [H * K].
  void forecast(std::span<const float> x, std::span<double> y) const;
};

/// The sums that ridge regression needs, of windows that come run by run, in memory that does not grow with them.
class RidgeMoments {
 public:
  /// L, H, F, K as of a batch.
  RidgeMoments(size_t look_back, size_t horizon, size_t features, size_t targets);

  /// The windows that start at the first `windows` rows: features [rows, F] and targets [rows, K] of the same rows, at
  /// least windows + L + H - 1 of them, none missing. Throws forecast.bad_batch where they are fewer.
  void add(std::span<const float> features, std::span<const float> targets, size_t windows);
  uint64_t windows() const { return windows_; }

  /// Throws forecast.bad_config for a penalty that is not positive, forecast.too_few_rows before any window.
  RidgeWeights solve(double penalty) const;

 private:
  size_t look_back_, horizon_, features_, targets_, inputs_, outputs_;
  uint64_t windows_ = 0;
  // Of the first row ahead and the first row read as they are; elsewhere what is to be added to the entry one row
  // earlier on both sides.
  std::vector<double> squares_;        // [L * F, L * F], from the diagonal on
  std::vector<double> products_;       // [L * F, H * K]
  std::vector<double> x_sum_, y_sum_;  // [L * F], [H * K]
};

}  // namespace sg
