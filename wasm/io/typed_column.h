#pragma once
// One column whose type is known before its first value: numbers, times, categories, or arrays of floats or bytes.
// Values in, a typed column with its statistics out; what cannot be kept is missing and reported, as in text.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/column_stats.h"

namespace sg {

struct ColumnKind {
  ColumnType type = ColumnType::number;
  std::vector<size_t> shape = {};  // elements: of one row, without a zero
  bool byte_elements = false;
  bool labels = false;  // category: stays one however many of its rows differ
  size_t max_categories = Dictionary::max_values;
  std::vector<std::string> categories = {};  // category: codes given before the first value
};

class TypedColumn {
 public:
  /// Elements that one row may have.
  static constexpr uint64_t max_elements = uint64_t{1} << 24;

  TypedColumn(size_t index, std::string name, ColumnKind kind, bool keep, size_t& dictionary_room);

  /// The next value (NaN: missing): a number, epoch seconds, a category as the number is written, or one element.
  void add(double value, Repairs& repairs);
  /// A category's value, trimmed of nothing; the empty one is missing.
  void add(std::string_view value);
  /// The code of a category's value, given one if it is new; none where it does not fit.
  std::optional<uint32_t> code_of(std::string_view value);
  /// A value by its code.
  void add_code(uint32_t code);
  void add_missing();
  /// Elements of bytes, any number of them.
  void add(std::span<const uint8_t> bytes);

  const ColumnKind& kind() const { return kind_; }
  const std::string& name() const { return name_; }
  size_t elements_to_row_end() const { return row_elements_ - in_row_; }
  bool is_between_rows() const { return in_row_ == 0; }
  /// Bytes that one row takes in a chunk.
  uint64_t row_bytes() const;
  std::optional<ChunkColumn> take();
  Column finish(Repairs& repairs);

 private:
  void add_number(double value, Repairs& repairs);
  void add_element(double value, Repairs& repairs);
  void end_elements(size_t elements);
  void not_finite(double value, std::string_view what, Repairs& repairs);

  size_t index_;
  std::string name_;
  ColumnKind kind_;
  size_t row_elements_;
  bool keep_;
  uint64_t rows_ = 0, missing_ = 0;
  uint64_t first_value_row_ = 0;  // from 1
  size_t in_row_ = 0;             // elements of the row under way
  bool row_is_whole_ = true;      // and none of them NaN
  std::vector<std::string> examples_;
  NumberStats numbers_stats_;
  ByteStats byte_stats_;
  TimeStats time_stats_;
  Dictionary dictionary_;
  ColumnValues values_;
};

/// As few digits as bring the value back; enough of them for a float where the value is one.
std::string format_number(double value);

}  // namespace sg
