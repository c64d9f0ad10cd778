#pragma once
// A table as every reader gives it: typed columns with their statistics, what was mended on the way, and the first rows
// as written. The values themselves are kept in it, or leave in chunks while the file is still being read, or are
// dropped; the statistics are the same.

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/error.h"

namespace sg {

/// elements: every row holds an array of the column's shape, floats or bytes (an image, a window of signals).
enum class ColumnType : uint8_t { number, datetime, category, text, elements };

std::string_view to_string(ColumnType type);
/// Throws table.bad_type.
ColumnType column_type_named(std::string_view name);

/// Statistics of one column; a field that the type does not have is empty.
struct ColumnStats {
  uint64_t count = 0;                         // cells that hold a value
  uint64_t missing = 0;                       // empty, spelled missing, or unparseable
  std::optional<double> min, max, mean, std;  // number, elements (std is the population's, by Welford)
  std::optional<uint64_t> distinct;           // category: exact
  std::optional<double> first, last;          // datetime: of the first and last row, epoch seconds
  std::optional<double> step_seconds;         // datetime: the most frequent difference between rows
  std::optional<uint64_t> gaps;               // datetime: differences over 1.5 steps
  std::optional<uint64_t> out_of_order;       // datetime: differences of 0 or below
};

inline constexpr uint32_t kMissingCode = 0xffffffffu;

/// The values of consecutive rows of one column: exactly one of these is used, none for text.
struct ColumnValues {
  std::vector<float> numbers;   // number: NaN where missing; elements of floats, row-major
  std::vector<double> times;    // datetime: seconds since 1970-01-01T00:00Z, NaN where missing
  std::vector<uint32_t> codes;  // category: index into categories, kMissingCode where missing
  std::vector<uint8_t> bytes;   // elements of bytes, row-major

  bool empty() const { return numbers.empty() && times.empty() && codes.empty() && bytes.empty(); }
};

/// `values` has every row, or nothing where they were not kept.
struct Column : ColumnValues {
  size_t index = 0;
  std::string name;
  ColumnType type = ColumnType::text;
  ColumnStats stats;
  bool ambiguous = false;               // day and month could not be told apart, or 1,234 read two ways: ask
  bool day_first = false;               // datetime: which reading of its chunks stands
  std::vector<size_t> shape;            // elements: of one row
  bool byte_elements = false;           // elements: bytes, else floats
  std::vector<std::string> categories;  // category: in order of first appearance
  std::vector<std::string> examples;    // up to 3 different values as written

  /// Elements of one row: 1 but for `elements`.
  size_t row_elements() const;
};

/// `column` is the field's number in its line from 1, or 0 for the whole line. FORMATS.md lists the kinds.
struct Repair {
  uint64_t line = 0;
  uint64_t column = 0;
  std::string kind;
  std::string text;
};

/// Every repair is counted; the first 100 are kept.
struct Repairs {
  static constexpr size_t kept = 100;
  uint64_t total = 0;
  std::map<std::string, uint64_t> by_kind;
  std::vector<Repair> first;

  void add(uint64_t line, uint64_t column, const std::string& kind, std::string text);
};

/// (row, line) where lines and rows stop going together: from this row on, line = that line + the distance.
using LineJumps = std::vector<std::pair<uint64_t, uint64_t>>;

/// The line (from 1) on which row `row` (from 0) begins.
uint64_t line_of_row(const LineJumps& jumps, uint64_t row);
/// Goes on with those of the next rows; what follows from those before is left out.
void add_lines(LineJumps& jumps, const LineJumps& more);

struct Table {
  std::string name;
  std::string format;  // as io/formats.def names it
  uint64_t rows = 0;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> preview;  // long cells are cut
  Repairs repairs;
  LineJumps line_jumps;  // empty: line = row + 1, or values were not kept
  nlohmann::json facts =
      nlohmann::json::object();  // what the format alone has: {"delimiter": ","}, {"sampleRate": 8000}

  uint64_t line_of_row(uint64_t row) const { return sg::line_of_row(line_jumps, row); }
  /// Index of the column called `column`; throws table.no_such_column, listing what there is.
  size_t index_of(std::string_view column) const;
};

/// Values of one column that leave the reader. What is not known yet stands in both readings; the finished Column says
/// which one holds (day_first), and whether the codes still mean something (a category may have become text).
struct ChunkColumn : ColumnValues {
  size_t index = 0;
  ColumnType type = ColumnType::text;
  std::vector<double> times_day_first;  // datetime, as long as day and month can't be told apart
};

/// Consecutive rows. A column that has had no value yet is not in it: all of its rows are missing.
struct Chunk {
  uint64_t first_row = 0;
  uint64_t rows = 0;
  std::vector<ChunkColumn> columns;
  LineJumps line_jumps;     // of these rows, with rows counted in the whole file
  size_t first_column = 0;  // of those that it is of, in it or not
};

}  // namespace sg
