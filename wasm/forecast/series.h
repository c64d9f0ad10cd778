#pragma once
// The numeric table that forecasting works on: the columns a person chose, as floats in row order with NaN where a
// value is missing. It is made from a CSV table, and this is where a column that cannot be used is refused by name.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/csv.h"

namespace sg {

struct SeriesColumn {
  std::string name;
  std::vector<float> values;
};

/// Every column has `rows` values; a column may be both a feature and a target.
struct SeriesTable {
  size_t rows = 0;
  std::vector<SeriesColumn> features;
  std::vector<SeriesColumn> targets;
  LineJumps line_jumps;  // empty: line = row + 1

  uint64_t line_of_row(uint64_t row) const { return sg::line_of_row(line_jumps, row); }
};

/// Copies the chosen columns (indices into table.columns). Throws forecast.no_target, forecast.no_feature,
/// forecast.not_numeric ("column 'city' holds text, and a target must be numbers: choose one of ...").
SeriesTable series_from_table(const Table& table, const std::vector<size_t>& features,
                            const std::vector<size_t>& targets);

}  // namespace sg
