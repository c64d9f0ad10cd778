#pragma once
// Cuts a series into training and validation windows without a leak. A window that starts at row s reads rows
// [s, s+L) and predicts rows [s+L, s+L+H). The validation part is the end of the series: a training window ends before
// the split row, a validation window's targets begin at or after it, and windows whose targets straddle it are dropped.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "forecast/scaler.h"
#include "forecast/series.h"

namespace sg {

struct TableEncoding;

struct WindowConfig {
  size_t look_back = 24;             // L
  size_t horizon = 1;                // H: rows 1..H ahead
  double validation_fraction = 0.2;  // of the rows, at the end
  bool same_row = false;             // a table: the target stands in the row that is read

  /// Rows from a window's first to its first target.
  size_t target_at() const { return same_row ? 0 : look_back; }
};

/// Where windows may start, missing values aside.
struct SplitBounds {
  uint64_t split_row = 0;         // first row of the validation part
  uint64_t training = 0;          // windows: they start at rows [0, training)
  uint64_t first_validation = 0;  // row
  uint64_t validation = 0;        // windows: at rows [first_validation, first_validation + validation)
  uint64_t purged = 0;            // left out: their targets straddle the split
};

/// Throws forecast.bad_config and forecast.too_few_rows.
SplitBounds split_bounds(uint64_t rows, const WindowConfig& config);

struct WindowSplit {
  uint64_t split_row = 0;          // first row of the validation part
  std::vector<uint32_t> training;  // start rows, ascending
  std::vector<uint32_t> validation;
  size_t skipped_training = 0;  // left out: they touch a missing value
  size_t skipped_validation = 0;
  size_t purged = 0;  // left out: their targets straddle the split
};

/// Features must be present on the L rows read, targets on all L + H rows (the naive forecast needs the last one).
/// Throws forecast.bad_config, forecast.too_few_rows, and forecast.gaps when a part has no window left, naming the
/// column with the first gap, its row and its line.
WindowSplit split_windows(const SeriesTable& table, const WindowConfig& config);

/// Throws forecast.gaps: no window is left for `part`, and the first missing value is in that column and row.
[[noreturn]] void fail_gaps(const std::string& part, uint64_t skipped, const std::string& column, uint64_t row,
                            uint64_t line);

/// The scaled series with its windows, ready to be gathered into batches; or a part of a longer one
/// (forecast/series_part.h), whose rows are numbered as they lie here.
class ForecastData {
 public:
  virtual ~ForecastData() = default;
  ForecastData(const ForecastData&) = default;
  ForecastData(ForecastData&&) = default;
  ForecastData& operator=(const ForecastData&) = default;
  ForecastData& operator=(ForecastData&&) = default;
  ForecastData(const SeriesTable& table, const WindowConfig& config);
  /// With a scaler from a checkpoint instead of a fitted one; checkpoint.mismatch when its columns are others.
  ForecastData(const SeriesTable& table, const WindowConfig& config, Scaler scaler);

  size_t rows() const { return rows_; }
  size_t features() const { return scaler_.features.size(); }  // F
  size_t targets() const { return scaler_.targets.size(); }    // K
  const WindowConfig& config() const { return config_; }
  const WindowSplit& windows() const { return windows_; }
  const Scaler& scaler() const { return scaler_; }
  /// Of a table's rows (tables/); null: this is a series.
  virtual const TableEncoding* encoding() const { return nullptr; }
  /// By class; empty: all weigh the same.
  virtual const std::vector<float>& class_weights() const { return no_weights_; }

  /// Fills x [N, L, F] and y [N, H * K] (y[n, h * K + k] is target k, h + 1 rows ahead), scaled.
  void gather(std::span<const uint32_t> starts, std::span<float> x, std::span<float> y) const;

  /// The whole series, scaled: [rows, F] and [rows, K].
  std::span<const float> feature_values() const { return features_; }
  std::span<const float> target_values() const { return targets_; }
  /// Scaled target k at a row; NaN where missing.
  float target(size_t row, size_t k) const { return targets_[row * targets() + k]; }
  /// Where a row lies in the whole series.
  uint64_t row_of(size_t row) const;
  /// The first of the rows before it, itself included, that follow each other in the whole series as they do here.
  size_t stretch_begin(size_t row) const;
  /// Of memory.
  uint64_t bytes() const;
  /// The line of the file that a row came from; 0: unknown.
  uint64_t line_of_row(size_t row) const { return has_lines_ ? sg::line_of_row(line_jumps_, row_of(row)) : 0; }

 protected:
  /// Rows from `at` on, up to the next stretch, are those of the whole series from `row` on.
  struct Stretch {
    size_t at = 0;
    uint64_t row = 0;
  };
  ForecastData(size_t rows, const WindowConfig& config, Scaler scaler);
  const Stretch* stretch_of(size_t row) const;

  size_t rows_ = 0;
  bool has_lines_ = true;
  LineJumps line_jumps_;
  std::vector<Stretch> stretches_;  // by `at`; none: the whole series lies here
  WindowConfig config_;
  WindowSplit windows_;
  Scaler scaler_;
  std::vector<float> features_;  // [rows, F]
  std::vector<float> targets_;   // [rows, K]

 private:
  std::vector<float> no_weights_;
};

}  // namespace sg
