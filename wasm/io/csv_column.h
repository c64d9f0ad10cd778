#pragma once
// One column under construction: cells in, a typed column with its statistics out. It holds values only when they are
// kept, and a dictionary only while the column can still be a category.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/column_stats.h"
#include "io/csv.h"
#include "io/csv_sniff.h"
#include "io/csv_types.h"

namespace sg {

class ColumnBuilder {
 public:
  /// `dictionary_room` is what all columns together may still spend on dictionaries, in bytes.
  ColumnBuilder(size_t index, ColumnPlan plan, const CsvOptions& options, size_t& dictionary_room);
  /// A column that appears only now: `rows` rows without it came before, of which `taken` have left in chunks.
  void begin_late(uint64_t rows, uint64_t taken);

  void add(std::string_view cell, uint64_t line, Repairs& repairs);
  /// The values since the last call; none as long as every cell was missing.
  std::optional<ChunkColumn> take();
  Column finish(std::string name, Repairs& repairs);

 private:
  void decide(std::string_view cell);
  void add_rows_before();
  void add_missing();
  void add_number(std::string_view cell, uint64_t line, Repairs& repairs);
  void keep_number(double value, uint64_t line);
  void add_time(std::string_view cell, uint64_t line, Repairs& repairs);
  void add_category(std::string_view cell);
  void become_text();
  void unparseable(std::string_view cell, std::string_view wanted, uint64_t line, Repairs& repairs);

  size_t index_;
  ColumnPlan plan_;
  bool forced_ = false;
  bool keep_;
  uint64_t rows_ = 0, missing_ = 0;
  uint64_t taken_ = 0;  // rows that have left in chunks
  std::vector<std::string> examples_;

  NumberStats number_stats_;
  Thousands mark_ = Thousands::none;
  uint64_t open_number_line_ = 0;
  uint64_t first_number_line_ = 0;
  std::vector<float> numbers_;

  // Both readings of a/b/YYYY run side by side until a cell tells day and month apart: [0] month first, [1] day first.
  std::optional<bool> day_first_;
  uint64_t open_date_line_ = 0;
  std::array<TimeStats, 2> time_stats_;
  std::array<std::vector<double>, 2> times_;

  Dictionary dictionary_;
  std::vector<uint32_t> codes_;
};

}  // namespace sg
