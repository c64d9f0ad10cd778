#pragma once
// What every reader counts while values pass by, in memory that does not grow with them: the statistics of io/table.h
// and the dictionary of a category. One place, so that a column means the same whatever format it came in.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/table.h"

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

/// The same for bytes, by counting each of their 256 values.
class ByteStats {
 public:
  void add(std::span<const uint8_t> bytes);
  void write(ColumnStats& stats) const;

 private:
  std::vector<uint64_t> times_;  // by value; nothing until a byte comes
};

/// First, last, the dominant step and what departs from it. Steps are counted exactly up to 1,024 different ones;
/// beyond them a file has no dominant step worth naming.
class TimeStats {
 public:
  void add(double seconds);
  void write(ColumnStats& stats);

 private:
  uint64_t count_ = 0;
  double first_ = 0, last_ = 0;
  uint64_t out_of_order_ = 0, steps_ = 0;
  double apart_ = 0;  // the last two times, in the last `run_` steps
  uint64_t run_ = 0;
  std::map<double, uint64_t> by_step_;

  void count_run();
};

/// The values of a category and their codes, within what all dictionaries of a table may spend together.
class Dictionary {
 public:
  static constexpr size_t max_values = 1000;
  static constexpr size_t max_value_bytes = 256;
  static constexpr size_t room_at_start = size_t{32} << 20;

  /// `room` (in bytes) is shared and outlives the dictionary.
  explicit Dictionary(size_t& room, size_t most = max_values) : room_(&room), most_(most) {}

  /// None where the value does not fit: the column is text from then on.
  std::optional<uint32_t> code_of(std::string_view value);
  size_t size() const { return values_.size(); }
  /// Not more values than half of the rows; else they are text.
  bool is_category(uint64_t rows) const { return values_.size() * 2 <= rows; }
  void clear();
  std::vector<std::string> values() const { return {values_.begin(), values_.end()}; }

 private:
  size_t* room_;
  size_t most_;
  size_t spent_ = 0;
  std::deque<std::string> values_;  // its elements stay where they are
  std::unordered_map<std::string_view, uint32_t> codes_;
};

/// Values are kept as 32-bit floats: where the step between neighbouring ones is more than a thousandth of the column's
/// deviation (milliseconds since 1970, meter readings), what a model would learn from is rounded away, and that is
/// told.
void tell_lost_digits(const Column& column, uint64_t line, Repairs& repairs);

/// Up to three different values, cut to 64 bytes.
void add_example(std::vector<std::string>& examples, std::string_view value);

}  // namespace sg
