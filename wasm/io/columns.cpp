// Typed columns as JavaScript libraries have them (Parquet, Arrow, decoded pictures), handed over in blocks of rows:
// u32 length, JSON {"rows": n, "columns": [{"name", "kind", "shape"?, "values"?}], "repairs"?: [...]}, then the values
// of each column in order, padded to 4 bytes. It is a door of the core and no file format: no file is taken for one.

#include <algorithm>
#include <cmath>

#include "io/binary_reader.h"
#include "io/csv_types.h"
#include "io/formats.h"
#include "io/scalars.h"
#include "io/table_builder.h"

namespace sg {

extern const Format columns_format;

namespace {

using nlohmann::json;

constexpr size_t kMaxJson = size_t{4} << 20;
constexpr uint64_t kMaxBlock = uint64_t{64} << 20;
constexpr size_t kMaxColumns = 10'000;

struct BlockKind {
  const char* name;
  Scalar scalar;
  ColumnType type;
};
constexpr BlockKind kKinds[] = {
    {"f32", Scalar::f4, ColumnType::number},    {"f64", Scalar::f8, ColumnType::number},
    {"time", Scalar::f8, ColumnType::datetime}, {"u8", Scalar::u1, ColumnType::number},
    {"f32s", Scalar::f4, ColumnType::elements}, {"text", Scalar::u1, ColumnType::text},
};

struct BlockColumn {
  std::string name;
  const BlockKind* kind = nullptr;
  std::vector<size_t> shape;
  uint64_t elements = 1;

  bool is_text() const { return kind->type == ColumnType::text; }
  bool operator==(const BlockColumn&) const = default;
};

class ColumnsReader : public BinaryReader {
 public:
  explicit ColumnsReader(CsvOptions options)
      : BinaryReader(columns_format.name), options_(options), table_(columns_format.name, std::move(options)) {
    want_block(4);
  }
  uint64_t rows() const override { return table_.rows(); }

 protected:
  void on_block(std::span<const uint8_t> bytes) override;
  void on_items(std::span<const uint8_t> bytes) override;
  void on_items_end() override;
  void on_skipped() override { next_column(); }
  void on_truncated() override;
  Table make_table() override { return table_.finish(); }

 private:
  enum class At : uint8_t { length, header, values };

  void begin_block(std::string_view text);
  std::vector<BlockColumn> columns_of(const json& block) const;
  void add_columns(const json& block);
  void add_text(size_t column, const json& values);
  void add_repairs(const json& repairs);
  void next_column();
  void end_block();

  CsvOptions options_;
  TableBuilder table_;
  At at_ = At::length;
  std::vector<BlockColumn> columns_;
  uint64_t block_rows_ = 0, block_first_ = 0;
  size_t column_ = 0;      // whose values come
  uint64_t in_block_ = 0;  // elements of it so far
};

/// JSON with bounded nesting.
json parse_flat(std::string_view text) {
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > 4) throw Error("columns.bad_block", "a block's description is nested too deeply");
    return true;
  };
  return json::parse(text.begin(), text.end(), shallow, false);
}

void ColumnsReader::on_block(std::span<const uint8_t> bytes) {
  if (at_ == At::length) {
    const uint64_t length = unsigned_at(bytes.data(), 4);
    if (length < 2 || length > kMaxJson) fail("bad_block", "a description of " + std::to_string(length) + " bytes");
    at_ = At::header;
    return want_block(static_cast<size_t>(length));
  }
  at_ = At::values;
  begin_block({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<BlockColumn> ColumnsReader::columns_of(const json& block) const {
  std::vector<BlockColumn> columns;
  for (const json& given : block.at("columns")) {
    const auto text = [&](const char* field) {
      const auto value = given.is_object() ? given.find(field) : given.end();
      if (!given.is_object() || value == given.end() || !value->is_string()) {
        fail("bad_block", std::string("a column's '") + field + "' is no text");
      }
      return value->get<std::string>();
    };
    BlockColumn column{text("name"), nullptr, {}, 1};
    const std::string kind = text("kind");
    for (const BlockKind& known : kKinds)
      if (kind == known.name) column.kind = &known;
    if (column.kind == nullptr) fail("bad_block", "there is no kind of column '" + shorten(kind, 40) + "'");
    for (const json& n : given.value("shape", json::array())) {
      if (!n.is_number_unsigned() || n == 0u || n.get<uint64_t>() > TypedColumn::max_elements ||
          (column.elements *= n.get<uint64_t>()) > TypedColumn::max_elements) {
        fail("bad_block", "the shape of '" + shorten(column.name, 80) + "'");
      }
      column.shape.push_back(n.get<size_t>());
    }
    const bool may = column.kind->type == ColumnType::elements || kind == "u8";
    if ((!column.shape.empty() && !may) || (column.shape.empty() && column.kind->type == ColumnType::elements)) {
      fail("bad_block", "'" + shorten(column.name, 80) + "': elements have a shape, and other columns none");
    }
    columns.push_back(std::move(column));
  }
  if (columns.empty() || columns.size() > kMaxColumns) fail("bad_block", "1 to 10,000 columns are read");
  return columns;
}

void ColumnsReader::begin_block(std::string_view text) {
  const json block = parse_flat(text);
  if (!block.is_object() || !block.contains("rows") || !block["rows"].is_number_unsigned() ||
      !block.contains("columns") || !block["columns"].is_array()) {
    fail("bad_block", "the description is not {\"rows\": n, \"columns\": [...]}");
  }
  const std::vector<BlockColumn> columns = columns_of(block);
  block_rows_ = block["rows"];
  uint64_t bytes = 0;
  for (const BlockColumn& column : columns) {
    const uint64_t one = column.elements * scalar_bytes(column.kind->scalar);
    if (block_rows_ > kMaxBlock / one || (bytes += block_rows_ * one) > kMaxBlock) {
      fail("bad_block", "a block of over 64 MiB; hand over fewer rows at a time");
    }
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].is_text()) continue;
    const json& given = block["columns"][c];
    if (!given.contains("values") || !given["values"].is_array() || given["values"].size() != block_rows_) {
      fail("bad_block", "'" + shorten(columns[c].name, 80) + "' has not one text a row");
    }
  }
  if (columns_.empty()) {
    columns_ = columns;
    add_columns(block);
  } else if (columns_ != columns) {
    fail("bad_block", "a block has other columns than the first one");
  }
  block_first_ = table_.rows();
  for (size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].is_text()) add_text(c, block["columns"][c]["values"]);
  if (const auto repairs = block.find("repairs"); repairs != block.end()) add_repairs(*repairs);
  column_ = SIZE_MAX;
  next_column();
}

/// What was left out or mended before it came here.
void ColumnsReader::add_repairs(const json& repairs) {
  constexpr size_t kMost = 1000;
  if (!repairs.is_array() || repairs.size() > kMost) fail("bad_block", "'repairs' is no list of at most 1,000");
  for (const json& repair : repairs) {
    const auto has = [&](const char* field, bool text) {
      const auto value = repair.is_object() ? repair.find(field) : repair.end();
      return repair.is_object() && value != repair.end() && (text ? value->is_string() : value->is_number_unsigned());
    };
    if (!has("line", false) || !has("column", false) || !has("kind", true) || !has("text", true)) {
      fail("bad_block", "a repair is not {\"line\", \"column\", \"kind\", \"text\"}");
    }
    table_.repairs().add(repair["line"], repair["column"], shorten(repair["kind"].get<std::string>(), 40),
                         shorten(repair["text"].get<std::string>(), 400));
  }
}

/// Texts become what the first block's cells look like, as in delimited text.
void ColumnsReader::add_columns(const json& block) {
  SampleColumns sample(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].is_text()) continue;
    const json& values = block["columns"][c]["values"];
    for (size_t r = 0; r < std::min<size_t>(values.size(), 2000); ++r) {
      if (values[r].is_string()) sample[c].emplace_back(trim(values[r].get_ref<const std::string&>()));
    }
  }
  CsvDialect dialect;
  dialect.delimiter = '\0';
  const std::vector<ColumnPlan> plans = plan_columns(sample, options_, dialect);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const BlockColumn& column = columns_[c];
    if (column.is_text()) {
      table_.add_cells(column.name, plans[c]);
      continue;
    }
    ColumnKind kind;
    kind.type = column.shape.empty() ? column.kind->type : ColumnType::elements;
    kind.shape = column.shape;
    kind.byte_elements = !column.shape.empty() && column.kind->scalar == Scalar::u1;
    table_.add_typed(column.name, kind);
  }
  table_.check_types();
}

void ColumnsReader::add_text(size_t column, const json& values) {
  uint64_t row = block_first_;
  for (const json& value : values) {
    if (!value.is_string() && !value.is_null()) fail("bad_block", "a value of a text column is no text");
    table_.look_at(row++);
    table_.add_cell(column, value.is_null() ? std::string_view() : value.get_ref<const std::string&>(), row);
  }
}

void ColumnsReader::next_column() {
  ++column_;
  while (column_ < columns_.size() && columns_[column_].is_text()) ++column_;
  if (column_ == columns_.size()) return end_block();
  in_block_ = 0;
  want_items(scalar_bytes(columns_[column_].kind->scalar), block_rows_ * columns_[column_].elements);
}

void ColumnsReader::on_items(std::span<const uint8_t> bytes) {
  const BlockColumn& column = columns_[column_];
  const size_t size = scalar_bytes(column.kind->scalar);
  for (; !bytes.empty(); bytes = bytes.subspan(size)) {
    table_.look_at(block_first_ + in_block_++ / column.elements);
    table_.add(column_, scalar_at(bytes.data(), column.kind->scalar));
  }
}

void ColumnsReader::on_items_end() {
  const uint64_t bytes = in_block_ * scalar_bytes(columns_[column_].kind->scalar);
  want_skip((4 - bytes % 4) % 4);
}

void ColumnsReader::end_block() {
  table_.end_rows(block_rows_);
  at_ = At::length;
  want_block(4);
}

/// The stream may end between two blocks.
void ColumnsReader::on_truncated() {
  if (at_ != At::length || is_within_block()) BinaryReader::on_truncated();
}

Claim claim_columns(std::span<const uint8_t>, std::string_view) { return Claim::none; }

std::unique_ptr<TableReader> open_columns(const nlohmann::json& options, std::string_view name,
                                          const ReadTarget& target) {
  return std::make_unique<ColumnsReader>(
      options_like_csv(options, columns_format.name, name, target, {"dayFirst", "decimalComma"}));
}

}  // namespace

const Format columns_format{"columns", "Typed columns from another reader", " ", claim_columns, open_columns};

}  // namespace sg
