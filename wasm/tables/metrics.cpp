#include "tables/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/error.h"

namespace sg {

void to_probabilities(std::span<float> logits, size_t classes) {
  for (size_t at = 0; at + classes <= logits.size(); at += classes) {
    const std::span<float> row = logits.subspan(at, classes);
    const double most = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float v : row) sum += std::exp(v - most);
    for (float& v : row) v = static_cast<float>(std::exp(v - most) / sum);
  }
}

size_t predicted_class(std::span<const float> probabilities) {
  return static_cast<size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
}

void ClassSum::add(std::span<const float> probabilities, std::span<const float> truths) {
  if (probabilities.size() != truths.size() * classes_)
    throw Error("table.bad_batch", "metrics: " + std::to_string(probabilities.size()) + " probabilities for " +
                                       std::to_string(truths.size()) + " rows of " + std::to_string(classes_) +
                                       " classes");
  for (size_t n = 0; n < truths.size(); ++n) {
    const std::span<const float> row = probabilities.subspan(n * classes_, classes_);
    const auto truth = static_cast<size_t>(truths[n]);
    ++confusion_.at(truth)[predicted_class(row)];
    log_loss_ -= std::log(std::max(double{row[truth]}, 1e-15));
  }
}

ClassScores ClassSum::result() const {
  ClassScores scores;
  scores.confusion = confusion_;
  uint64_t right = 0;
  size_t counted = 0;
  for (size_t c = 0; c < classes_; ++c) {
    uint64_t predicted = 0;
    for (size_t t = 0; t < classes_; ++t) predicted += confusion_[t][c];
    const uint64_t support = std::accumulate(confusion_[c].begin(), confusion_[c].end(), uint64_t{0});
    const double hits = static_cast<double>(confusion_[c][c]);
    ClassScores::Class one;
    one.support = support;
    if (predicted > 0) one.precision = hits / static_cast<double>(predicted);
    if (support > 0) one.recall = hits / static_cast<double>(support);
    if (predicted + support > 0) {
      one.f1 = 2 * hits / static_cast<double>(predicted + support);
      scores.macro_f1 += one.f1;
      ++counted;
    }
    right += confusion_[c][c];
    scores.count += support;
    scores.by_class.push_back(one);
  }
  if (scores.count == 0) return scores;
  scores.accuracy = static_cast<double>(right) / static_cast<double>(scores.count);
  scores.macro_f1 /= static_cast<double>(counted);
  scores.log_loss = log_loss_ / static_cast<double>(scores.count);
  return scores;
}

namespace {

/// Evenly spread, with both ends.
void thin(std::vector<std::pair<double, double>>& points, size_t most) {
  if (points.size() <= most) return;
  std::vector<std::pair<double, double>> kept;
  for (size_t i = 0; i < most; ++i) kept.push_back(points[i * (points.size() - 1) / (most - 1)]);
  points = std::move(kept);
}

}  // namespace

ThresholdCurve curve_of(std::span<const float> probabilities, std::span<const float> truths, size_t of, size_t points) {
  std::vector<size_t> order(truths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return probabilities[a] > probabilities[b]; });
  const auto is = [&](size_t n) { return static_cast<size_t>(truths[n]) == of; };
  double positives = 0;
  for (size_t n = 0; n < truths.size(); ++n) positives += is(n) ? 1 : 0;
  const double negatives = static_cast<double>(truths.size()) - positives;
  if (positives == 0 || negatives == 0) return {};
  ThresholdCurve curve;
  curve.roc.emplace_back(0, 0);
  double hits = 0, false_alarms = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    (is(order[i]) ? hits : false_alarms) += 1;
    if (i + 1 < order.size() && probabilities[order[i]] == probabilities[order[i + 1]]) continue;  // one threshold
    const auto [x, y] = curve.roc.back();
    curve.roc.emplace_back(false_alarms / negatives, hits / positives);
    curve.pr.emplace_back(hits / positives, hits / (hits + false_alarms));
    curve.area += (curve.roc.back().first - x) * (curve.roc.back().second + y) / 2;
    curve.average_precision += (curve.roc.back().second - y) * curve.pr.back().second;
  }
  thin(curve.roc, points);
  thin(curve.pr, points);
  return curve;
}

std::vector<CalibrationBin> calibration(std::span<const float> probabilities, std::span<const float> truths,
                                        size_t classes) {
  constexpr size_t kBins = 10;
  std::vector<CalibrationBin> bins(kBins);
  for (size_t n = 0; n < truths.size(); ++n) {
    const std::span<const float> row = probabilities.subspan(n * classes, classes);
    const size_t predicted = predicted_class(row);
    CalibrationBin& bin = bins[std::min(kBins - 1, static_cast<size_t>(row[predicted] * static_cast<float>(kBins)))];
    ++bin.count;
    bin.confidence += double{row[predicted]};
    bin.accuracy += predicted == static_cast<size_t>(truths[n]) ? 1 : 0;
  }
  for (CalibrationBin& bin : bins)
    if (bin.count > 0) {
      bin.confidence /= static_cast<double>(bin.count);
      bin.accuracy /= static_cast<double>(bin.count);
    }
  return bins;
}

}  // namespace sg
