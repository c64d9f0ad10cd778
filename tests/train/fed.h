// A data set whose values lie elsewhere, as a worker serves it from its shards: rows by their numbers, from columns
// that the tests make.
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "forecast/rows.h"
#include "forecast/series.h"
#include "io/table.h"
#include "train/opening.h"

namespace sg::test {

/// Columns of a file, whole; `table` has none of the values.
struct Elsewhere {
  std::vector<std::string> names;
  std::vector<std::vector<float>> columns;
  uint64_t served = 0;  // rows
  LineJumps lines = {};

  size_t rows() const { return columns[0].size(); }

  Table table(bool with_values = false) const {
    Table t;
    t.name = "elsewhere";
    t.rows = rows();
    t.line_jumps = lines;
    for (size_t i = 0; i < names.size(); ++i) {
      Column column;
      column.index = i;
      column.name = names[i];
      column.type = ColumnType::number;
      if (with_values) column.numbers = columns[i];
      t.columns.push_back(std::move(column));
    }
    return t;
  }

  void serve(const RowFeed::Need& need) {
    if (need.rows == 0 || need.first + need.rows > rows()) throw std::runtime_error("rows outside the file are wanted");
    for (size_t k = 0; k < need.columns.size(); ++k) {
      const float* from = columns.at(need.columns[k]).data() + need.first;
      std::copy_n(from, need.rows, need.values + k * need.rows);
    }
    served += need.rows;
  }
};

inline constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// "load", "temperature" and a column that nobody chooses, between them; `gaps`: the rows (of a column) without a
/// value.
inline Elsewhere waves(size_t rows, const std::function<bool(size_t column, size_t row)>& gaps = {}) {
  Elsewhere data{{"load", "other", "temperature"}, {}, 0, {}};
  data.columns.resize(3);
  for (size_t r = 0; r < rows; ++r) {
    const double t = static_cast<double>(r), wave = std::sin(t * 6.283185307 / 24);
    data.columns[0].push_back(static_cast<float>(5 + 2 * wave + std::sin(t * 12.9898) * 0.05 + t * 1e-3));
    data.columns[1].push_back(static_cast<float>(r));
    data.columns[2].push_back(static_cast<float>(20 + 3 * std::sin((t - 4) * 6.283185307 / 24)));
  }
  for (size_t c = 0; c < 3; ++c)
    for (size_t r = 0; gaps && r < rows; ++r)
      if (gaps(c, r)) data.columns[c][r] = kMissing;
  return data;
}

/// "load" from "load" and "temperature".
inline SeriesChoice choice_of(const Elsewhere& data) { return choose_series(data.table(), {0, 2}, {0}); }
inline SeriesTable series_of(const Elsewhere& data) { return series_from_table(data.table(true), {0, 2}, {0}); }

/// Serves all that is wanted.
template <class Fed>
void feed(Fed& of, Elsewhere& data) {
  while (const auto need = of.need()) {
    data.serve(*need);
    of.fed();
  }
}

/// Blocks and requests that a few hundred rows fill.
inline train::Bounds tight(uint64_t block = 4000, uint64_t validation = uint64_t{1} << 20, size_t request = 64) {
  return {.resident = 0, .block = block, .validation = validation, .request_floats = request};
}

inline std::unique_ptr<train::Supply> open(Elsewhere& data, const train::TrainConfig& config,
                                           const train::Bounds& bounds,
                                           const std::optional<Scaler>& scaler = std::nullopt) {
  train::Opening opening(choice_of(data), config, scaler, nullptr, bounds);
  feed(opening, data);
  if (!opening.ready()) throw std::runtime_error("it wants no rows and is not ready");
  return opening.take();
}

}  // namespace sg::test
