#pragma once
// A table under construction, for readers whose columns are found in the file: it counts rows, hands out chunks, keeps
// the preview and the lines. Columns stand side by side and end a row together, or come in parts, one after the other,
// each over the same rows (arrays stored column by column).

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/csv_column.h"
#include "io/typed_column.h"

namespace sg {

class TableBuilder {
 public:
  /// Of `options` it uses name, target, preview_rows, types and what cells need.
  TableBuilder(std::string format, CsvOptions options);
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  /// A column of typed values. Where `types` asks for another type, numbers can become categories or times; throws
  /// <format>.bad_option for what cannot be.
  size_t add_typed(const std::string& name, ColumnKind kind);
  /// A column of cells as text writes them; rows that have been are missing.
  size_t add_cells(const std::string& name, ColumnPlan plan);
  size_t width() const { return columns_.size(); }
  /// Throws <format>.bad_option where `types` names a column that is not there.
  void check_types() const;

  /// The columns from `first` on are read next, from row 0. Without a call, all of them are one part.
  void begin_part(size_t first, size_t count);

  void add(size_t column, double value) {
    if (shown_row_ < preview_rows_) show_number(column, value);
    typed_[column]->add(value, table_.repairs);
  }
  void add(size_t column, std::string_view category);
  /// A category's value by the code that it was given.
  void add_code(size_t column, uint32_t code, std::string_view value) {
    if (shown_row_ < preview_rows_) *preview_cell(column) = value;
    typed_[column]->add_code(code);
  }
  std::optional<uint32_t> code_of(size_t column, std::string_view value) { return typed_[column]->code_of(value); }
  void add_cell(size_t column, std::string_view cell, uint64_t line);
  void add_missing(size_t column);
  /// Elements of bytes, of any number of rows, which end with their last one: only for a column that is alone.
  void add_bytes(size_t column, std::span<const uint8_t> bytes);
  /// `line` is where the row began; 0 where rows have none: a row's line is its number then.
  void end_row(uint64_t line = 0);
  /// Where a block of rows comes column by column: the row (of the part) to which the next value belongs; the block
  /// ends with end_rows().
  void look_at(uint64_t row) { shown_row_ = row; }
  void end_rows(uint64_t rows);
  /// Gives the rest of the part away.
  void end_part();

  uint64_t rows() const { return std::max(row_, table_.rows); }
  /// Rows of the part so far.
  uint64_t part_rows() const { return row_; }
  Repairs& repairs() { return table_.repairs; }
  nlohmann::json& facts() { return table_.facts; }
  /// Whether values go anywhere.
  bool keeps() const { return !options_.target.drops(); }

  /// Ends the part and the table; throws <format>.no_rows where nothing came.
  Table finish();

 private:
  struct Entry {
    std::string name;
    std::variant<TypedColumn, ColumnBuilder> builder;
  };

  void settle();
  uint64_t row_bytes(size_t column) const;
  std::string* preview_cell(size_t column);
  void show_number(size_t column, double value);
  void give_chunk();

  std::string format_;
  CsvOptions options_;
  Table table_;
  size_t dictionary_room_ = Dictionary::room_at_start;
  std::deque<Entry> columns_;  // its elements stay where they are
  std::vector<TypedColumn*> typed_;
  std::vector<ColumnBuilder*> cells_;
  size_t part_first_ = 0, part_count_ = SIZE_MAX;
  uint64_t row_ = 0, shown_row_ = 0, chunk_first_ = 0, row_bytes_ = 0, chunk_rows_ = 1, preview_rows_ = 0;
  uint64_t next_line_ = 1;
  LineJumps chunk_jumps_;
};

/// The options of a format that has, of those of CSV, only `fields` (name, previewRows and types go without saying);
/// throws <format>.bad_option.
CsvOptions options_like_csv(const nlohmann::json& options, std::string_view format, std::string_view name,
                            const ReadTarget& target, const std::vector<std::string_view>& fields = {});

}  // namespace sg
