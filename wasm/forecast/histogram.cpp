#include "forecast/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sg {
namespace {

/// The next round number to `wanted` that is at least `least`.
double rounded(double wanted, double least) {
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  constexpr std::pair<double, double> kDigits[] = {{1, 1.4}, {2, 2.25}, {2.5, 3.5}, {5, 7}};  // each up to where
  for (const auto& [digit, end] : kDigits)
    if (digit * power >= least && wanted < end * power) return digit * power;
  return 10 * power;
}

/// Which of sorted order stands at `part` of the way.
double quantile(std::vector<double>& values, double part) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Histogram histogram(std::vector<double> values, size_t most) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }), values.end());
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double from = *low, to = *high, size = std::max(std::abs(from), std::abs(to));
  const double count = static_cast<double>(values.size());
  const double bins = std::min(static_cast<double>(most), 2 * std::sqrt(count));
  // So narrow that its multiples could not be told apart is no bin.
  double least = std::max((to - from) / bins, size * 1e-9);
  if (least == 0) least = 1;
  double wanted = 2 * (quantile(values, 0.75) - quantile(values, 0.25)) / std::cbrt(count);
  if (wanted == 0) wanted = (to - from) / std::sqrt(count);
  Histogram h;
  h.width = rounded(std::max(wanted, least), least);
  h.first = static_cast<int64_t>(std::floor(from / h.width));
  h.counts.assign(static_cast<size_t>(static_cast<int64_t>(std::floor(to / h.width)) - h.first) + 1, 0);
  for (const double v : values)
    ++h.counts[static_cast<size_t>(static_cast<int64_t>(std::floor(v / h.width)) - h.first)];
  return h;
}

}  // namespace sg
