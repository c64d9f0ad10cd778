// How good a model is, measured over its validation rows in turns of bounded work: what it gets right and wrong, which
// columns it relies on (each column's values are shuffled among the rows, and the error's growth is its importance:
// Breiman 2001), and how it stands against what needs no training or little.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "forecast/baselines.h"
#include "tables/linear_baseline.h"
#include "train/session.h"

namespace sg::train {

class Evaluation {
 public:
  /// The session and its data outlive it. `seasonal`: null where there is no season. Baselines are of a forecast.
  Evaluation(Session& session, const BaselineResult& naive, const BaselineResult* seasonal);

  /// A bounded piece of work; true when all is measured.
  bool turn();
  double fraction() const;
  /// Of the run, whose weights these are: another one since, and this is of no use any more.
  int64_t step() const { return step_; }

  /// Once it is done: {task, step, rows: measured, of: all of them, importance: [{feature, growth}] of the error
  /// (classes: log loss; else mean absolute error in the data's units), growth over `windows` rows, classes:
  /// null|{...}, regression: null|{...}, forecast: null|{...}}, as messages/evaluation.ts has them.
  nlohmann::json to_json() const;

 private:
  struct Feature {
    std::string name;
    double growth = 0;
  };
  void predict();
  void permute();
  double error(const Forecast& f) const;
  Forecast outputs(const std::vector<float>& x, size_t first, size_t count);
  bool has_classes() const { return table_ && !table_->classes.empty(); }
  nlohmann::json classes_json() const;
  nlohmann::json regression_json() const;
  nlohmann::json forecast_json() const;
  nlohmann::json residuals_json() const;

  Session& session_;
  int64_t step_;
  const ForecastData& data_;
  const TableEncoding* table_;
  const BaselineResult& naive_;
  const BaselineResult* seasonal_;
  std::vector<uint32_t> starts_;             // of what is measured
  size_t at_ = 0;                            // of them
  std::vector<float> values_, truths_;       // in the data's units; of classes: probabilities, and their numbers
  std::vector<float> x_, y_;                 // of a sample of windows, for the importance
  std::vector<std::vector<size_t>> places_;  // of each feature
  std::vector<std::string> names_;
  std::vector<Feature> importance_;
  size_t sample_ = 0, feature_ = 0, in_sample_ = 0;
  std::vector<float> permuted_;
  double base_ = 0, sum_ = 0;
  std::unique_ptr<LinearBaseline> linear_;
};

}  // namespace sg::train
