#pragma once
// Exponential smoothing with additive errors (Hyndman, Koehler, Ord & Snyder 2008), the forecast that statisticians
// try first: a level, perhaps a slope that may fade, perhaps a season, each moved by a share of the last error. What is
// fitted is the training part; after that a row costs a handful of multiplications.
//
//   error  e[t] = y[t] - (l[t-1] + phi b[t-1] + s[t-m])
//   level  l[t] = l[t-1] + phi b[t-1] + alpha e[t]
//   slope  b[t] = phi b[t-1] + beta e[t]
//   season s[t] = s[t-m] + gamma e[t]

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sg {

enum class Slope : uint8_t { none, lasting, fading };

/// Where smoothing stands before a row.
struct SmoothingState {
  uint64_t row = 0;  // the next one
  double level = 0;
  double slope = 0;
  std::vector<double> season;  // of rows with the same row % m; empty: none
};

struct Smoothing {
  Slope slope = Slope::none;
  size_t period = 0;  // m, in rows; 0: no season
  double alpha = 0, beta = 0, gamma = 0, phi = 1;
  SmoothingState start;  // before the first training row
  SmoothingState end;    // after the last
  double squares = 0;    // summed, of the errors one row ahead over the training part
  uint64_t count = 0;    // of those errors; a missing value has none
  double aicc = 0;       // Akaike's criterion for short series: the least is the best

  /// As statisticians write it: "ETS(A,N,N)" is simple smoothing, (A,A,N) Holt's, (A,Ad,N) damped, (A,A,A)
  /// Holt-Winters.
  std::string name() const;
  /// A row more; returns its error. Where the value is missing (NaN) the forecast stands in for it.
  double step(SmoothingState& state, double value) const;
  /// h >= 1 rows ahead of the last one that the state has seen.
  double ahead(const SmoothingState& state, size_t h) const;
  /// For a stretch of rows far from the training part: slope and season as the training part ended, and the level of
  /// the first value that comes.
  SmoothingState elsewhere(uint64_t row) const;
};

/// The weights with the least squared error one row ahead over `values` (row order, NaN where missing), by Nelder and
/// Mead's simplex from three starts; the first states are Hyndman's heuristic (2008, 2.6.1) over the first rows.
/// `period` 0: no season. Throws forecast.bad_config for a period of 1, forecast.too_few_rows below 10 values or, with
/// a season, two seasons and 10 values more than one.
Smoothing fit_smoothing(std::span<const double> values, Slope slope, size_t period, uint64_t first_row = 0);

/// All that can be fitted to the training part, best AICc first: without a slope, with a lasting and with a fading one,
/// each without a season and, where `period` is not 0, with it. Empty where there are too few values for any. The first
/// value is that of row `first_row`.
std::vector<Smoothing> choose_smoothing(std::span<const double> values, size_t period, uint64_t first_row = 0);

}  // namespace sg
