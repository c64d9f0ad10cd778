#pragma once
// Is a model's forecast better than a baseline's by more than chance? The test of Diebold & Mariano (1995) with the
// correction for few forecasts of Harvey, Leybourne & Newbold (1997): losses of the same windows, pair by pair, in
// memory that does not grow with them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sg {

struct DieboldMarianoResult {
  double difference = 0;  // mean loss of the first less the second: below 0, the first is better
  double statistic = 0;   // of Student's distribution with count - 1 degrees of freedom
  double p = 1;           // of a difference as far from 0 by chance, on either side
  bool weighted = false;  // the plain variance was not positive: lags are weighted (Newey & West 1987)
  uint64_t count = 0;
};

class DieboldMariano {
 public:
  /// `overlap`: windows that share a row ahead follow each other within so many, H where a window starts at each row.
  /// Throws forecast.bad_config for 0.
  explicit DieboldMariano(size_t overlap);

  /// The losses of the next window, in row order; any unit.
  void add(double first, double second);
  /// p is 1 with as few windows as overlap or fewer than 2, and where the losses never differ; 0 where they always
  /// differ by the same.
  DieboldMarianoResult result() const;

 private:
  size_t overlap_;
  std::vector<double> head_, last_;  // the first and the last differences, `overlap` - 1 each; last_ is a ring
  std::vector<double> products_;     // sums of d[t] d[t - lag], less the first difference from each
  double origin_ = 0, sum_ = 0;
  uint64_t count_ = 0;
};

/// P(T <= t) of Student's distribution, by the continued fraction of the incomplete beta function (Lentz 1976).
double student_cdf(double t, double freedom);

}  // namespace sg
