// Sums, means and maxima, and the losses that are means.
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

Array mean_of(const Array& input, const Array& target, const std::function<double(double)>& f) {
  Array total;
  for (size_t i = 0; i < input.values.size(); ++i) total.values[0] += f(input.values[i] - target.values[i]);
  total.values[0] /= input.size();
  return total;
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

Array mse_loss(const Array& input, const Array& target) {
  return mean_of(input, target, [](double d) { return d * d; });
}

Array l1_loss(const Array& input, const Array& target) {
  return mean_of(input, target, [](double d) { return d < 0 ? -d : d; });
}

Array huber_loss(const Array& input, const Array& target, double delta) {
  return mean_of(input, target, [delta](double d) {
    const double size = d < 0 ? -d : d;
    return size < delta ? 0.5 * d * d : delta * size - 0.5 * delta * delta;
  });
}

}  // namespace sg::reference
