#pragma once
// What must be known of a series before the first step, from one pass over its rows: the scaling, how many windows each
// piece has, where the first gaps are, and the values that a season is looked for in. The same numbers as a table in
// memory gives, bit for bit, in memory that does not grow with the rows.

#include <optional>
#include <string>
#include <vector>

#include "forecast/pieces.h"
#include "forecast/rows.h"
#include "forecast/scaler.h"
#include "forecast/series.h"
#include "forecast/series_crc.h"
#include "forecast/whole_windows.h"
#include "forecast/windows.h"

namespace sg {

class SeriesScan {
 public:
  SeriesScan(const SeriesChoice& choice, const WindowConfig& config, const Pieces& pieces);

  /// The next rows.
  void add(const RowChunk& chunk);
  /// Once all rows were seen: throws forecast.gaps where a part has no window.
  void check() const;

  const SplitBounds& bounds() const { return bounds_; }
  /// Of the training rows; throws forecast.empty_column.
  Scaler scaler() const;
  /// Training windows without a missing value, by piece.
  const std::vector<uint32_t>& whole() const { return whole_; }
  uint64_t training() const { return training_; }
  uint64_t validation() const { return validation_; }
  uint64_t skipped() const { return bounds_.training - training_ + bounds_.validation - validation_; }
  /// The last training values of the first target, as they are.
  const std::vector<float>& last_values() const { return last_values_; }
  /// Of the first target's values.
  std::string crc() const { return crc_.hex(); }

 private:
  struct Gap {
    std::string column;
    uint64_t row = 0;
  };
  void look_for_gaps(const RowChunk& chunk, uint64_t from, uint64_t to, std::optional<Gap>& gap) const;

  SeriesChoice choice_;
  WindowConfig config_;
  SplitBounds bounds_;
  uint64_t starts_of_piece_;
  WholeWindows windows_;
  std::vector<ColumnFit> fits_;  // of choice.columns
  std::vector<uint32_t> whole_;
  uint64_t row_ = 0, training_ = 0, validation_ = 0;
  std::optional<Gap> training_gap_, validation_gap_;  // the first of each part
  std::vector<float> last_values_;
  SeriesCrc crc_;
};

}  // namespace sg
