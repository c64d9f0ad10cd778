#include "tests/reference/loss.h"

#include <cmath>
#include <functional>

#include "tests/reference/reference.h"

namespace sg::reference {
namespace {

const double kPi = std::acos(-1.0);

/// The weighted mean over the first axis of f(i), i a flat index of `sizes`.
Array mean_of(const Sizes& sizes, const Array* weight, const std::function<double(size_t i)>& f) {
  const size_t n = static_cast<size_t>(count(sizes)), each = weight ? n / weight->values.size() : 1;
  double sum = 0, weights = 0;
  for (size_t i = 0; i < n; ++i) {
    const double w = weight ? weight->values[i / each] : 1;
    sum += w * f(i);
    weights += w;
  }
  Array y;
  y.values[0] = weights == 0 ? 0 : sum / weights;
  return y;
}

double log_sigmoid(double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); }

}  // namespace

Array mse_loss(const Array& input, const Array& target, const Array* weight) {
  return mean_of(input.sizes, weight, [&](size_t i) { return std::pow(input.values[i] - target.values[i], 2); });
}

Array l1_loss(const Array& input, const Array& target, const Array* weight) {
  return mean_of(input.sizes, weight, [&](size_t i) { return std::fabs(input.values[i] - target.values[i]); });
}

Array huber_loss(const Array& input, const Array& target, double delta, const Array* weight) {
  return mean_of(input.sizes, weight, [&](size_t i) {
    const double size = std::fabs(input.values[i] - target.values[i]);
    return size < delta ? 0.5 * size * size : delta * size - 0.5 * delta * delta;
  });
}

Array quantile_loss(const Array& input, const Array& target, const std::vector<double>& quantiles,
                    const Array* weight) {
  return mean_of(input.sizes, weight, [&](size_t i) {
    const double error = target.values[i / quantiles.size()] - input.values[i], q = quantiles[i % quantiles.size()];
    return error < 0 ? (1 - q) * -error : q * error;
  });
}

Array gaussian_nll_loss(const Array& input, const Array& target, const Array& var, double eps, const Array* weight) {
  const Array variance = expand(var, input.sizes);
  return mean_of(input.sizes, weight, [&](size_t i) {
    const double v = variance.values[i] < eps ? eps : variance.values[i];
    return std::pow(input.values[i] - target.values[i], 2) / (2 * v) + std::log(std::sqrt(2 * kPi * v));
  });
}

Array student_t_nll_loss(const Array& loc, const Array& scale, const Array& df, const Array& target,
                         const Array* weight) {
  const Array m = expand(loc, target.sizes), s = expand(scale, target.sizes), f = expand(df, target.sizes);
  return mean_of(target.sizes, weight, [&](size_t i) {
    const double v = f.values[i], e = (target.values[i] - m.values[i]) / s.values[i];
    return std::log(s.values[i]) + std::log(v * kPi) / 2 + std::lgamma(v / 2) - std::lgamma((v + 1) / 2) +
           (v + 1) / 2 * std::log1p(e * e / v);
  });
}

Array binary_cross_entropy_with_logits(const Array& logits, const Array& target, double pos_weight,
                                       const Array* weight) {
  return mean_of(logits.sizes, weight, [&](size_t i) {
    const double x = logits.values[i], t = target.values[i];
    return -(pos_weight * t * log_sigmoid(x) + (1 - t) * log_sigmoid(-x));
  });
}

Array cross_entropy(const Array& logits, const Array& target, const CrossEntropy& how) {
  const int rows = logits.sizes[0], classes = logits.sizes[1];
  const auto weight = [&](int c) { return how.class_weight ? how.class_weight->at({c}) : 1; };
  double sum = 0, weights = 0;
  for (int n = 0; n < rows; ++n) {
    const int wanted = static_cast<int>(target.at({n}));
    if (wanted == how.ignore_index) continue;
    double largest = logits.at({n, 0}), exponentials = 0, smooth = 0;
    for (int c = 1; c < classes; ++c) largest = std::fmax(largest, logits.at({n, c}));
    for (int c = 0; c < classes; ++c) exponentials += std::exp(logits.at({n, c}) - largest);
    const auto log_probability = [&](int c) { return logits.at({n, c}) - largest - std::log(exponentials); };
    for (int c = 0; c < classes && how.label_smoothing > 0; ++c) smooth -= weight(c) * log_probability(c) / classes;
    const double counts = how.sample_weight ? how.sample_weight->at({n}) : 1;
    const double own = -weight(wanted) * log_probability(wanted);
    sum += counts * ((1 - how.label_smoothing) * own + how.label_smoothing * smooth);
    weights += counts * weight(wanted);
  }
  Array y;
  y.values[0] = weights == 0 ? 0 : sum / weights;
  return y;
}

}  // namespace sg::reference
