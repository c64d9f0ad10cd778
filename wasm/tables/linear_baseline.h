// What a model of tables has to beat beside the mean or the most frequent class: ridge regression, or logistic
// regression of all classes at once, both with a penalty of 1 and none on the constant, as scikit-learn's Ridge and
// LogisticRegression by default. Both need the same matrix of second moments, which is factored once; the logistic
// regression then goes down a quadratic bound of its loss (Böhning 1992) with Nesterov's momentum. In turns of bounded
// work, so that whoever drives it answers messages in between.
#pragma once
#include <vector>

#include "forecast/metrics.h"
#include "tables/metrics.h"
#include "tables/table_data.h"

namespace sg {

class LinearBaseline {
 public:
  /// `data` outlives it. A category has a switch for each of its 64 first values at most; of many rows an even sample
  /// is learnt from.
  explicit LinearBaseline(const TableData& data);

  /// A bounded piece of work; true when all is measured.
  bool turn();
  /// Of its work, roughly.
  double fraction() const;

  /// Over all validation rows, once it is done.
  const Metrics& simple_errors() const { return simple_errors_; }  // of the training rows' mean, in the data's units
  const Metrics& linear_errors() const { return linear_errors_; }
  const ClassScores& simple_scores() const { return simple_scores_; }  // of the training rows' shares
  const ClassScores& linear_scores() const { return linear_scores_; }
  size_t training_rows() const { return rows_.size(); }

 private:
  enum class Phase { moments, descent, validation, done };
  void inputs(uint32_t row, std::vector<double>& z) const;
  void add_moments();
  void factor();
  void solve(std::vector<double>& columns) const;
  void descend();
  double gradient(const std::vector<double>& at, std::vector<double>& out) const;
  void outputs(const std::vector<double>& z, const std::vector<double>& w, std::vector<double>& out) const;
  void validate();

  const TableData& data_;
  size_t classes_, outputs_, inputs_;     // inputs: with the constant, the last
  std::vector<size_t> switches_;          // of each category: where its switches begin
  std::vector<uint32_t> rows_;            // that are learnt from
  std::vector<double> moments_, factor_;  // [inputs, inputs]
  std::vector<double> weights_, before_;  // [inputs, outputs]
  std::vector<double> shares_;            // of the classes, or the mean
  Phase phase_ = Phase::moments;
  size_t at_ = 0;
  int iteration_ = 0;
  MetricSum simple_sum_, linear_sum_;
  ClassSum simple_classes_, linear_classes_;
  Metrics simple_errors_, linear_errors_;
  ClassScores simple_scores_, linear_scores_;
};

}  // namespace sg
