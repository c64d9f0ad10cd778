#include "forecast/diebold_mariano.h"

#include <algorithm>
#include <cmath>

#include "io/error.h"

namespace sg {
namespace {

/// Converges for x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  const auto away = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + even * d), c = away(1 + even / c), result *= c * d;
    d = 1 / away(1 + odd * d), c = away(1 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return result;
}

/// The regularised incomplete beta function.
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/// P(|T| >= |t|).
double student_tails(double t, double freedom) {
  return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

}  // namespace

double student_cdf(double t, double freedom) {
  const double tail = student_tails(t, freedom) / 2;
  return t < 0 ? tail : 1 - tail;
}

DieboldMariano::DieboldMariano(size_t overlap) : overlap_(overlap), products_(overlap, 0) {
  if (overlap == 0) throw Error("forecast.bad_config", "windows overlap within 1 window at least, themselves");
  last_.assign(overlap, 0);
}

void DieboldMariano::add(double first, double second) {
  if (count_ == 0) origin_ = first - second;
  const double d = first - second - origin_;
  sum_ += d;
  if (head_.size() + 1 < overlap_) head_.push_back(d);
  last_[count_ % overlap_] = d;
  ++count_;
  for (size_t lag = 0; lag < std::min<uint64_t>(overlap_, count_); ++lag)
    products_[lag] += d * last_[(count_ - 1 - lag) % overlap_];
}

DieboldMarianoResult DieboldMariano::result() const {
  DieboldMarianoResult result;
  result.count = count_;
  if (count_ == 0) return result;
  const double n = static_cast<double>(count_), h = static_cast<double>(overlap_), mean = sum_ / n;
  result.difference = origin_ + mean;
  if (count_ <= overlap_ || count_ < 2) return result;
  // Around the mean: the sums over pairs leave out the first or the last `lag` differences.
  double plain = 0, weighted = 0, without_first = sum_, without_last = sum_;
  for (size_t lag = 0; lag < overlap_; ++lag) {
    if (lag > 0) without_first -= head_[lag - 1], without_last -= last_[(count_ - lag) % overlap_];
    const double pairs = n - static_cast<double>(lag);
    const double covariance = (products_[lag] - mean * (without_first + without_last) + pairs * mean * mean) / n;
    plain += (lag > 0 ? 2 : 1) * covariance;
    weighted += (lag > 0 ? 2 : 1) * (1 - static_cast<double>(lag) / h) * covariance;
  }
  // What rounding leaves of differences that are all the same is no variance.
  const double least = 1e-20 * (result.difference * result.difference + products_[0] / n);
  result.weighted = plain <= least;
  const double variance = result.weighted ? weighted : plain;
  if (variance <= least) {
    result.p = result.difference == 0 ? 1 : 0;
    return result;
  }
  const double correction = (n + 1 - 2 * h + h * (h - 1) / n) / n;
  result.statistic = result.difference / std::sqrt(variance / n) * std::sqrt(correction);
  result.p = student_tails(result.statistic, n - 1);
  return result;
}

}  // namespace sg
