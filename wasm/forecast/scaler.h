#pragma once
// Standard scaling: (value - mean) / std per column, fitted on training rows alone, so that nothing of the validation
// part is known to the model. A column that does not vary gets std 1.

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "forecast/series.h"

namespace sg {

struct ColumnScale {
  std::string name;
  double mean = 0;
  double std = 1;

  float scale(double value) const { return static_cast<float>((value - mean) / std); }
  double restore(double scaled) const { return scaled * std + mean; }
};

/// Mean and standard deviation of a column whose values come one after the other (Welford).
class ColumnFit {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
  }
  /// Throws forecast.empty_column where there was no value in the first `training_rows` rows.
  ColumnScale result(const std::string& name, uint64_t training_rows) const;

 private:
  double mean_ = 0, squares_ = 0;
  uint64_t count_ = 0;
};

struct Scaler {
  std::vector<ColumnScale> features;
  std::vector<ColumnScale> targets;

  /// Fits on rows [0, training_rows), leaving missing values out. Throws forecast.empty_column when a column has no
  /// value there.
  static Scaler fit(const SeriesTable& table, uint64_t training_rows);

  /// Throws checkpoint.mismatch where a checkpoint's columns are others than these, or in another order.
  void check_columns(const std::vector<std::string>& feature_names, const std::vector<std::string>& target_names) const;

  /// Scaled predictions [N, H * K] to data units, in place; K is the number of targets.
  void restore_targets(std::span<float> y) const;

  nlohmann::json to_json() const;
  /// Throws checkpoint.corrupt naming the field.
  static Scaler from_json(const nlohmann::json& json);
};

}  // namespace sg
