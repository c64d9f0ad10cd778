#include "forecast/ridge.h"

#include <algorithm>
#include <string>

#include "forecast/cholesky.h"
#include "io/error.h"

namespace sg {

void RidgeWeights::forecast(std::span<const float> x, std::span<double> y) const {
  std::copy(constant.begin(), constant.end(), y.begin());
  const double* row = weights.data();
  for (const float value : x) {
    for (double& out : y) out += double{value} * *row++;
  }
}

RidgeMoments::RidgeMoments(size_t look_back, size_t horizon, size_t features, size_t targets)
    : look_back_(look_back),
      horizon_(horizon),
      features_(features),
      targets_(targets),
      inputs_(look_back * features),
      outputs_(horizon * targets),
      squares_(inputs_ * inputs_, 0),
      products_(inputs_ * outputs_, 0),
      x_sum_(inputs_, 0),
      y_sum_(outputs_, 0) {}

void RidgeMoments::add(std::span<const float> features, std::span<const float> targets, size_t windows) {
  if (windows == 0) return;
  const size_t rows = windows + look_back_ + horizon_ - 1, f = features_, k = targets_;
  if (features.size() / f < rows || targets.size() / k < rows) {
    throw Error("forecast.bad_batch", std::to_string(windows) + " windows have " + std::to_string(rows) +
                                          " rows, and there are " + std::to_string(features.size() / f) + " and " +
                                          std::to_string(targets.size() / k));
  }
  const float* x = features.data();
  const float* y = targets.data() + look_back_ * k;  // of a window's first row ahead
  // to[i, j] += times · a[i] · b[j]
  const auto outer = [](double* to, size_t stride, const float* a, size_t n, const float* b, size_t m, double times) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < m; ++j) to[i * stride + j] += times * double{a[i]} * double{b[j]};
  };
  for (size_t s = 0; s < windows; ++s) {
    outer(squares_.data(), inputs_, x + s * f, f, x + s * f, inputs_, 1);
    outer(products_.data(), outputs_, x + s * f, f, y + s * k, outputs_, 1);
    for (size_t t = 1; t < look_back_; ++t)
      outer(&products_[t * f * outputs_], outputs_, x + (s + t) * f, f, y + s * k, k, 1);
    for (size_t i = 0; i < f; ++i) x_sum_[i] += double{x[s * f + i]};
    for (size_t i = 0; i < k; ++i) y_sum_[i] += double{y[s * k + i]};
  }
  // One row on, the first window's row is left and the row after the last window's is new.
  for (const auto& [row, times] : {std::pair<size_t, double>(0, -1.0), {windows, 1.0}}) {
    const float *from = x + row * f, *ahead = y + row * k;
    for (size_t t = 0; t + 1 < look_back_; ++t) {
      const size_t rest = (look_back_ - 1 - t) * f;
      outer(&squares_[(t + 1) * f * (inputs_ + 1)], inputs_, from + t * f, f, from + t * f, rest, times);
      outer(&products_[(t + 1) * f * outputs_ + k], outputs_, from + t * f, f, ahead, outputs_ - k, times);
    }
    for (size_t i = f; i < inputs_; ++i) x_sum_[i] += times * double{from[i - f]};
    for (size_t i = k; i < outputs_; ++i) y_sum_[i] += times * double{ahead[i - k]};
  }
  windows_ += windows;
}

RidgeWeights RidgeMoments::solve(double penalty) const {
  if (!(penalty > 0)) throw Error("forecast.bad_config", "ridge regression needs a penalty above 0");
  if (windows_ == 0) throw Error("forecast.too_few_rows", "there is no window for ridge regression");
  const size_t f = features_, k = targets_;
  const double n = static_cast<double>(windows_);
  std::vector<double> squares = squares_, x_mean = x_sum_, y_mean = y_sum_;
  RidgeWeights result{products_, {}, penalty};
  std::vector<double>& products = result.weights;
  for (size_t i = f; i < inputs_; ++i) {
    for (size_t j = i / f * f; j < inputs_; ++j) squares[i * inputs_ + j] += squares[(i - f) * inputs_ + j - f];
    for (size_t j = k; j < outputs_; ++j) products[i * outputs_ + j] += products[(i - f) * outputs_ + j - k];
    x_mean[i] += x_mean[i - f];
  }
  for (size_t j = k; j < outputs_; ++j) y_mean[j] += y_mean[j - k];
  for (double& v : x_mean) v /= n;
  for (double& v : y_mean) v /= n;
  // Around the means, so that the constant has no penalty.
  std::vector<double> factor(inputs_ * inputs_);
  for (size_t i = 0; i < inputs_; ++i) {
    for (size_t j = 0; j <= i; ++j) factor[i * inputs_ + j] = squares[j * inputs_ + i] - n * x_mean[i] * x_mean[j];
    factor[i * inputs_ + i] += penalty;
    for (size_t j = 0; j < outputs_; ++j) products[i * outputs_ + j] -= n * x_mean[i] * y_mean[j];
  }
  cholesky_factor(factor, inputs_);
  cholesky_solve(factor, inputs_, products, outputs_);
  result.constant = y_mean;
  for (size_t i = 0; i < inputs_; ++i)
    for (size_t j = 0; j < outputs_; ++j) result.constant[j] -= x_mean[i] * products[i * outputs_ + j];
  return result;
}

}  // namespace sg
