#pragma once
// Decides a dialect and column types from the start of a file. Every candidate is tried with the reader's own lexer
// and scored by what comes out, so that sniffing and reading cannot disagree.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.h"

namespace sg {

struct ColumnPlan {
  std::optional<ColumnType> type;  // empty: nothing but missing cells so far, the first value decides
  char decimal = '.';
  bool ambiguous_number = false;  // 1,234 alone: thousands or thousandths
};

struct CsvPlan {
  CsvDialect dialect;
  size_t width = 0;                // columns of the table
  std::vector<std::string> names;  // the header as written, empty without one
  uint64_t header_line = 0;        // where it is a comment ("# time speed"), else 0
  std::vector<ColumnPlan> columns;
};

/// `sample` is UTF-8; `whole` says that nothing follows it.
CsvPlan sniff_csv(std::string_view sample, bool whole, const CsvOptions& options);

/// The sampled cells of each column, trimmed; missing ones may be left out.
using SampleColumns = std::vector<std::vector<std::string>>;

/// The types of columns; settles the dialect's decimal comma.
std::vector<ColumnPlan> plan_columns(const SampleColumns& columns, const CsvOptions& options, CsvDialect& dialect);

}  // namespace sg
