#include "forecast/windows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecast/whole_windows.h"

namespace sg {
namespace {

void check(const SeriesTable& table) {
  const auto fail = [](const std::string& what) { throw Error("forecast.bad_config", what); };
  if (table.targets.empty() || table.features.empty()) fail("there must be a target and a feature");
  if (table.rows >= std::numeric_limits<uint32_t>::max()) fail("more than 2^32 rows");
  for (const auto* columns : {&table.features, &table.targets}) {
    for (const SeriesColumn& c : *columns) {
      if (c.values.size() != table.rows) fail("column '" + c.name + "' is not as long as the table");
    }
  }
}

/// The column and row of the first missing value at or after `from`.
[[noreturn]] void fail_gaps(const SeriesTable& table, size_t from, size_t to, const std::string& part, size_t skipped) {
  size_t row = to;
  std::string name;
  for (const auto* columns : {&table.targets, &table.features}) {
    for (const SeriesColumn& c : *columns) {
      for (size_t r = from; r < row; ++r) {
        if (std::isnan(c.values[r])) row = r, name = c.name;
      }
    }
  }
  sg::fail_gaps(part, skipped, name, row, table.line_of_row(row));
}

}  // namespace

void fail_gaps(const std::string& part, uint64_t skipped, const std::string& column, uint64_t row, uint64_t line) {
  throw Error("forecast.gaps",
              "no window is left for " + part + ": all " + std::to_string(skipped) +
                  " touch a missing value; the first is in column '" + column + "', " + name_row(row, line) +
                  "; shorten the look-back, choose another column, or fill the gaps",
              line);
}

SplitBounds split_bounds(uint64_t rows, const WindowConfig& config) {
  const auto fail = [](const std::string& what) { throw Error("forecast.bad_config", what); };
  const uint64_t look_back = config.look_back, horizon = config.horizon;
  if (look_back == 0) fail("the look-back must be at least 1 row");
  if (horizon == 0) fail("the horizon must be at least 1 row");
  if (!(config.validation_fraction > 0 && config.validation_fraction < 1)) {
    fail("the validation part must be more than none and less than all of the rows");
  }
  const auto held_out = static_cast<uint64_t>(std::llround(static_cast<double>(rows) * config.validation_fraction));
  SplitBounds b;
  b.split_row = rows - std::min(rows, held_out);
  // Written so that a huge look-back or horizon cannot wrap around.
  const bool fits = look_back <= b.split_row && horizon <= b.split_row - look_back && horizon <= rows - b.split_row;
  if (!fits) {
    throw Error("forecast.too_few_rows", std::to_string(rows) + " rows, " + std::to_string(rows - b.split_row) +
                                             " of them held out, are too few for a look-back of " +
                                             std::to_string(look_back) + " and a horizon of " +
                                             std::to_string(horizon) + ": both parts need at least one window");
  }
  b.training = b.split_row - look_back - horizon + 1;
  b.first_validation = b.split_row - look_back;
  b.validation = rows - b.split_row - horizon + 1;
  b.purged = horizon - 1;
  return b;
}

WindowSplit split_windows(const SeriesTable& table, const WindowConfig& config) {
  const SplitBounds bounds = split_bounds(table.rows, config);
  check(table);
  WindowSplit split;
  split.split_row = bounds.split_row;
  split.purged = static_cast<size_t>(bounds.purged);
  std::vector<uint8_t> missing(table.rows, 0);
  for (const SeriesColumn& c : table.features) mark_missing(c.values, kFeatureMissing, missing);
  for (const SeriesColumn& c : table.targets) mark_missing(c.values, kTargetMissing, missing);
  WholeWindows windows(config.look_back, config.horizon);
  const size_t span = config.look_back + config.horizon;
  for (size_t row = 0; row < table.rows; ++row) {
    const bool whole = windows.next(missing[row] & kFeatureMissing, missing[row] & kTargetMissing);
    if (row + 1 < span) continue;
    const size_t start = row + 1 - span;
    const bool training = start < bounds.training;
    if (!training && start < bounds.first_validation) continue;  // purged
    if (whole)
      (training ? split.training : split.validation).push_back(static_cast<uint32_t>(start));
    else
      ++(training ? split.skipped_training : split.skipped_validation);
  }
  if (split.training.empty())
    fail_gaps(table, 0, static_cast<size_t>(bounds.split_row), "training", split.skipped_training);
  if (split.validation.empty()) {
    fail_gaps(table, static_cast<size_t>(bounds.first_validation), table.rows, "validation", split.skipped_validation);
  }
  return split;
}

namespace {

std::vector<float> scaled(const std::vector<SeriesColumn>& columns, const std::vector<ColumnScale>& scales,
                          size_t rows) {
  std::vector<float> values(rows * columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    for (size_t r = 0; r < rows; ++r) values[r * columns.size() + c] = scales[c].scale(columns[c].values[r]);
  }
  return values;
}

std::vector<std::string> names_of(const std::vector<SeriesColumn>& columns) {
  std::vector<std::string> names;
  for (const SeriesColumn& c : columns) names.push_back(c.name);
  return names;
}

}  // namespace

ForecastData::ForecastData(const SeriesTable& table, const WindowConfig& config)
    : rows_(table.rows),
      has_lines_(table.has_lines),
      line_jumps_(table.line_jumps),
      config_(config),
      windows_(split_windows(table, config)) {
  scaler_ = Scaler::fit(table, windows_.split_row);
  features_ = scaled(table.features, scaler_.features, rows_);
  targets_ = scaled(table.targets, scaler_.targets, rows_);
}

ForecastData::ForecastData(const SeriesTable& table, const WindowConfig& config, Scaler scaler)
    : rows_(table.rows),
      has_lines_(table.has_lines),
      line_jumps_(table.line_jumps),
      config_(config),
      windows_(split_windows(table, config)),
      scaler_(std::move(scaler)) {
  scaler_.check_columns(names_of(table.features), names_of(table.targets));
  features_ = scaled(table.features, scaler_.features, rows_);
  targets_ = scaled(table.targets, scaler_.targets, rows_);
}

ForecastData::ForecastData(size_t rows, const WindowConfig& config, Scaler scaler)
    : rows_(rows),
      has_lines_(false),
      config_(config),
      scaler_(std::move(scaler)),
      features_(rows * scaler_.features.size(), 0.0f),
      targets_(rows * scaler_.targets.size(), 0.0f) {}

uint64_t ForecastData::bytes() const {
  return (features_.capacity() + targets_.capacity()) * sizeof(float) +
         (windows_.training.capacity() + windows_.validation.capacity()) * sizeof(uint32_t);
}

const ForecastData::Stretch* ForecastData::stretch_of(size_t row) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), row,
                                      [](size_t r, const Stretch& stretch) { return r < stretch.at; });
  return after == stretches_.begin() ? nullptr : &*std::prev(after);
}

uint64_t ForecastData::row_of(size_t row) const {
  const Stretch* stretch = stretch_of(row);
  return stretch ? stretch->row + (row - stretch->at) : row;
}

size_t ForecastData::stretch_begin(size_t row) const {
  const Stretch* stretch = stretch_of(row);
  return stretch ? stretch->at : 0;
}

void ForecastData::gather(std::span<const uint32_t> starts, std::span<float> x, std::span<float> y) const {
  const size_t x_size = config_.look_back * features(), y_size = config_.horizon * targets();
  // In 64 bits: where a size_t has 32, a product that wrapped around would fit and the copies below would not.
  if (x.size() != uint64_t{starts.size()} * x_size || y.size() != uint64_t{starts.size()} * y_size) {
    throw Error("forecast.bad_batch", "gather: " + std::to_string(starts.size()) + " windows need x of " +
                                          std::to_string(starts.size() * x_size) + " floats and y of " +
                                          std::to_string(starts.size() * y_size) + ", not " + std::to_string(x.size()) +
                                          " and " + std::to_string(y.size()));
  }
  for (size_t n = 0; n < starts.size(); ++n) {
    const size_t s = starts[n];
    if (s > rows_ || rows_ - s < std::max(config_.look_back, config_.target_at() + config_.horizon)) {
      throw Error("forecast.bad_batch", "gather: a window at row " + std::to_string(s) + " leaves the table");
    }
    std::copy_n(features_.begin() + static_cast<ptrdiff_t>(s * features()), x_size,
                x.begin() + static_cast<ptrdiff_t>(n * x_size));
    std::copy_n(targets_.begin() + static_cast<ptrdiff_t>((s + config_.target_at()) * targets()), y_size,
                y.begin() + static_cast<ptrdiff_t>(n * y_size));
  }
}

}  // namespace sg
