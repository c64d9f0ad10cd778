#include "io/table_builder.h"

#include <algorithm>
#include <cmath>

#include "io/csv_options.h"

namespace sg {
namespace {

constexpr size_t kPreviewCells = 20'000;
constexpr size_t kPreviewCellBytes = 256;
constexpr size_t kPreviewElementBytes = 40;
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool can_become(const ColumnKind& kind, ColumnType type) {
  if (kind.type == type) return true;
  if (kind.type == ColumnType::elements || type == ColumnType::elements) return false;
  if (type == ColumnType::category || type == ColumnType::text) return kind.type != ColumnType::datetime;
  return kind.type == ColumnType::number && type == ColumnType::datetime;
}

}  // namespace

CsvOptions options_like_csv(const nlohmann::json& options, std::string_view format, std::string_view name,
                            const ReadTarget& target, const std::vector<std::string_view>& fields) {
  const std::string code = std::string(format) + ".bad_option";
  if (options.is_object()) {
    for (const auto& [field, value] : options.items()) {
      const bool known = field == "name" || field == "previewRows" || field == "types" ||
                         std::find(fields.begin(), fields.end(), field) != fields.end();
      if (!known) throw Error(code, "there is no option '" + shorten(field, 80) + "'");
    }
  }
  try {
    CsvOptions result = csv_options_from_json(options);
    result.name = name;
    result.target = target;
    return result;
  } catch (const Error& error) {
    throw Error(code, error.what());
  }
}

TableBuilder::TableBuilder(std::string format, CsvOptions options)
    : format_(std::move(format)), options_(std::move(options)) {
  settle();
}

size_t TableBuilder::add_typed(const std::string& name, ColumnKind kind) {
  const size_t index = columns_.size();
  if (const auto forced = options_.types.find(index); forced != options_.types.end()) {
    if (!can_become(kind, forced->second)) {
      throw Error(format_ + ".bad_option", "option 'types': column " + std::to_string(index) + " ('" +
                                               shorten(name, 80) + "') holds " + std::string(to_string(kind.type)) +
                                               " values and cannot be " + std::string(to_string(forced->second)));
    }
    kind.type = forced->second;
    kind.labels = true;
  }
  columns_.push_back({name, TypedColumn(index, name, std::move(kind), keeps(), dictionary_room_)});
  typed_.push_back(std::get_if<TypedColumn>(&columns_.back().builder));
  cells_.push_back(nullptr);
  row_bytes_ += row_bytes(index);
  settle();
  return index;
}

size_t TableBuilder::add_cells(const std::string& name, ColumnPlan plan) {
  const size_t index = columns_.size();
  if (const auto forced = options_.types.find(index); forced != options_.types.end()) plan.type = forced->second;
  columns_.push_back({name, ColumnBuilder(index, plan, options_, dictionary_room_)});
  cells_.push_back(std::get_if<ColumnBuilder>(&columns_.back().builder));
  cells_.back()->begin_late(row_, chunk_first_);
  typed_.push_back(nullptr);
  row_bytes_ += row_bytes(index);
  settle();
  return index;
}

void TableBuilder::check_types() const {
  if (options_.types.empty() || options_.types.rbegin()->first < width()) return;
  throw Error(format_ + ".bad_option", "option 'types' names column " + std::to_string(options_.types.rbegin()->first) +
                                           ", and there are " + std::to_string(width()) + ", counted from 0");
}

void TableBuilder::begin_part(size_t first, size_t count) {
  part_first_ = first;
  part_count_ = count;
  row_ = shown_row_ = chunk_first_ = row_bytes_ = 0;
  for (size_t c = first; c < width() && c - first < count; ++c) row_bytes_ += row_bytes(c);
  settle();
}

/// How many rows make a chunk and a preview, for the columns there are.
void TableBuilder::settle() {
  chunk_rows_ = options_.target.chunk_rows(row_bytes_);
  preview_rows_ = std::min(options_.preview_rows, std::max<size_t>(1, kPreviewCells / std::max<size_t>(1, width())));
}

uint64_t TableBuilder::row_bytes(size_t column) const {
  return typed_[column] != nullptr ? typed_[column]->row_bytes() : sizeof(double);
}

std::string* TableBuilder::preview_cell(size_t column) {
  if (shown_row_ >= preview_rows_) return nullptr;
  const auto at = static_cast<size_t>(shown_row_);
  if (table_.preview.size() <= at) table_.preview.resize(at + 1);
  auto& row = table_.preview[at];
  if (row.size() <= column) row.resize(width());
  return &row[column];
}

void TableBuilder::show_number(size_t column, double value) {
  std::string* cell = preview_cell(column);
  if (cell == nullptr) return;
  const ColumnType type = typed_[column]->kind().type;
  if (type != ColumnType::elements) {
    if (!std::isnan(value)) *cell = type == ColumnType::datetime ? format_datetime(value) : format_number(value);
  } else if (cell->size() < kPreviewElementBytes) {
    *cell += (cell->empty() ? "" : " ") + format_number(value);
    if (cell->size() >= kPreviewElementBytes) *cell += kEllipsis;
  }
}

void TableBuilder::add(size_t column, std::string_view category) {
  if (std::string* cell = preview_cell(column)) *cell = shorten(category, kPreviewCellBytes);
  typed_[column]->add(category);
}

void TableBuilder::add_cell(size_t column, std::string_view text, uint64_t line) {
  if (std::string* cell = preview_cell(column)) *cell = shorten(text, kPreviewCellBytes);
  cells_[column]->add(text, line, table_.repairs);
}

void TableBuilder::add_missing(size_t column) {
  if (typed_[column] != nullptr) {
    typed_[column]->add_missing();
  } else {
    cells_[column]->add("", 0, table_.repairs);
  }
}

void TableBuilder::add_bytes(size_t column, std::span<const uint8_t> bytes) {
  TypedColumn& to = *typed_[column];
  while (!bytes.empty()) {
    const size_t take = std::min(bytes.size(), to.elements_to_row_end());
    for (size_t i = 0; i < std::min(take, kPreviewElementBytes) && shown_row_ < preview_rows_; ++i) {
      show_number(column, bytes[i]);
    }
    to.add(bytes.subspan(0, take));
    bytes = bytes.subspan(take);
    if (to.is_between_rows()) end_row();
  }
}

void TableBuilder::end_row(uint64_t line) {
  if (line != 0) {
    LineJumps& jumps = options_.target.sink == nullptr ? table_.line_jumps : chunk_jumps_;
    if (keeps() && (line != next_line_ || jumps.empty())) jumps.emplace_back(row_, line);
    next_line_ = line + 1;
  }
  end_rows(1);
}

void TableBuilder::end_rows(uint64_t rows) {
  shown_row_ = row_ += rows;
  if (row_ - chunk_first_ >= chunk_rows_) give_chunk();
}

void TableBuilder::give_chunk() {
  if (options_.target.sink == nullptr || row_ == chunk_first_) return;
  Chunk chunk{chunk_first_, row_ - chunk_first_, {}, std::move(chunk_jumps_), part_first_};
  chunk_first_ = row_;
  chunk_jumps_ = {};
  for (size_t c = part_first_; c < width() && c - part_first_ < part_count_; ++c) {
    auto values = std::visit([](auto& builder) { return builder.take(); }, columns_[c].builder);
    if (values) chunk.columns.push_back(std::move(*values));
  }
  options_.target.sink->take(std::move(chunk));
}

void TableBuilder::end_part() {
  give_chunk();
  table_.rows = std::max(table_.rows, row_);
}

Table TableBuilder::finish() {
  end_part();
  if (table_.rows == 0) throw Error(format_ + ".no_rows", "the file holds no row of values");
  for (Entry& entry : columns_) {
    if (auto* typed = std::get_if<TypedColumn>(&entry.builder)) {
      table_.columns.push_back(typed->finish(table_.repairs));
    } else {
      table_.columns.push_back(std::get<ColumnBuilder>(entry.builder).finish(entry.name, table_.repairs));
    }
  }
  for (auto& row : table_.preview) row.resize(width());
  table_.name = options_.name;
  table_.format = format_;
  return std::move(table_);
}

}  // namespace sg
