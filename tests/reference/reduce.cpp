// Sums, means and maxima.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/reference/reference.h"

namespace sg::reference {
namespace {

Array fold(const Array& x, int axis, bool keepdim, double start, const std::function<double(double, double)>& f) {
  const size_t a = axis_of(x.sizes, axis);
  Sizes kept = x.sizes;
  kept[a] = 1;
  Array y(kept);
  for (double& v : y.values) v = start;
  Index at;
  each(x.sizes, [&](const Index& i) {
    at = i;
    at[a] = 0;
    y.at(at) = f(y.at(at), x.at(i));
  });
  if (!keepdim) y.sizes.erase(y.sizes.begin() + static_cast<std::ptrdiff_t>(a));
  return y;
}

}  // namespace

Array sum(const Array& x, int axis, bool keepdim) {
  return fold(x, axis, keepdim, 0, [](double total, double v) { return total + v; });
}

Array mean(const Array& x, int axis, bool keepdim) {
  Array y = sum(x, axis, keepdim);
  for (double& v : y.values) v /= x.sizes[axis_of(x.sizes, axis)];
  return y;
}

Array amax(const Array& x, int axis, bool keepdim) {
  return fold(x, axis, keepdim, -std::numeric_limits<double>::infinity(),
              [](double best, double v) { return std::isnan(best) || best > v ? best : v; });
}

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
