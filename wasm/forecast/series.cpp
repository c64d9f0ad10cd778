#include "forecast/series.h"

#include <algorithm>

#include "io/csv_types.h"

namespace sg {
namespace {

std::string numeric_columns(const Table& table) {
  std::string list;
  size_t shown = 0;
  for (const Column& column : table.columns) {
    if (column.type != ColumnType::number) continue;
    if (++shown > 12) return list + ", ...";
    list += (shown > 1 ? ", '" : "'") + shorten(column.name, 40) + "'";
  }
  return list.empty() ? "the file has no column of numbers" : "choose one of " + list;
}

std::string_view what_it_holds(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "numbers";
    case ColumnType::datetime:
      return "dates";
    case ColumnType::category:
      return "categories";
    case ColumnType::text:
      return "text";
    case ColumnType::elements:
      return "arrays";
  }
  return "text";
}

/// Checks the columns and gives their names; puts each into choice.columns, where it was not, and where it is into
/// `at`.
std::vector<std::string> choose(const Table& table, const std::vector<size_t>& columns, const std::string& role,
                                SeriesChoice& choice, std::vector<size_t>& at) {
  std::vector<std::string> names;
  for (const size_t c : columns) {
    if (c >= table.columns.size()) {
      throw Error("forecast.no_such_column", "column " + std::to_string(c) + " was chosen as " + role +
                                                 ", and there are " + std::to_string(table.columns.size()));
    }
    const Column& column = table.columns[c];
    if (column.type != ColumnType::number) {
      throw Error("forecast.not_numeric",
                  "column '" + shorten(column.name, 80) + "' holds " + std::string(what_it_holds(column.type)) +
                      ", and a " + role + " must be numbers: " + numeric_columns(table),
                  0, c + 1);
    }
    names.push_back(column.name);
    const auto found = std::find(choice.columns.begin(), choice.columns.end(), c);
    at.push_back(static_cast<size_t>(found - choice.columns.begin()));
    if (found == choice.columns.end()) choice.columns.push_back(c);
  }
  return names;
}

std::vector<SeriesColumn> values_of(const Table& table, const std::vector<size_t>& columns) {
  std::vector<SeriesColumn> chosen;
  for (const size_t c : columns) {
    const Column& column = table.columns[c];
    if (column.numbers.size() != table.rows) {
      throw Error("forecast.no_values", "the table was read without keeping its columns");
    }
    chosen.push_back({column.name, column.numbers});
  }
  return chosen;
}

}  // namespace

std::string name_row(uint64_t row, uint64_t line) {
  const std::string name = "row " + std::to_string(row + 1);
  return line > 0 ? name + " (line " + std::to_string(line) + ")" : name;
}

SeriesChoice choose_series(const Table& table, const std::vector<size_t>& features,
                           const std::vector<size_t>& targets) {
  if (targets.empty()) throw Error("forecast.no_target", "choose a column to forecast: " + numeric_columns(table));
  if (features.empty()) throw Error("forecast.no_feature", "choose at least one column to forecast from");
  SeriesChoice choice;
  choice.rows = table.rows;
  choice.line_jumps = table.line_jumps;
  choice.targets = choose(table, targets, "target", choice, choice.target_at);
  choice.features = choose(table, features, "feature", choice, choice.feature_at);
  return choice;
}

SeriesTable series_from_table(const Table& table, const std::vector<size_t>& features,
                              const std::vector<size_t>& targets) {
  choose_series(table, features, targets);
  SeriesTable series;
  series.rows = table.rows;
  series.targets = values_of(table, targets);
  series.features = values_of(table, features);
  series.line_jumps = table.line_jumps;
  return series;
}

}  // namespace sg
