// Sums, means and maxima.
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tests/reference/reference.h"

namespace sg::reference {
namespace {

/// Every element goes to the place where the axes' index is 0.
Array fold(const Array& x, const std::vector<int>& axes, bool keepdim, double start,
           const std::function<double(double, double)>& f) {
  std::vector<bool> gone(x.sizes.size(), false);
  for (const int axis : axes) gone[axis_of(x.sizes, axis)] = true;
  Sizes kept = x.sizes, left;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (gone[i]) kept[i] = 1;
    if (!gone[i] || keepdim) left.push_back(kept[i]);
  }
  Array y(kept);
  for (double& v : y.values) v = start;
  Index at;
  each(x.sizes, [&](const Index& i) {
    at = i;
    for (size_t axis = 0; axis < at.size(); ++axis)
      if (gone[axis]) at[axis] = 0;
    y.at(at) = f(y.at(at), x.at(i));
  });
  y.sizes = left;
  return y;
}

int count_of(const Array& x, const std::vector<int>& axes) {
  int n = 1;
  for (const int axis : axes) n *= x.sizes[axis_of(x.sizes, axis)];
  return n;
}

}  // namespace

Array sum(const Array& x, const std::vector<int>& axes, bool keepdim) {
  return fold(x, axes, keepdim, 0, [](double total, double v) { return total + v; });
}

Array mean(const Array& x, const std::vector<int>& axes, bool keepdim) {
  Array y = sum(x, axes, keepdim);
  for (double& v : y.values) v /= count_of(x, axes);
  return y;
}

Array amax(const Array& x, const std::vector<int>& axes, bool keepdim) {
  return fold(x, axes, keepdim, -std::numeric_limits<double>::infinity(),
              [](double best, double v) { return std::isnan(best) || best > v ? best : v; });
}

Array amin(const Array& x, const std::vector<int>& axes, bool keepdim) {
  return fold(x, axes, keepdim, std::numeric_limits<double>::infinity(),
              [](double best, double v) { return std::isnan(best) || best < v ? best : v; });
}

/// The mean of the squares without the square of the mean.
Array var(const Array& x, const std::vector<int>& axes, int correction, bool keepdim) {
  const double n = count_of(x, axes);
  Array squares = x;
  for (double& v : squares.values) v *= v;
  const Array first = sum(x, axes, keepdim);
  Array y = sum(squares, axes, keepdim);
  for (size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = (y.values[i] - first.values[i] * first.values[i] / n) / (n - correction);
  return y;
}

Array sum(const Array& x, int axis, bool keepdim) { return sum(x, std::vector<int>{axis}, keepdim); }
Array mean(const Array& x, int axis, bool keepdim) { return mean(x, std::vector<int>{axis}, keepdim); }
Array amax(const Array& x, int axis, bool keepdim) { return amax(x, std::vector<int>{axis}, keepdim); }

Array sum(const Array& x) {
  Array y;
  for (const double v : x.values) y.values[0] += v;
  return y;
}

Array mean(const Array& x) {
  Array y = sum(x);
  y.values[0] /= x.size();
  return y;
}

}  // namespace sg::reference
