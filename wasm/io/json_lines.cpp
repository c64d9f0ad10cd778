// JSON Lines and arrays of objects: a row is flattened into cells ("a.b", "a.0"), which become columns by the rules of
// delimited text. Columns may appear at any row; those before are missing. Rows that are not JSON are left out and
// told while they are few.

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "io/csv_types.h"
#include "io/formats.h"
#include "io/json_record.h"
#include "io/json_split.h"
#include "io/table_builder.h"

namespace sg {

extern const Format jsonl_format;

namespace {

constexpr size_t kSampleBytes = 64 * 1024;
constexpr size_t kMaxMembers = 10'000;
constexpr size_t kShortArray = 16;  // longer ones of one shape are elements
constexpr uint64_t kFewBadRows = 10;

struct SampleRow {
  std::string text;
  uint64_t line;
};

struct ElementsColumn {
  size_t column;
  std::vector<size_t> shape;
};

class JsonReader : public TableReader {
 public:
  explicit JsonReader(CsvOptions options)
      : options_(options),
        table_(jsonl_format.name, std::move(options)),
        splitter_([this](std::string_view text, uint64_t line) { on_row(text, line); }) {}

  void feed(std::span<const uint8_t> bytes) override;
  Table finish() override;
  uint64_t rows() const override { return table_.rows(); }

 private:
  void begin_use();
  void on_row(std::string_view text, uint64_t line);
  void start();
  bool parse(std::string_view text, uint64_t line);
  void bad_row(std::string_view text, uint64_t line);
  void add_row(std::string_view text, uint64_t line);
  size_t column_of(std::string_view path, size_t guess);
  size_t add_column(std::string_view path, const ColumnPlan& plan, const std::vector<size_t>& shape = {});
  void put_cells(uint64_t line);
  void add_elements(const ElementsColumn& to, uint64_t line);
  bool has(size_t column) const { return set_in_[column] == table_.part_rows() + 1; }

  CsvOptions options_;
  TableBuilder table_;
  JsonSplitter splitter_;
  JsonRecord record_;
  bool ended_ = false, started_ = false, at_start_ = true;
  std::string start_;  // until there is enough to see a byte order mark
  std::vector<SampleRow> sample_;
  size_t sample_bytes_ = 0;

  std::unordered_map<std::string, size_t> columns_;  // by path
  std::vector<std::string> paths_;
  std::unordered_map<std::string, ElementsColumn> elements_;  // by path
  std::vector<const ElementsColumn*> typed_;                  // by column, null where it has cells
  std::vector<size_t> cell_of_;                               // by column: its cell, or its array, in this row
  std::vector<uint64_t> set_in_;                              // the row (from 1) in which it was set last
  uint64_t seen_ = 0, bad_ = 0;
  std::optional<Error> first_bad_;
};

void JsonReader::begin_use() {
  if (ended_) throw Error("jsonl.finished", "the reader has ended, by an error or by handing its table over");
  ended_ = true;
}

void JsonReader::feed(std::span<const uint8_t> bytes) {
  begin_use();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (at_start_) {
    start_ += text.substr(0, 3);
    text.remove_prefix(std::min<size_t>(text.size(), 3));
    if (start_.size() >= 3) {
      at_start_ = false;
      const bool mark = start_.compare(0, 3, "\xEF\xBB\xBF") == 0;
      if (mark) table_.repairs().add(1, 0, "bom", "a byte order mark was dropped");
      splitter_.feed(std::string_view(start_).substr(mark ? 3 : 0));
    }
  }
  if (!at_start_) splitter_.feed(text);
  ended_ = false;
}

void JsonReader::on_row(std::string_view text, uint64_t line) {
  if (started_) return add_row(text, line);
  sample_.push_back({std::string(text), line});
  sample_bytes_ += text.size();
  if (sample_bytes_ >= kSampleBytes) start();
}

/// Settles the columns of the sampled rows, then adds these rows.
void JsonReader::start() {
  started_ = true;
  SampleColumns cells;
  std::vector<std::string> order;
  std::unordered_map<std::string, size_t> known;
  std::unordered_map<std::string, std::optional<std::vector<size_t>>> shapes;
  const auto cells_of = [&](std::string path) -> std::vector<std::string>& {
    const auto [at, added] = known.emplace(path, order.size());
    if (added) order.push_back(std::move(path)), cells.emplace_back();
    return cells[at->second];
  };
  for (const SampleRow& row : sample_) {
    if (!record_.parse(row.text) && !record_.parse(quote_odd_numbers(replace_invalid_utf8(row.text)))) continue;
    size_t next = 0;
    const auto take = [&](size_t end) {
      for (; next < end && order.size() <= kMaxMembers; ++next) {
        const auto [path, text] = record_.cell(next);
        cells_of(std::string(path)).emplace_back(trim(text));
      }
      next = std::max(next, end);
    };
    for (const auto& array : record_.arrays()) {
      take(array.first_cell);
      const auto [shape, added] = shapes.emplace(array.path, array.shape);
      if (!added && shape->second != array.shape) shape->second.reset();
      if (array.cells > kShortArray && shape->second && !array.shape.empty()) {
        cells_of(array.path);
        next = array.first_cell + array.cells;
      }
    }
    take(record_.size());
  }
  CsvDialect dialect;
  dialect.delimiter = '\0';
  const std::vector<ColumnPlan> plans = plan_columns(cells, options_, dialect);
  for (size_t c = 0; c < order.size(); ++c) {
    const auto shape = shapes.find(order[c]);
    const bool is_array = shape != shapes.end();
    if (is_array && !shape->second) continue;  // of several shapes: its values are columns of their own
    add_column(order[c], plans[c], is_array ? *shape->second : std::vector<size_t>());
  }
  const std::vector<SampleRow> rows = std::move(sample_);
  for (const SampleRow& row : rows) add_row(row.text, row.line);
}

size_t JsonReader::add_column(std::string_view path, const ColumnPlan& plan, const std::vector<size_t>& shape) {
  const size_t index = table_.width();
  if (index == kMaxMembers) {
    throw Error("jsonl.too_many_columns",
                "the rows have more than " + std::to_string(kMaxMembers) +
                    " different names; are there keys that are values, such as ids or dates?");
  }
  const std::string name = path.empty() ? "column_" + std::to_string(index + 1) : shorten(path, 200);
  if (shape.empty()) {
    table_.add_cells(name, plan);
    columns_.emplace(path, index);
    typed_.push_back(nullptr);
  } else {
    ColumnKind kind;
    kind.type = ColumnType::elements;
    kind.shape = shape;
    table_.add_typed(name, kind);
    typed_.push_back(&elements_.emplace(path, ElementsColumn{index, shape}).first->second);
  }
  paths_.emplace_back(path);
  cell_of_.push_back(0);
  set_in_.push_back(0);
  return index;
}

/// Rows mostly have the same keys in the same order: the next column is tried first.
size_t JsonReader::column_of(std::string_view path, size_t guess) {
  if (guess < paths_.size() && paths_[guess] == path && elements_.empty()) return guess;
  const auto known = columns_.find(std::string(path));
  return known != columns_.end() ? known->second : add_column(path, {});
}

bool JsonReader::parse(std::string_view text, uint64_t line) {
  if (record_.parse(text)) return true;
  std::string mended(text);
  if (find_invalid_utf8(text) != std::string_view::npos) {
    mended = replace_invalid_utf8(text);
    if (record_.parse(mended)) {
      table_.repairs().add(line, 0, "invalid_utf8", "bytes that are not UTF-8 became \xEF\xBF\xBD");
      return true;
    }
  }
  mended = quote_odd_numbers(mended);
  if (mended.empty() || !record_.parse(mended)) {
    record_.parse(text);  // for the reason
    return false;
  }
  table_.repairs().add(line, 0, "not_json", "NaN, Infinity or a number beyond all bounds was taken as text");
  return true;
}

void JsonReader::bad_row(std::string_view text, uint64_t line) {
  const std::string shown = shorten(replace_invalid_utf8(text.substr(0, 80)), 60);
  Error error("jsonl.bad_line",
              "line " + std::to_string(line) + ": " + record_.error() + " ('" + shown +
                  "'); a row must be one JSON value on a line, or an element of one array",
              line);
  table_.repairs().add(line, 0, "bad_line", record_.error() + "; the row was left out");
  if (!first_bad_) first_bad_ = error;
  if (++bad_ > kFewBadRows && bad_ * 100 > seen_) throw *first_bad_;
}

void JsonReader::add_row(std::string_view text, uint64_t line) {
  ++seen_;
  if (!parse(text, line)) return bad_row(text, line);
  put_cells(line);
  for (size_t c = 0; c < table_.width(); ++c) {
    if (typed_[c] != nullptr) {
      add_elements(*typed_[c], line);
    } else {
      table_.add_cell(c, has(c) ? record_.cell(cell_of_[c]).text : std::string_view(), line);
    }
  }
  table_.end_row(line);
}

/// Notes which cell, or which array, each column has in this row.
void JsonReader::put_cells(uint64_t line) {
  const uint64_t row = table_.part_rows() + 1;
  const auto set = [&](size_t column, size_t what) {
    if (set_in_[column] == row) {
      table_.repairs().add(line, column + 1, "duplicate_key",
                           "'" + shorten(paths_[column], 80) + "' stands twice in the row; the last one counts");
    }
    set_in_[column] = row;
    cell_of_[column] = what;
  };
  for (const std::string& path : record_.twice()) {
    table_.repairs().add(line, 0, "duplicate_key", "'" + shorten(path, 80) + "' stands twice in the row; both count");
  }
  size_t next = 0, guess = 0;
  const auto take = [&](size_t end) {
    for (; next < end; ++next) {
      const std::string_view path = record_.cell(next).path;
      if (!elements_.empty() && elements_.count(std::string(path)) > 0) {
        set(elements_.at(std::string(path)).column, SIZE_MAX);  // a single value where an array should be
        continue;
      }
      const size_t column = column_of(path, guess);
      set(column, next);
      guess = column + 1;
    }
  };
  for (size_t a = 0; a < record_.arrays().size() && !elements_.empty(); ++a) {
    const JsonRecord::Array& array = record_.arrays()[a];
    const auto to = elements_.find(array.path);
    if (to == elements_.end()) continue;
    take(array.first_cell);
    set(to->second.column, a);
    next = array.first_cell + array.cells;
  }
  take(record_.size());
}

void JsonReader::add_elements(const ElementsColumn& to, uint64_t line) {
  if (!has(to.column)) return table_.add_missing(to.column);
  const size_t which = cell_of_[to.column];
  const bool fits = which != SIZE_MAX && record_.arrays()[which].shape == to.shape;
  if (!fits) {
    table_.repairs().add(line, to.column + 1, "wrong_shape",
                         "'" + shorten(paths_[to.column], 80) + "' has another shape than before; taken as missing");
    return table_.add_missing(to.column);
  }
  const JsonRecord::Array& array = record_.arrays()[which];
  for (size_t i = 0; i < array.cells; ++i) {
    const auto number = parse_number(record_.cell(array.first_cell + i).text, '.');
    table_.add(to.column, number ? number->value : std::numeric_limits<double>::quiet_NaN());
  }
}

Table JsonReader::finish() {
  begin_use();
  if (at_start_) splitter_.feed(start_);
  const bool whole = splitter_.finish();
  if (!started_) start();
  if (seen_ == 0) throw Error("jsonl.empty", "the file holds no JSON value");
  if (first_bad_ && bad_ * 2 > seen_) throw *first_bad_;
  if (!whole) table_.repairs().add(0, 0, "truncated", "the array is not closed: the file was cut off");
  if (table_.width() == 0) throw Error("jsonl.no_rows", "the rows hold no values");
  table_.facts()["layout"] = splitter_.is_array() ? "array" : "lines";
  return table_.finish();
}

Claim claim_jsonl(std::span<const uint8_t> head, std::string_view name) {
  std::string marks;
  for (const uint8_t byte : head) {
    if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') continue;
    marks += static_cast<char>(byte);
    if (marks.size() == 2) break;
  }
  if (marks == "{\"" || marks == "[{") return Claim::by_content;
  return has_ending(jsonl_format, name) ? Claim::by_name : Claim::none;
}

std::unique_ptr<TableReader> open_jsonl(const nlohmann::json& options, std::string_view name,
                                        const ReadTarget& target) {
  return std::make_unique<JsonReader>(
      options_like_csv(options, jsonl_format.name, name, target, {"dayFirst", "decimalComma"}));
}

}  // namespace

const Format jsonl_format{"jsonl", "JSON Lines", " jsonl ndjson jsonlines json ", claim_jsonl, open_jsonl};

}  // namespace sg
