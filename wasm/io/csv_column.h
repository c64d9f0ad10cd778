#pragma once
// One column under construction: cells in, a typed column with its statistics out. It holds values only when they are
// kept, and a dictionary only while the column can still be a category.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/csv.h"
#include "io/csv_sniff.h"
#include "io/csv_types.h"

namespace sg {

/// Running mean and variance by Welford.
class NumberStats {
 public:
  void add(double value);
  void write(ColumnStats& stats) const;

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0, min_ = 0, max_ = 0;
};

/// First, last, the dominant step and what departs from it. Steps are counted exactly up to 1,024 different ones;
/// beyond them a file has no dominant step worth naming.
class TimeStats {
 public:
  void add(double seconds);
  void write(ColumnStats& stats) const;

 private:
  uint64_t count_ = 0;
  double first_ = 0, last_ = 0;
  uint64_t out_of_order_ = 0, steps_ = 0;
  std::map<double, uint64_t> by_step_;
};

class ColumnBuilder {
 public:
  static constexpr size_t max_categories = 1000;
  static constexpr size_t max_category_bytes = 256;

  /// `dictionary_room` is what all columns together may still spend on dictionaries, in bytes.
  ColumnBuilder(size_t index, ColumnPlan plan, const CsvOptions& options, size_t& dictionary_room);

  void add(std::string_view cell, uint64_t line, Repairs& repairs);
  /// The values since the last call; none as long as every cell was missing.
  std::optional<ChunkColumn> take();
  Column finish(std::string name, Repairs& repairs);

 private:
  void decide(std::string_view cell);
  void add_rows_before();
  void add_missing();
  void add_number(std::string_view cell, uint64_t line, Repairs& repairs);
  void tell_lost_digits(const Column& column, Repairs& repairs) const;
  void add_time(std::string_view cell, uint64_t line, Repairs& repairs);
  void add_category(std::string_view cell);
  void become_text();
  void unparseable(std::string_view cell, std::string_view wanted, uint64_t line, Repairs& repairs);

  size_t index_;
  ColumnPlan plan_;
  bool forced_ = false;
  bool keep_;
  size_t* dictionary_room_;
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

  std::unordered_map<std::string, uint32_t> dictionary_;
  std::vector<std::string> categories_;
  size_t dictionary_bytes_ = 0;
  std::vector<uint32_t> codes_;
};

}  // namespace sg
