// Softmax and the normalisations. A normalisation is told by which elements belong to one group and which to one
// channel; everything else is the definition.
#include "tests/reference/norm.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace sg::reference {
namespace {

using KeyOf = std::function<int(const Index&)>;

/// (x - mean) / sqrt(variance + eps) weight + bias for a group's mean and variance.
Array normalise(const Array& x, const KeyOf& group_of, const KeyOf& channel_of, bool centred, const Array* weight,
                const Array* bias, double eps) {
  std::map<int, double> count, mean, variance;
  each(x.sizes, [&](const Index& i) {
    count[group_of(i)] += 1;
    mean[group_of(i)] += centred ? x.at(i) : 0;
  });
  for (auto& [group, sum] : mean) sum /= count[group];
  each(x.sizes, [&](const Index& i) {
    const double d = x.at(i) - mean[group_of(i)];
    variance[group_of(i)] += d * d;
  });
  for (auto& [group, sum] : variance) sum /= count[group];
  Array y(x.sizes);
  each(x.sizes, [&](const Index& i) {
    const auto channel = static_cast<size_t>(channel_of(i));
    const double w = weight ? weight->values[channel] : 1, b = bias ? bias->values[channel] : 0;
    y.at(i) = (x.at(i) - mean[group_of(i)]) / std::sqrt(variance[group_of(i)] + eps) * w + b;
  });
  return y;
}

int last(const Index& i) { return i.back(); }
int second(const Index& i) { return i[1]; }

/// The row that an element is in: its index without the last axis.
KeyOf row_of(const Sizes& sizes) {
  return [sizes](const Index& i) {
    int row = 0;
    for (size_t axis = 0; axis + 1 < sizes.size(); ++axis) row = row * sizes[axis] + i[axis];
    return row;
  };
}

struct Peak {
  Array maximum, sum;  // the axis kept as 1
};

Index without(const Index& i, size_t axis) {
  Index at = i;
  at[axis] = 0;
  return at;
}

Peak peak(const Array& x, size_t axis) {
  Sizes kept = x.sizes;
  kept[axis] = 1;
  Peak p{Array(kept), Array(kept)};
  for (double& v : p.maximum.values) v = -std::numeric_limits<double>::infinity();
  each(x.sizes, [&](const Index& i) {
    double& best = p.maximum.at(without(i, axis));
    if (std::isnan(x.at(i)) || x.at(i) > best) best = x.at(i);
  });
  each(x.sizes,
       [&](const Index& i) { p.sum.at(without(i, axis)) += std::exp(x.at(i) - p.maximum.at(without(i, axis))); });
  return p;
}

}  // namespace

Array softmax(const Array& x, int axis) {
  const size_t a = axis_of(x.sizes, axis);
  const Peak p = peak(x, a);
  Array y(x.sizes);
  each(x.sizes,
       [&](const Index& i) { y.at(i) = std::exp(x.at(i) - p.maximum.at(without(i, a))) / p.sum.at(without(i, a)); });
  return y;
}

Array log_softmax(const Array& x, int axis) {
  const size_t a = axis_of(x.sizes, axis);
  const Peak p = peak(x, a);
  Array y(x.sizes);
  each(x.sizes,
       [&](const Index& i) { y.at(i) = x.at(i) - p.maximum.at(without(i, a)) - std::log(p.sum.at(without(i, a))); });
  return y;
}

Array logsumexp(const Array& x, int axis, bool keepdim) {
  const size_t a = axis_of(x.sizes, axis);
  const Peak p = peak(x, a);
  Array y = p.maximum;
  for (size_t i = 0; i < y.values.size(); ++i)
    if (!std::isinf(y.values[i])) y.values[i] += std::log(p.sum.values[i]);
  if (!keepdim) y.sizes.erase(y.sizes.begin() + static_cast<std::ptrdiff_t>(a));
  return y;
}

Array layer_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  return normalise(x, row_of(x.sizes), last, true, weight, bias, eps);
}

Array rms_norm(const Array& x, const Array* weight, double eps) {
  return normalise(x, row_of(x.sizes), last, false, weight, nullptr, eps);
}

Array batch_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  return normalise(x, second, second, true, weight, bias, eps);
}

Array batch_norm_with(const Array& x, const Array& mean, const Array& variance, const Array* weight, const Array* bias,
                      double eps) {
  Array y(x.sizes);
  each(x.sizes, [&](const Index& i) {
    const auto c = static_cast<size_t>(i[1]);
    y.at(i) = (x.at(i) - mean.values[c]) / std::sqrt(variance.values[c] + eps) * (weight ? weight->values[c] : 1) +
              (bias ? bias->values[c] : 0);
  });
  return y;
}

Array group_norm(const Array& x, int groups, const Array* weight, const Array* bias, double eps) {
  const int each_group = x.sizes[1] / groups;
  return normalise(
      x, [=](const Index& i) { return i[0] * groups + i[1] / each_group; }, second, true, weight, bias, eps);
}

}  // namespace sg::reference
