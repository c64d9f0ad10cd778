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

#include "io/table_reader.h"

namespace sg {

enum class Encoding : uint8_t { utf8, utf16le, utf16be, windows1252 };

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
  ReadTarget target;                   // dropped values leave statistics and preview, in bounded memory
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

struct CsvTable : Table {
  CsvDialect dialect;
};

/// Errors (sg::Error with line and column): csv.empty, csv.no_rows, csv.binary, csv.line_too_long,
/// csv.too_many_columns, csv.unclosed_quote, csv.bad_option, csv.finished.
class CsvReader : public TableReader {
 public:
  explicit CsvReader(CsvOptions options = {});
  ~CsvReader() override;
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  void feed(std::span<const uint8_t> bytes) override;
  Table finish() override { return finish_csv(); }
  CsvTable finish_csv();

  uint64_t bytes() const;
  uint64_t rows() const override;  // data rows parsed so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

CsvTable read_csv(std::span<const uint8_t> bytes, CsvOptions options = {});
CsvTable read_csv(std::string_view text, CsvOptions options = {});

}  // namespace sg
