#include "forecast/windows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sg {
namespace {

/// For every row the first row at or after it where a column of the group is missing, `rows` when none is.
std::vector<uint32_t> next_missing(const std::vector<SeriesColumn>& columns, size_t rows) {
  std::vector<uint32_t> next(rows + 1, static_cast<uint32_t>(rows));
  for (size_t r = rows; r-- > 0;) {
    const bool missing =
        std::any_of(columns.begin(), columns.end(), [r](const SeriesColumn& c) { return std::isnan(c.values[r]); });
    next[r] = missing ? static_cast<uint32_t>(r) : next[r + 1];
  }
  return next;
}

void check(const SeriesTable& table, const WindowConfig& config) {
  const auto fail = [](const std::string& what) { throw Error("forecast.bad_config", what); };
  if (config.look_back == 0) fail("the look-back must be at least 1 row");
  if (config.horizon == 0) fail("the horizon must be at least 1 row");
  if (!(config.validation_fraction > 0 && config.validation_fraction < 1)) {
    fail("the validation part must be more than none and less than all of the rows");
  }
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
  const uint64_t line = table.line_of_row(row);
  throw Error("forecast.gaps",
              "no window is left for " + part + ": all " + std::to_string(skipped) +
                  " touch a missing value; the first is in column '" + name + "', row " + std::to_string(row + 1) +
                  " (line " + std::to_string(line) +
                  "); shorten the look-back, choose another column, or fill the gaps",
              line);
}

}  // namespace

WindowSplit split_windows(const SeriesTable& table, const WindowConfig& config) {
  check(table, config);
  const size_t rows = table.rows, look_back = config.look_back, horizon = config.horizon;
  WindowSplit split;
  const auto held_out = static_cast<size_t>(std::llround(static_cast<double>(rows) * config.validation_fraction));
  split.split_row = rows - std::min(rows, held_out);
  // Written so that a huge look-back or horizon cannot wrap around.
  const bool fits =
      look_back <= split.split_row && horizon <= split.split_row - look_back && horizon <= rows - split.split_row;
  if (!fits) {
    throw Error("forecast.too_few_rows", std::to_string(rows) + " rows, " + std::to_string(rows - split.split_row) +
                                             " of them held out, are too few for a look-back of " +
                                             std::to_string(look_back) + " and a horizon of " +
                                             std::to_string(horizon) + ": both parts need at least one window");
  }
  const auto feature_gap = next_missing(table.features, rows);
  const auto target_gap = next_missing(table.targets, rows);
  for (size_t s = 0; s + look_back + horizon <= rows; ++s) {
    const size_t targets_begin = s + look_back, end = targets_begin + horizon;
    const bool training = end <= split.split_row, validation = targets_begin >= split.split_row;
    const bool whole = feature_gap[s] >= targets_begin && target_gap[s] >= end;
    if (!training && !validation) {
      ++split.purged;
    } else if (!whole) {
      ++(training ? split.skipped_training : split.skipped_validation);
    } else {
      (training ? split.training : split.validation).push_back(static_cast<uint32_t>(s));
    }
  }
  if (split.training.empty()) fail_gaps(table, 0, split.split_row, "training", split.skipped_training);
  if (split.validation.empty()) {
    fail_gaps(table, split.split_row - look_back, rows, "validation", split.skipped_validation);
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

void check_names(const std::vector<SeriesColumn>& columns, const std::vector<ColumnScale>& scales,
                 const std::string& role) {
  bool same = columns.size() == scales.size();
  for (size_t c = 0; same && c < columns.size(); ++c) same = columns[c].name == scales[c].name;
  if (same) return;
  std::string wanted;
  for (const ColumnScale& scale : scales) wanted += (wanted.empty() ? "'" : ", '") + scale.name + "'";
  throw Error("checkpoint.mismatch", "the checkpoint was trained with the " + role + " columns " + wanted +
                                         "; choose a file and columns with these names, in this order");
}

}  // namespace

ForecastData::ForecastData(const SeriesTable& table, const WindowConfig& config)
    : rows_(table.rows), line_jumps_(table.line_jumps), config_(config), windows_(split_windows(table, config)) {
  scaler_ = Scaler::fit(table, windows_.split_row);
  features_ = scaled(table.features, scaler_.features, rows_);
  targets_ = scaled(table.targets, scaler_.targets, rows_);
}

ForecastData::ForecastData(const SeriesTable& table, const WindowConfig& config, Scaler scaler)
    : rows_(table.rows),
      line_jumps_(table.line_jumps),
      config_(config),
      windows_(split_windows(table, config)),
      scaler_(std::move(scaler)) {
  check_names(table.features, scaler_.features, "feature");
  check_names(table.targets, scaler_.targets, "target");
  features_ = scaled(table.features, scaler_.features, rows_);
  targets_ = scaled(table.targets, scaler_.targets, rows_);
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
    if (s > rows_ || rows_ - s < config_.look_back + config_.horizon) {
      throw Error("forecast.bad_batch", "gather: a window at row " + std::to_string(s) + " leaves the table");
    }
    std::copy_n(features_.begin() + static_cast<ptrdiff_t>(s * features()), x_size,
                x.begin() + static_cast<ptrdiff_t>(n * x_size));
    std::copy_n(targets_.begin() + static_cast<ptrdiff_t>((s + config_.look_back) * targets()), y_size,
                y.begin() + static_cast<ptrdiff_t>(n * y_size));
  }
}

}  // namespace sg
