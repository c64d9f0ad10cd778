#pragma once
// The numeric table that forecasting works on: the columns a person chose, as floats in row order with NaN where a
// value is missing. It is made from a table, and this is where a column that cannot be used is refused by name.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/table.h"

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
  LineJumps line_jumps;   // empty: line = row + 1
  bool has_lines = true;  // false: nobody knows on which lines the rows stand

  /// 0: unknown.
  uint64_t line_of_row(uint64_t row) const { return has_lines ? sg::line_of_row(line_jumps, row) : 0; }
};

/// The chosen columns of a table whose values may lie elsewhere.
struct SeriesChoice {
  uint64_t rows = 0;
  std::vector<std::string> features, targets;  // names
  std::vector<size_t> columns;                 // of the table, each once
  std::vector<size_t> feature_at, target_at;   // where in `columns`
  LineJumps line_jumps;                        // empty: nobody knows on which lines the rows stand

  /// 0: unknown.
  uint64_t line_of_row(uint64_t row) const { return line_jumps.empty() ? 0 : sg::line_of_row(line_jumps, row); }

  /// Of one row, as it lies in a series: a column that is a feature and a target stands there twice.
  uint64_t row_floats() const { return feature_at.size() + target_at.size(); }
};

/// `row 7 (line 8)`, or `row 7` where the line is not known; rows count from 0, and are named from 1.
std::string name_row(uint64_t row, uint64_t line);

/// `features` and `targets` are indices into table.columns. Throws forecast.no_target, forecast.no_feature,
/// forecast.not_numeric ("column 'city' holds text, and a target must be numbers: choose one of ...").
SeriesChoice choose_series(const Table& table, const std::vector<size_t>& features, const std::vector<size_t>& targets);

/// Copies the chosen columns' values; throws as choose_series does, and forecast.no_values.
SeriesTable series_from_table(const Table& table, const std::vector<size_t>& features,
                              const std::vector<size_t>& targets);

}  // namespace sg
