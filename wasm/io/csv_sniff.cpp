#include "io/csv_sniff.h"

#include <algorithm>
#include <map>
#include <set>

#include "io/csv_lexer.h"
#include "io/csv_types.h"

namespace sg {
namespace {

using Row = std::vector<std::string>;

struct Sample {
  std::vector<Row> rows;  // without blank lines and comments
  Row comment;            // the last one before the first row
  uint64_t comment_line = 0;
  size_t quoted = 0;   // fields
  uint64_t stray = 0;  // quotes out of place
  bool unclosed = false;
};

/// The complete records of the sample; its cut-off last line counts only if it is all there is.
Sample lex(std::string_view text, bool whole, char delimiter, char quote, const CsvOptions& options) {
  Sample sample;
  Repairs repairs;
  CsvLexer lexer({delimiter, quote, options.max_line_bytes, options.max_columns}, repairs,
                 [&](const CsvRecord& record) {
                   if (record.blank || (record.comment && !sample.rows.empty())) return;
                   Row& row = record.comment ? sample.comment : sample.rows.emplace_back();
                   if (record.comment) sample.comment_line = record.line;
                   row.clear();
                   for (const CsvField& field : record.fields) {
                     row.emplace_back(trim(field.text));
                     sample.quoted += field.quoted;
                   }
                 });
  try {
    lexer.feed(text);
    if (whole) lexer.finish();
  } catch (const Error&) {
    sample.unclosed = true;  // the reading itself will say where
  }
  const auto stray = repairs.by_kind.find("stray_quote");
  if (stray != repairs.by_kind.end()) sample.stray = stray->second;
  return sample;
}

bool is_typed(const std::string& cell) {
  return is_missing(cell) || parse_number(cell, '.') || parse_number(cell, ',') || parse_datetime(cell);
}

bool is_value(const std::string& cell) { return !is_missing(cell) && is_typed(cell); }

/// The most frequent number of fields; the smaller one on a tie.
size_t modal_width(const std::vector<Row>& rows, size_t from, size_t* count = nullptr) {
  std::map<size_t, size_t> widths;
  for (size_t r = from; r < rows.size(); ++r) ++widths[rows[r].size()];
  size_t width = 0, most = 0;
  for (const auto& [fields, n] : widths) {
    if (n > most) width = fields, most = n;
  }
  if (count) *count = most;
  return width;
}

/// How much the sample looks like a table: lines of one width, cells that mean something.
double score(const Sample& sample) {
  if (sample.rows.empty()) return 0;
  size_t most = 0;
  const size_t width = modal_width(sample.rows, 0, &most);
  const double agreeing = static_cast<double>(most) / static_cast<double>(sample.rows.size());
  if (width < 2 || (agreeing < 0.5 && sample.rows[0].size() < 2)) return 0;
  size_t typed = 0, cells = 0;
  for (const Row& row : sample.rows) {
    cells += row.size();
    for (const std::string& cell : row) typed += is_typed(cell);
  }
  const double meaning = 0.5 + static_cast<double>(typed) / static_cast<double>(cells);
  return agreeing * agreeing * meaning * (sample.unclosed || sample.stray > sample.quoted ? 0.5 : 1.0);
}

bool mostly(size_t part, size_t whole) { return part > 0 && part * 5 >= whole * 4; }

/// Blanks stand in any text, so they part columns only where nineteen of twenty lines have the first one's number of
/// fields, more than half of the columns are values, and the lines are not values as they are (a date and a time).
bool blanks_part_columns(const Sample& blanks, const Sample& lines) {
  if (blanks.rows.empty() || blanks.unclosed) return false;
  const size_t width = blanks.rows[0].size(), rows = blanks.rows.size();
  size_t most = 0;
  if (modal_width(blanks.rows, 0, &most) != width || width < 2 || most * 20 < rows * 19) return false;
  size_t whole = 0;
  for (const Row& row : lines.rows) whole += row.size() == 1 && is_value(row[0]);
  if (mostly(whole, lines.rows.size())) return false;
  size_t of_values = 0;
  for (size_t c = 0; c < width; ++c) {
    size_t values = 0, cells = 0;
    for (size_t r = rows > 1 ? 1 : 0; r < rows; ++r) {
      if (c >= blanks.rows[r].size() || is_missing(blanks.rows[r][c])) continue;
      ++cells;
      values += is_value(blanks.rows[r][c]);
    }
    of_values += mostly(values, cells);
  }
  return of_values * 2 > width;
}

/// Single quotes quote only where each of them opens or closes a field.
bool single_quotes(const Sample& sample) { return sample.quoted >= 2 && sample.stray == 0 && !sample.unclosed; }

struct Shape {
  char delimiter = ',';
  char quote = '"';
  Sample sample;
};

Shape sniff_shape(std::string_view text, bool whole, const CsvOptions& options) {
  Shape best;
  double best_score = -1;
  for (const char delimiter : options.delimiter ? std::string(1, *options.delimiter) : std::string(",;\t| ")) {
    for (const char quote : options.quote ? std::string(1, *options.quote) : std::string("\"'")) {
      if (quote == '\'' && !options.quote && best.sample.quoted > 0) continue;
      if (delimiter == ' ' && best_score > 0 && best.delimiter != ',' && best.delimiter != ' ') continue;
      Sample sample = lex(text, whole, delimiter, quote, options);
      if (delimiter == ' ' && !options.delimiter &&
          !blanks_part_columns(sample, lex(text, whole, '\n', quote, options)))
        continue;
      if (quote == '\'' && !options.quote && !single_quotes(sample)) continue;
      const double points = score(sample) * (quote == '\'' ? 1.01 : 1.0);
      if (points > best_score) {
        best_score = points;
        best = {delimiter, quote, std::move(sample)};
      }
    }
  }
  return best;
}

/// What the sampled cells of one column say.
struct Evidence {
  size_t values = 0;   // not missing
  size_t numbers = 0;  // under either decimal
  size_t dates = 0;
  size_t only_point = 0, only_comma = 0;  // numbers under one decimal alone
  size_t open_comma = 0;                  // 1,234: a number under both
};

void weigh(const std::string& cell, Evidence& evidence) {
  if (is_missing(cell)) return;
  ++evidence.values;
  const bool point = parse_number(cell, '.').has_value(), comma = parse_number(cell, ',').has_value();
  evidence.only_point += point && !comma;
  evidence.only_comma += comma && !point;
  evidence.open_comma += point && comma && cell.find(',') != std::string::npos;
  if (point || comma) {
    ++evidence.numbers;
  } else if (parse_datetime(cell)) {
    ++evidence.dates;
  }
}

Evidence weigh(const std::vector<Row>& rows, size_t from, size_t column) {
  Evidence evidence;
  for (size_t r = from; r < rows.size(); ++r)
    if (column < rows[r].size()) weigh(rows[r][column], evidence);
  return evidence;
}

/// Names over values: years may stand in it, but a row of numbers never is a header.
bool sniff_header(const std::vector<Row>& rows, size_t width) {
  if (rows.empty()) return false;
  const Row& first = rows[0];
  size_t values = 0, names_over_values = 0, names = 0, years = 0;
  bool repeats = false;
  std::set<std::string> seen;
  for (size_t c = 0; c < first.size(); ++c) {
    const std::string& cell = first[c];
    if (is_missing(cell)) continue;
    if (!seen.insert(cell).second) repeats = true;
    if (is_value(cell)) {
      ++values;
      years +=
          cell.size() == 4 && cell >= "1500" && cell <= "2500" && cell.find_first_not_of("0123456789") == cell.npos;
      continue;
    }
    ++names;
    const Evidence below = weigh(rows, 1, c);
    names_over_values += mostly(below.numbers, below.values) || mostly(below.dates, below.values);
    for (size_t r = 1; r < rows.size(); ++r) repeats = repeats || (c < rows[r].size() && rows[r][c] == cell);
  }
  if (values > 0) return names_over_values > 0 && years == values;
  if (names_over_values > 0) return true;
  return names > 0 && names * 2 >= width && !repeats;
}

/// Whether the last comment before the rows is their header, as numpy.savetxt writes it.
bool names_columns(const Sample& sample) {
  if (sample.rows.empty() || sample.comment.size() != modal_width(sample.rows, 0)) return false;
  return std::none_of(sample.comment.begin(), sample.comment.end(), is_value);
}

/// Cells after the last one that is not empty do not widen the table.
size_t effective_width(const std::vector<Row>& rows, size_t from) {
  std::vector<Row> shorter;
  for (size_t r = from; r < rows.size(); ++r) {
    Row row = rows[r];
    while (row.size() > 1 && row.back().empty()) row.pop_back();
    shorter.push_back(std::move(row));
  }
  return modal_width(shorter, 0);
}

}  // namespace

std::vector<ColumnPlan> plan_columns(const SampleColumns& columns, const CsvOptions& options, CsvDialect& dialect) {
  const size_t width = columns.size();
  std::vector<Evidence> evidence;
  std::vector<ColumnPlan> plans;
  size_t point_columns = 0, comma_columns = 0;
  for (size_t c = 0; c < width; ++c) {
    Evidence& column = evidence.emplace_back();
    for (const std::string& cell : columns[c]) weigh(cell, column);
    if (!mostly(evidence[c].numbers, evidence[c].values)) continue;
    point_columns += evidence[c].only_point > evidence[c].only_comma;
    comma_columns += evidence[c].only_comma > evidence[c].only_point;
  }
  const bool known = options.decimal_comma.has_value() || point_columns + comma_columns > 0;
  bool open_comma = false;
  for (const Evidence& column : evidence) open_comma = open_comma || column.open_comma > 0;
  // With nothing else to go by, 1,234 in a file that a comma does not delimit is read as a decimal comma.
  dialect.decimal_comma = options.decimal_comma ? *options.decimal_comma
                          : known               ? comma_columns > point_columns
                                                : open_comma && dialect.delimiter == ';';
  for (size_t c = 0; c < width; ++c) {
    const Evidence& column = evidence[c];
    ColumnPlan& p = plans.emplace_back();
    p.decimal = dialect.decimal_comma ? ',' : '.';
    if (!options.decimal_comma && column.only_point != column.only_comma) {
      p.decimal = column.only_comma > column.only_point ? ',' : '.';
    }
    p.ambiguous_number = !known && column.open_comma > 0 && dialect.delimiter != ',';
    const auto forced = options.types.find(c);
    if (forced != options.types.end()) {
      p.type = forced->second;
    } else if (mostly(column.numbers, column.values)) {
      p.type = ColumnType::number;
    } else if (mostly(column.dates, column.values)) {
      p.type = ColumnType::datetime;
    } else if (column.values > 0) {
      p.type = ColumnType::category;  // text if it turns out to have too many values
    }
  }
  return plans;
}

CsvPlan sniff_csv(std::string_view text, bool whole, const CsvOptions& options) {
  const Shape shape = sniff_shape(text, whole, options);
  const std::vector<Row>& rows = shape.sample.rows;
  CsvPlan plan;
  plan.dialect.delimiter = shape.delimiter;
  plan.dialect.quote = shape.quote;
  const bool comment = options.header.value_or(true) && names_columns(shape.sample);
  plan.dialect.header = comment || (options.header ? *options.header : sniff_header(rows, modal_width(rows, 0)));
  const size_t from = plan.dialect.header && !comment && !rows.empty() ? 1 : 0;
  if (comment) plan.names = shape.sample.comment, plan.header_line = shape.sample.comment_line;
  if (from == 1) plan.names = rows[0];
  plan.width = from == 1 ? std::max(rows[0].size(), effective_width(rows, 1)) : modal_width(rows, 0);
  SampleColumns columns(plan.width);
  for (size_t r = from; r < rows.size(); ++r)
    for (size_t c = 0; c < std::min(plan.width, rows[r].size()); ++c) columns[c].push_back(rows[r][c]);
  plan.columns = plan_columns(columns, options, plan.dialect);
  return plan;
}

}  // namespace sg
