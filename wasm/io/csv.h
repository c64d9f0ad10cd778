#pragma once
// Reads delimited text as it arrives. Bytes are fed in pieces of any size; the first 64 KiB decide the dialect and the
// column types, and from then on each record is parsed once and forgotten: no state grows with the file except the kept
// columns. What had to be mended is reported, never hidden.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/error.h"

namespace sg {

enum class ColumnType : uint8_t { number, datetime, category, text };
enum class Encoding : uint8_t { utf8, utf16le, utf16be, windows1252 };

std::string_view to_string(ColumnType type);
std::string_view to_string(Encoding encoding);

/// Whatever is set here is not sniffed.
struct CsvOptions {
  std::string name;  // the file's name, for the description only
  std::optional<char> delimiter;
  std::optional<char> quote;  // '\0': nothing is quoted
  std::optional<bool> header;
  std::optional<bool> decimal_comma;
  std::optional<bool> day_first;  // 03/04/2020 is the third of April
  std::optional<Encoding> encoding;
  std::map<size_t, ColumnType> types;  // by column index, from 0
  bool keep_columns = true;            // false: statistics and preview alone, in bounded memory
  size_t preview_rows = 50;
  size_t sample_bytes = 64 * 1024;
  size_t max_line_bytes = 1024 * 1024;
  size_t max_columns = 10'000;
};

struct CsvDialect {
  char delimiter = ',';
  char quote = '"';
  bool header = false;
  bool decimal_comma = false;
  Encoding encoding = Encoding::utf8;
};

/// Statistics of one column; a field that the type does not have is empty.
struct CsvStats {
  uint64_t count = 0;                         // cells that hold a value
  uint64_t missing = 0;                       // empty, spelled missing, or unparseable
  std::optional<double> min, max, mean, std;  // number (std is the population's, by Welford)
  std::optional<uint64_t> distinct;           // category: exact
  std::optional<double> first, last;          // datetime: of the first and last row, epoch seconds
  std::optional<double> step_seconds;         // datetime: the most frequent difference between rows
  std::optional<uint64_t> gaps;               // datetime: differences over 1.5 steps
  std::optional<uint64_t> out_of_order;       // datetime: differences of 0 or below
};

inline constexpr uint32_t kMissingCode = 0xffffffffu;

/// Exactly one of numbers, times and codes holds `rows` values (none for text, or with keep_columns = false).
struct CsvColumn {
  size_t index = 0;
  std::string name;
  ColumnType type = ColumnType::text;
  CsvStats stats;
  bool ambiguous = false;               // day and month could not be told apart, or 1,234 read two ways: ask
  std::vector<float> numbers;           // number: NaN where missing
  std::vector<double> times;            // datetime: seconds since 1970-01-01T00:00Z, NaN where missing
  std::vector<uint32_t> codes;          // category: index into categories, kMissingCode where missing
  std::vector<std::string> categories;  // category: in order of first appearance
  std::vector<std::string> examples;    // up to 3 different values as written
};

/// `column` is the field's number in its line from 1, or 0 for the whole line. Kinds: bom, encoding, nul_byte,
/// invalid_utf8, stray_quote, short_row, long_row, blank_line, unparseable, thousands, ambiguous_number,
/// ambiguous_date, precision, header_empty, header_duplicate, header_short, line_ends.
struct CsvRepair {
  uint64_t line = 0;
  uint64_t column = 0;
  std::string kind;
  std::string text;
};

/// Every repair is counted; the first 100 are kept.
struct CsvRepairs {
  static constexpr size_t kept = 100;
  uint64_t total = 0;
  std::map<std::string, uint64_t> by_kind;
  std::vector<CsvRepair> first;

  void add(uint64_t line, uint64_t column, const std::string& kind, std::string text);
};

/// (row, line) where lines and rows stop going together: from this row on, line = that line + the distance.
using LineJumps = std::vector<std::pair<uint64_t, uint64_t>>;

/// The line (from 1) on which row `row` (from 0) begins.
uint64_t line_of_row(const LineJumps& jumps, uint64_t row);

struct CsvTable {
  std::string name;
  uint64_t rows = 0;
  CsvDialect dialect;
  std::vector<CsvColumn> columns;
  std::vector<std::vector<std::string>> preview;  // cells longer than 256 bytes are cut
  CsvRepairs repairs;
  LineJumps line_jumps;  // empty without kept columns

  uint64_t line_of_row(uint64_t row) const { return sg::line_of_row(line_jumps, row); }
  /// Index of the column called `column`; throws csv.no_such_column, listing what there is.
  size_t index_of(std::string_view column) const;
};

/// Errors (sg::Error with line and column): csv.empty, csv.no_rows, csv.binary, csv.line_too_long,
/// csv.too_many_columns, csv.unclosed_quote, csv.bad_option, csv.finished.
class CsvReader {
 public:
  explicit CsvReader(CsvOptions options = {});
  ~CsvReader();
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  void feed(std::span<const uint8_t> bytes);
  /// Ends the input and hands the table over; the reader cannot be used again.
  CsvTable finish();

  uint64_t bytes() const;
  uint64_t rows() const;  // data rows parsed so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

CsvTable read_csv(std::span<const uint8_t> bytes, CsvOptions options = {});
CsvTable read_csv(std::string_view text, CsvOptions options = {});

}  // namespace sg
