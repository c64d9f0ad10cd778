#include "tables/linear_baseline.h"

#include <algorithm>
#include <cmath>

#include "forecast/cholesky.h"

namespace sg {
namespace {

constexpr double kPenalty = 1;
constexpr size_t kMostSwitches = 64;
constexpr double kWork = 4e6;        // multiplications a turn
constexpr double kAllMoments = 4e8;  // and of all rows' moments
constexpr double kAllDescent = 2e9;  // and of the whole descent
constexpr int kIterations = 300;

}  // namespace

LinearBaseline::LinearBaseline(const TableData& data)
    : data_(data),
      classes_(data.encoding()->classes.size()),
      outputs_(std::max<size_t>(classes_, 1)),
      simple_classes_(classes_),
      linear_classes_(classes_) {
  const TableEncoding& e = *data.encoding();
  size_t width = e.numbers.size() + e.marks();
  for (const CategoryCoding& c : e.categories) {
    switches_.push_back(width);
    width += std::min(static_cast<size_t>(c.codes()), kMostSwitches);
  }
  inputs_ = width + 1;
  const auto& training = data.windows().training;
  const double d = static_cast<double>(inputs_), k = static_cast<double>(outputs_);
  const double most =
      std::min(kAllMoments / (d * d), classes_ > 0 ? kAllDescent / (2 * d * k * kIterations) : kAllMoments);
  const size_t rows = std::min(training.size(), static_cast<size_t>(std::max(most, 1000.0)));
  for (size_t i = 0; i < rows; ++i) rows_.push_back(training[i * training.size() / rows]);
  moments_.assign(inputs_ * inputs_, 0);
  weights_.assign(inputs_ * outputs_, 0);
  shares_.assign(outputs_, 0);
  for (const uint32_t row : training) {
    const double y = data.target(row, 0);
    shares_[classes_ > 0 ? static_cast<size_t>(y) : 0] += (classes_ > 0 ? 1 : y) / static_cast<double>(training.size());
  }
}

/// z[inputs]: numbers and marks, switches, the constant.
void LinearBaseline::inputs(uint32_t row, std::vector<double>& z) const {
  const TableEncoding& e = *data_.encoding();
  const float* x = data_.feature_values().data() + size_t{row} * e.width();
  const size_t plain = e.width() - e.categories.size();
  std::fill(z.begin(), z.end(), 0.0);
  for (size_t i = 0; i < plain; ++i) z[i] = double{x[i]};
  for (size_t c = 0; c < e.categories.size(); ++c) {
    const auto code = static_cast<size_t>(static_cast<int>(x[plain + c]) - e.categories[c].first);
    z[switches_[c] + (code < kMostSwitches ? code : 0)] = 1;
  }
  z.back() = 1;
}

bool LinearBaseline::turn() {
  switch (phase_) {
    case Phase::moments:
      add_moments();
      break;
    case Phase::descent:
      descend();
      break;
    case Phase::validation:
      validate();
      break;
    case Phase::done:
      break;
  }
  return phase_ == Phase::done;
}

double LinearBaseline::fraction() const {
  const auto share = [&](size_t of) { return static_cast<double>(at_) / static_cast<double>(std::max<size_t>(of, 1)); };
  switch (phase_) {
    case Phase::moments:
      return 0.3 * share(rows_.size());
    case Phase::descent:
      return 0.3 + 0.5 * static_cast<double>(iteration_) / kIterations;
    case Phase::validation:
      return 0.8 + 0.2 * share(data_.windows().validation.size());
    case Phase::done:
      break;
  }
  return 1;
}

void LinearBaseline::add_moments() {
  std::vector<double> z(inputs_);
  const size_t rows = std::max<size_t>(1, static_cast<size_t>(kWork / static_cast<double>(inputs_ * inputs_)));
  for (const size_t end = std::min(rows_.size(), at_ + rows); at_ < end; ++at_) {
    inputs(rows_[at_], z);
    for (size_t i = 0; i < inputs_; ++i) {
      if (z[i] == 0) continue;
      for (size_t j = 0; j <= i; ++j) moments_[i * inputs_ + j] += z[i] * z[j];
      if (classes_ == 0) weights_[i] += z[i] * double{data_.target(rows_[at_], 0)};
    }
  }
  if (at_ < rows_.size()) return;
  at_ = 0;
  factor();
  before_ = weights_;
  if (classes_ == 0) solve(weights_);
  phase_ = classes_ > 0 ? Phase::descent : Phase::validation;
}

/// Of the moments with the penalty; of classes, of their bound.
void LinearBaseline::factor() {
  factor_ = moments_;
  if (classes_ > 0)
    for (double& v : factor_) v *= 0.5;
  // What nothing but the penalty holds (a switch that no row has) still has a root; the constant has no penalty.
  for (size_t i = 0; i < inputs_; ++i) factor_[i * inputs_ + i] += i + 1 < inputs_ ? kPenalty : 1e-9;
  cholesky_factor(factor_, inputs_);
}

/// columns[inputs, outputs], in place.
void LinearBaseline::solve(std::vector<double>& columns) const { cholesky_solve(factor_, inputs_, columns, outputs_); }

void LinearBaseline::outputs(const std::vector<double>& z, const std::vector<double>& w,
                             std::vector<double>& out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (size_t i = 0; i < inputs_; ++i) {
    if (z[i] == 0) continue;
    for (size_t c = 0; c < outputs_; ++c) out[c] += z[i] * w[i * outputs_ + c];
  }
  if (classes_ == 0) return;
  const double most = *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& v : out) sum += (v = std::exp(v - most));
  for (double& v : out) v /= sum;
}

/// Of the penalised loss; returns the loss.
double LinearBaseline::gradient(const std::vector<double>& at, std::vector<double>& out) const {
  std::vector<double> z(inputs_), p(outputs_);
  double loss = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const double penalty = i / outputs_ + 1 < inputs_ ? kPenalty : 0;
    out[i] = penalty * at[i];
    loss += penalty * at[i] * at[i] / 2;
  }
  for (const uint32_t row : rows_) {
    inputs(row, z);
    outputs(z, at, p);
    const auto truth = static_cast<size_t>(data_.target(row, 0));
    loss -= std::log(std::max(p[truth], 1e-300));
    p[truth] -= 1;
    for (size_t i = 0; i < inputs_; ++i) {
      if (z[i] == 0) continue;
      for (size_t c = 0; c < outputs_; ++c) out[i * outputs_ + c] += z[i] * p[c];
    }
  }
  return loss;
}

/// An iteration: from where momentum carries it, down the bound.
void LinearBaseline::descend() {
  const double momentum = static_cast<double>(iteration_) / (static_cast<double>(iteration_) + 3);
  std::vector<double> from(weights_.size()), step(weights_.size());
  for (size_t i = 0; i < from.size(); ++i) from[i] = weights_[i] + momentum * (weights_[i] - before_[i]);
  gradient(from, step);
  solve(step);
  before_ = weights_;
  double moved = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    weights_[i] = from[i] - step[i];
    moved = std::max(moved, std::abs(weights_[i] - before_[i]));
  }
  if (++iteration_ < kIterations && moved > 1e-7) return;
  phase_ = Phase::validation;
}

void LinearBaseline::validate() {
  const auto& rows = data_.windows().validation;
  std::vector<double> z(inputs_), out(outputs_);
  const size_t most = std::max<size_t>(1, static_cast<size_t>(kWork / static_cast<double>(inputs_ * outputs_ + 50)));
  std::vector<float> simple(shares_.begin(), shares_.end()), linear(outputs_);
  const ColumnScale& target = data_.scaler().targets[0];
  for (const size_t end = std::min(rows.size(), at_ + most); at_ < end; ++at_) {
    inputs(rows[at_], z);
    outputs(z, weights_, out);
    const float truth = data_.target(rows[at_], 0);
    if (classes_ > 0) {
      std::copy(out.begin(), out.end(), linear.begin());
      simple_classes_.add(simple, std::span(&truth, 1));
      linear_classes_.add(linear, std::span(&truth, 1));
    } else {
      simple_sum_.add(target.restore(shares_[0]), target.restore(truth));
      linear_sum_.add(target.restore(out[0]), target.restore(truth));
    }
  }
  if (at_ < rows.size()) return;
  simple_errors_ = simple_sum_.result();
  linear_errors_ = linear_sum_.result();
  simple_scores_ = simple_classes_.result();
  linear_scores_ = linear_classes_.result();
  phase_ = Phase::done;
}

}  // namespace sg
