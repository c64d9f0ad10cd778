// What a trained run says of other data: of a table a row each, in the order of the file; of a series the values after
// its end. The data is read range by range as a run reads it, whatever its size, and the answer is CSV, a piece at a
// time. Columns are found by their names; scalings and codes are the run's own.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forecast/rows.h"
#include "io/table.h"
#include "train/session.h"

namespace sg::train {

class Prediction {
 public:
  /// The session outlives it. Throws predict.missing_column naming every column that the file lacks,
  /// table.column_type, and predict.too_few_rows.
  Prediction(Session& session, const Table& table, size_t request_floats = size_t{1} << 16);

  /// None once all is said; rows of a table that has its values are never needed.
  std::optional<RowFeed::Need> need() { return feed_.need(); }
  /// Throws predict.gap where the end of a series lacks a value.
  void fed();
  /// From the table's own values: a piece of bounded work, as need and fed by someone else.
  void feed_from(const Table& table);
  /// What came since the last time, the header first.
  std::string take_text() { return std::exchange(text_, {}); }
  uint64_t rows() const { return rows_; }
  /// Values that the run's training has not seen.
  std::vector<RowEncoder::Unseen> unseen() const;

 private:
  void say_table(const RowChunk& chunk);
  void say_series(const RowChunk& chunk);

  Session& session_;
  const TableEncoding* table_;
  std::vector<TableColumn> columns_;
  std::optional<RowEncoder> encoder_;
  uint64_t of_ = 0, rows_ = 0;
  std::vector<std::vector<float>> series_;  // by feature
  RowFeed feed_;
  std::string text_;
};

}  // namespace sg::train
