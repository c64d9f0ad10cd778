#pragma once
// A part of a series that is too large for memory: stretches of rows from anywhere in it, side by side in room that
// does not change, so that a device's copy of it can be renewed in place.

#include "forecast/rows.h"
#include "forecast/windows.h"

namespace sg {

class SeriesPart final : public ForecastData {
 public:
  /// Room for so many rows, none of them filled, of a series whose validation part begins at `split_row`. `lines` are
  /// the whole series'; none: not known.
  SeriesPart(size_t rows, const WindowConfig& config, uint64_t split_row, Scaler scaler, LineJumps lines = {})
      : ForecastData(rows, config, std::move(scaler)) {
    windows_.split_row = split_row;
    has_lines_ = !lines.empty();
    line_jumps_ = std::move(lines);
  }

  /// Forgets which rows are here.
  void clear() { stretches_.clear(); }
  /// The rows from `at` on are those of the chunk, scaled.
  void put(const RowChunk& chunk, const SeriesChoice& choice, size_t at);
  /// The rows from `to` on become those from `from` on.
  void copy(size_t from, size_t to, size_t rows);
  /// The rows from `at` on are those of the whole series from `row` on.
  void name(size_t at, uint64_t row);
  void add_validation(uint32_t start) { windows_.validation.push_back(start); }
};

}  // namespace sg
