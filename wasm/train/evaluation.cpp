#include "train/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "forecast/histogram.h"

namespace sg::train {
namespace {

using nlohmann::json;

constexpr size_t kBatch = 128;
constexpr size_t kMostNumbers = size_t{4} << 20;  // that are kept of what is predicted, and of the sample
constexpr size_t kSample = 512;                   // windows that a column is shuffled among
constexpr size_t kWorst = 20, kPoints = 1000, kCurvePoints = 101, kBins = 40, kCurves = 20;

/// So many of a list, evenly spread.
std::vector<uint32_t> spread(const std::vector<uint32_t>& all, size_t most) {
  if (all.size() <= most) return all;
  std::vector<uint32_t> some;
  for (size_t i = 0; i < most; ++i) some.push_back(all[static_cast<size_t>(uint64_t{i} * all.size() / most)]);
  return some;
}

std::vector<size_t> shuffled(size_t count, uint64_t seed, size_t which) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  const Generator g{seed, 0};
  for (size_t i = count; i > 1; --i) {
    const uint32_t bits =
        philox({static_cast<uint32_t>(i), static_cast<uint32_t>(Stream::shuffle), static_cast<uint32_t>(which), 2},
               g.low(), g.high())[0];
    std::swap(order[i - 1], order[static_cast<size_t>((uint64_t{bits} * i) >> 32)]);
  }
  return order;
}

json points_json(const std::vector<std::pair<double, double>>& points) {
  json list = json::array();
  for (const auto& [x, y] : points) list.push_back({x, y});
  return list;
}

json errors_json(const Metrics& m) { return {{"mae", m.mae}, {"rmse", m.rmse}, {"r2", m.r2}}; }

json scores_json(const ClassScores& s) {
  return {{"accuracy", s.accuracy}, {"macroF1", s.macro_f1}, {"logLoss", s.log_loss}};
}

}  // namespace

Evaluation::Evaluation(Session& session, const BaselineResult& naive, const BaselineResult* seasonal)
    : session_(session),
      step_(session.state().step),
      data_(session.supply().validation()),
      table_(data_.encoding()),
      naive_(naive),
      seasonal_(seasonal) {
  const auto& all = data_.windows().validation;
  const size_t wide = std::max(has_classes() ? table_->classes.size() : 1, data_.config().horizon);
  starts_ = spread(all, std::max<size_t>(1, kMostNumbers / wide));
  const size_t row = data_.config().look_back * data_.features();
  const std::vector<uint32_t> sample = spread(all, std::clamp<size_t>(kMostNumbers / row, 1, kSample));
  sample_ = sample.size();
  x_.resize(sample_ * row);
  y_.resize(sample_ * data_.config().horizon * data_.targets());
  data_.gather(sample, x_, y_);
  if (table_) {
    names_ = table_->features;
    places_ = table_->places();
    linear_ = std::make_unique<LinearBaseline>(static_cast<const TableData&>(data_));
  } else {
    for (size_t f = 0; f < data_.features(); ++f) {
      names_.push_back(data_.scaler().features[f].name);
      places_.push_back({f});
    }
  }
}

double Evaluation::fraction() const {
  const double predicted = static_cast<double>(at_) / static_cast<double>(starts_.size());
  const double permuted = static_cast<double>(feature_) / static_cast<double>(names_.size() + 1);
  return linear_ ? (predicted + permuted + linear_->fraction()) / 3 : (predicted + permuted) / 2;
}

bool Evaluation::turn() {
  if (at_ < starts_.size())
    predict();
  else if (feature_ <= names_.size())
    permute();
  else if (!linear_ || linear_->turn())
    return true;
  return false;
}

void Evaluation::predict() {
  const size_t row = data_.config().look_back * data_.features(), n = std::min(kBatch, starts_.size() - at_);
  std::vector<float> x(n * row), y(n * data_.config().horizon * data_.targets());
  data_.gather(std::span(starts_).subspan(at_, n), x, y);
  Forecast f = session_.outputs(x, y);
  if (has_classes()) {
    to_probabilities(f.values, table_->classes.size());
  } else {
    data_.scaler().restore_targets(f.values);
    data_.scaler().restore_targets(f.truth);
  }
  values_.insert(values_.end(), f.values.begin(), f.values.end());
  truths_.insert(truths_.end(), f.truth.begin(), f.truth.end());
  at_ += n;
}

/// Summed over the rows.
double Evaluation::error(const Forecast& f) const {
  double sum = 0;
  if (has_classes()) {
    const size_t classes = table_->classes.size();
    for (size_t n = 0; n < f.truth.size(); ++n)
      sum -= std::log(std::max(double{f.values[n * classes + static_cast<size_t>(f.truth[n])]}, 1e-15));
    return sum;
  }
  const double scale = data_.scaler().targets[0].std / static_cast<double>(data_.config().horizon * data_.targets());
  for (size_t i = 0; i < f.truth.size(); ++i) sum += scale * std::abs(double{f.values[i]} - double{f.truth[i]});
  return sum;
}

Forecast Evaluation::outputs(const std::vector<float>& x, size_t first, size_t count) {
  const size_t wide_x = x_.size() / sample_, wide_y = y_.size() / sample_;
  const auto begin = y_.begin() + static_cast<ptrdiff_t>(first * wide_y);
  Forecast f = session_.outputs(std::span(x).subspan(first * wide_x, count * wide_x),
                                std::vector<float>(begin, begin + static_cast<ptrdiff_t>(count * wide_y)));
  if (has_classes()) to_probabilities(f.values, table_->classes.size());
  return f;
}

/// A batch of the sample: first as it is, then with one feature after the other shuffled.
void Evaluation::permute() {
  if (in_sample_ == 0) {
    permuted_ = x_;
    sum_ = 0;
    if (feature_ > 0) {
      const std::vector<size_t> order = shuffled(sample_, session_.config().seed, feature_);
      const size_t width = data_.features(), time = data_.config().look_back;
      for (size_t n = 0; n < sample_; ++n)
        for (size_t t = 0; t < time; ++t)
          for (const size_t place : places_[feature_ - 1])
            permuted_[(n * time + t) * width + place] = x_[(order[n] * time + t) * width + place];
    }
  }
  const size_t n = std::min(kBatch, sample_ - in_sample_);
  sum_ += error(outputs(permuted_, in_sample_, n));
  in_sample_ += n;
  if (in_sample_ < sample_) return;
  in_sample_ = 0;
  const double mean = sum_ / static_cast<double>(sample_);
  if (feature_ == 0)
    base_ = mean;
  else
    importance_.push_back({names_[feature_ - 1], mean - base_});
  ++feature_;
}

json Evaluation::to_json() const {
  std::vector<Feature> sorted = importance_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.growth > b.growth; });
  json importance = json::array();
  for (const Feature& f : sorted) importance.push_back({{"feature", f.name}, {"growth", f.growth}});
  return {{"task", !table_         ? "forecast"
                   : has_classes() ? "classification"
                                   : "regression"},
          {"step", step_},
          {"rows", starts_.size()},
          {"of", data_.windows().validation.size()},
          {"importance", importance},
          {"importanceRows", sample_},
          {"classification", has_classes() ? classes_json() : json()},
          {"regression", table_ && !has_classes() ? regression_json() : json()},
          {"forecast", table_ ? json() : forecast_json()}};
}

json Evaluation::classes_json() const {
  const size_t classes = table_->classes.size(), rows = truths_.size();
  ClassSum sum(classes);
  sum.add(values_, truths_);
  const ClassScores scores = sum.result();
  json by_class = json::array(), curves = json::array(), bins = json::array(), worst = json::array();
  for (size_t c = 0; c < classes; ++c) {
    const ClassScores::Class& s = scores.by_class[c];
    by_class.push_back({{"precision", s.precision}, {"recall", s.recall}, {"f1", s.f1}, {"support", s.support}});
  }
  std::vector<float> of_class(rows);
  for (size_t c = 0; c < std::min(classes, kCurves); ++c) {
    for (size_t n = 0; n < rows; ++n) of_class[n] = values_[n * classes + c];
    const ThresholdCurve curve = curve_of(of_class, truths_, c, kCurvePoints);
    curves.push_back({{"class", c},
                      {"roc", points_json(curve.roc)},
                      {"pr", points_json(curve.pr)},
                      {"area", curve.area},
                      {"averagePrecision", curve.average_precision}});
  }
  for (const CalibrationBin& bin : calibration(values_, truths_, classes))
    bins.push_back({{"count", bin.count}, {"confidence", bin.confidence}, {"accuracy", bin.accuracy}});
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto given = [&](size_t n) { return values_[n * classes + static_cast<size_t>(truths_[n])]; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return given(a) < given(b); });
  for (size_t i = 0; i < rows && worst.size() < kWorst; ++i) {
    const size_t n = order[i];
    const std::span<const float> row = std::span(values_).subspan(n * classes, classes);
    const size_t predicted = predicted_class(row);
    if (predicted == static_cast<size_t>(truths_[n])) continue;
    worst.push_back({{"row", data_.row_of(starts_[n])},
                     {"line", data_.line_of_row(starts_[n])},
                     {"truth", static_cast<size_t>(truths_[n])},
                     {"predicted", predicted},
                     {"probability", row[predicted]},
                     {"truthProbability", given(n)}});
  }
  return {{"classes", table_->classes},
          {"model", scores_json(scores)},
          {"majority", scores_json(linear_->simple_scores())},
          {"logistic", scores_json(linear_->linear_scores())},
          {"confusion", scores.confusion},
          {"byClass", by_class},
          {"curves", curves},
          {"calibration", bins},
          {"worst", worst}};
}

/// What was predicted less the truth.
json Evaluation::residuals_json() const {
  std::vector<double> residuals(truths_.size());
  for (size_t i = 0; i < truths_.size(); ++i) residuals[i] = double{values_[i]} - double{truths_[i]};
  const Histogram h = histogram(std::move(residuals), kBins);
  return {{"first", h.first}, {"width", h.width}, {"counts", h.counts}};
}

json Evaluation::regression_json() const {
  MetricSum sum;
  sum.add(values_, truths_);
  const size_t rows = truths_.size();
  std::vector<uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0u);
  json points = json::array(), worst = json::array();
  for (const uint32_t n : spread(order, kPoints))
    points.push_back({{"row", data_.row_of(starts_[n])}, {"truth", truths_[n]}, {"predicted", values_[n]}});
  const auto off = [&](uint32_t n) { return std::abs(double{values_[n]} - double{truths_[n]}); };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return off(a) > off(b); });
  for (size_t i = 0; i < std::min(rows, kWorst); ++i) {
    const uint32_t n = order[i];
    worst.push_back({{"row", data_.row_of(starts_[n])},
                     {"line", data_.line_of_row(starts_[n])},
                     {"truth", truths_[n]},
                     {"predicted", values_[n]}});
  }
  return {{"model", errors_json(sum.result())},
          {"mean", errors_json(linear_->simple_errors())},
          {"ridge", errors_json(linear_->linear_errors())},
          {"points", points},
          {"residuals", residuals_json()},
          {"worst", worst}};
}

json Evaluation::forecast_json() const {
  const size_t horizon = data_.config().horizon, targets = data_.targets(), windows = starts_.size();
  MetricSum all;
  json by_horizon = json::array();
  for (size_t h = 0; h < horizon; ++h) {
    MetricSum sum;
    double bias = 0;
    for (size_t n = 0; n < windows; ++n) {
      const size_t i = (n * horizon + h) * targets;
      sum.add(double{values_[i]}, double{truths_[i]});
      all.add(double{values_[i]}, double{truths_[i]});
      bias += double{values_[i]} - double{truths_[i]};
    }
    const Metrics m = sum.result();
    by_horizon.push_back({{"mae", m.mae},
                          {"rmse", m.rmse},
                          {"bias", bias / static_cast<double>(windows)},
                          {"naive", naive_.by_horizon[h].mae},
                          {"seasonalNaive", seasonal_ ? json(seasonal_->by_horizon[h].mae) : json()}});
  }
  return {{"model", errors_json(all.result())},
          {"naive", errors_json(naive_.data[0])},
          {"seasonalNaive", seasonal_ ? errors_json(seasonal_->data[0]) : json()},
          {"season", seasonal_ ? seasonal_->period : 0},
          {"byHorizon", by_horizon},
          {"residuals", residuals_json()}};
}

}  // namespace sg::train
