#pragma once
// Bytes to records: the state machine under the reader. It takes clean or dirty UTF-8 in pieces of any size and gives
// whole records with the line on which each field begins, so that the outcome cannot depend on where the input was cut.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.h"
#include "io/csv_scan.h"

namespace sg {

struct CsvField {
  std::string_view text;  // valid UTF-8, until the next record
  uint64_t line = 0;
  bool quoted = false;
};

struct CsvRecord {
  uint64_t line = 0;
  std::span<const CsvField> fields;
  bool blank = false;    // nothing but spaces on the line
  bool comment = false;  // between blanks alone: the line begins with '#', which is not in its fields
};

class CsvLexer {
 public:
  struct Settings {
    char delimiter = ',';  // ' ': runs of spaces and tabs, those around a record are nothing
    char quote = '"';      // '\0': none
    size_t max_line_bytes = 1024 * 1024;
    size_t max_columns = 10'000;
  };

  CsvLexer(Settings settings, Repairs& repairs, std::function<void(const CsvRecord&)> on_record);

  void feed(std::string_view bytes);
  /// Ends the last record; throws csv.unclosed_quote.
  void finish();

 private:
  enum class At : uint8_t { start, bare, quoted, closed };
  struct Mark {
    size_t begin = 0;
    uint64_t line = 0;
    bool quoted = false;
  };

  bool is_between_records() const { return at_ == At::start && record_bytes_ == 0 && marks_.empty() && !after_return_; }
  size_t take_plain_line(std::string_view bytes);
  bool take_plain_field(std::string_view text, size_t& fields);
  bool end_plain_line(size_t fields, size_t length, char kind, bool non_ascii);
  bool ends_bare(char c) const { return special_[static_cast<unsigned char>(c)]; }
  bool parts_fields(char c) const { return c == settings_.delimiter || (between_blanks_ && c == '\t'); }
  void step(char c);
  void after_quote(char c, bool quote);
  void line_end(char c);
  void end_field();
  void end_last_field();
  void end_record();
  void give_record(size_t fields, bool non_ascii);
  void note_stray_quote();
  void clean_fields(std::span<CsvField> fields);
  size_t plain_run(std::string_view bytes) const;
  [[noreturn]] void fail_long();

  Settings settings_;
  bool between_blanks_;
  std::array<bool, 256> special_{};  // bytes that end or bend a bare field
  CsvScan scan_;                     // the same bytes, many at a time
  Repairs& repairs_;
  std::function<void(const CsvRecord&)> on_record_;
  std::string text_;              // the fields of the record, end to end
  std::vector<Mark> marks_;       // where each finished field begins
  std::vector<CsvField> fields_;  // of the record, and room for more
  std::vector<std::string> cleaned_;
  Mark field_;  // the field under way
  At at_ = At::start;
  uint64_t line_ = 1;
  uint64_t record_line_ = 1;
  uint64_t quote_line_ = 0;
  size_t record_bytes_ = 0;
  size_t spaces_ = 0;      // between a closing quote and what follows it
  char first_end_ = '\0';  // '\n', '\r' or 'w' for CRLF: the first line end seen
  bool after_return_ = false;
  bool in_nul_run_ = false;
  bool stray_ = false;  // already noted in this field
  bool mixed_ = false;  // already noted in this file
  bool comment_ = false;
};

}  // namespace sg
