#pragma once
// Which windows hold no missing value, found while rows go by one after the other: the same rule for a table in memory
// and for a file that is only passed through. Features must be present on the L rows read, targets on all L + H rows
// (the naive forecast needs the last one read).

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forecast/rows.h"
#include "forecast/series.h"

namespace sg {

class WholeWindows {
 public:
  WholeWindows(size_t look_back, size_t horizon) : span_(look_back + horizon), gaps_(horizon, 0) {}

  /// Forgets the rows so far.
  void restart() {
    row_ = feature_gap_ = target_gap_ = 0;
    at_ = 0;
    gaps_.assign(gaps_.size(), 0);
  }

  /// The next row. True where a window ends with it, and it is whole.
  bool next(bool feature_missing, bool target_missing) {
    ++row_;
    const uint64_t before = gaps_[at_];  // the features' last gap, H rows ago
    if (feature_missing) feature_gap_ = row_;
    if (target_missing) target_gap_ = row_;
    gaps_[at_] = feature_gap_;
    if (++at_ == gaps_.size()) at_ = 0;
    return row_ >= span_ && before <= row_ - span_ && target_gap_ <= row_ - span_;
  }

 private:
  uint64_t span_, row_ = 0;                    // rows count from 1, 0: none
  uint64_t feature_gap_ = 0, target_gap_ = 0;  // the last ones
  std::vector<uint64_t> gaps_;                 // feature_gap_ after each of the last H rows, in a ring
  size_t at_ = 0;
};

enum Missing : uint8_t { kFeatureMissing = 1, kTargetMissing = 2 };

/// Marks the rows at which a column has no value.
inline void mark_missing(std::span<const float> column, Missing what, std::vector<uint8_t>& rows) {
  for (size_t r = 0; r < column.size(); ++r)
    rows[r] = static_cast<uint8_t>(rows[r] | (std::isnan(column[r]) ? what : 0));
}

inline std::vector<uint8_t> missing_in(const RowChunk& chunk, const SeriesChoice& choice) {
  std::vector<uint8_t> rows(chunk.rows, 0);
  for (const size_t c : choice.feature_at) mark_missing(chunk.column(c), kFeatureMissing, rows);
  for (const size_t c : choice.target_at) mark_missing(chunk.column(c), kTargetMissing, rows);
  return rows;
}

}  // namespace sg
