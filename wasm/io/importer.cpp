#include "io/importer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "io/csv_types.h"
#include "io/fields.h"
#include "io/formats.h"
#include "io/side_by_side.h"
#include "io/table_json.h"

namespace sg {
namespace {

using nlohmann::json;

Source source_of(const json& given, bool& hashes, std::vector<std::string>& left_out) {
  JsonFields f(given, "import.bad_source", "");
  Source source;
  source.name = f.text("name");
  source.size = f.whole("size");
  if (f.has("path")) source.path = f.text("path");
  if (f.has("mtime")) {
    const json& mtime = f.any("mtime");
    if (!mtime.is_null() && !mtime.is_number_integer()) f.refuse("mtime", "must be a whole number or null");
    if (!mtime.is_null()) source.mtime = mtime.get<int64_t>();
  }
  if (f.has("leftOut")) left_out = f.texts("leftOut");
  hashes = f.has("head") || f.has("tail");
  for (const auto& [name, to] : {std::pair{"head", &source.head}, {"tail", &source.tail}}) {
    if (!hashes) continue;
    const auto digest = digest_from_hex(f.text(name));
    if (!digest) f.refuse(name, "must be a SHA-256 of 64 lower-case hex digits");
    *to = *digest;
  }
  f.finish();
  return source;
}

std::optional<Dtype> dtype_of(const Column& column) {
  switch (column.type) {
    case ColumnType::number:
      return Dtype::F32;
    case ColumnType::datetime:
      return Dtype::F64;
    case ColumnType::category:
      return Dtype::I32;
    case ColumnType::elements:
      return column.byte_elements ? Dtype::U8 : Dtype::F32;
    case ColumnType::text:
      return std::nullopt;
  }
  return std::nullopt;
}

/// What its own reader refuses would be a data set that nobody can use. Hashes may come later, from the sink.
void check_readable(Manifest manifest) {
  for (ManifestShard& shard : manifest.shards)
    if (!shard.sha256) shard.sha256 = Digest{};
  (void)manifest_from_json(to_json(manifest));
}

std::string last_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// "x_train" of "arrays/x_train.csv".
std::string stem(const std::string& name) {
  const std::string last = last_of(name);
  const size_t dot = last.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? last : last.substr(0, dot);
}

/// Of arrays side by side: "y" of a list, "X_0", "X_1", ... of a matrix.
void name_by_array(Table& table, const std::string& part) {
  const std::string name(array_name(last_of(part)));
  for (Column& column : table.columns) {
    if (column.name == "value" && table.columns.size() == 1) column.name = name;
    if (column.name == "column_" + std::to_string(column.index + 1))
      column.name = name + "_" + std::to_string(column.index);
  }
}

/// Names that several parts use get their part's before them, so that every column can be named.
void tell_apart(std::vector<Table>& tables, const std::vector<SourcePart>& parts) {
  std::map<std::string, size_t> uses;
  for (const Table& table : tables)
    for (const Column& column : table.columns) ++uses[column.name];
  std::set<std::string> taken;
  for (const auto& [name, count] : uses)
    if (count == 1) taken.insert(name);
  for (size_t t = 0; t < tables.size(); ++t) {
    for (Column& column : tables[t].columns) {
      if (uses[column.name] == 1) continue;
      const std::string name = stem(parts[t].name) + "." + column.name;
      column.name = name;
      for (size_t n = 2; !taken.insert(column.name).second; ++n) column.name = name + "_" + std::to_string(n);
    }
  }
}

/// `part` is told before each; empty where there is one part alone.
void join_repairs(Repairs& to, const Repairs& from, const std::string& part) {
  to.total += from.total;
  for (const auto& [kind, count] : from.by_kind) to.by_kind[kind] += count;
  for (Repair repair : from.first) {
    if (to.first.size() == Repairs::kept) return;
    if (!part.empty()) repair.text = part + ": " + repair.text;
    to.first.push_back(std::move(repair));
  }
}

/// The parts' tables as one: columns, first rows and repairs side by side.
Table join(std::vector<Table> tables, const std::vector<SourcePart>& parts) {
  if (tables.size() == 1) return std::move(tables.front());
  for (size_t t = 0; t < tables.size(); ++t)
    if (tables[t].format == "npy") name_by_array(tables[t], parts[t].name);
  tell_apart(tables, parts);
  Table all;
  all.rows = tables.front().rows;
  size_t preview_rows = std::numeric_limits<size_t>::max();
  for (const Table& table : tables) preview_rows = std::min(preview_rows, table.preview.size());
  all.preview.resize(preview_rows);
  for (size_t t = 0; t < tables.size(); ++t) {
    Table& table = tables[t];
    if (all.format.empty()) all.format = table.format;
    join_repairs(all.repairs, table.repairs, parts[t].name);
    for (size_t row = 0; row < preview_rows; ++row)
      for (std::string& cell : table.preview[row]) all.preview[row].push_back(std::move(cell));
    for (Column& column : table.columns) {
      column.index = all.columns.size();
      all.columns.push_back(std::move(column));
    }
  }
  return all;
}

}  // namespace

/// One file on its way through its reader: each chunk becomes a shard at once.
class Importer::Part : public ChunkSink {
 public:
  Part(Importer& importer, std::string_view name, std::optional<uint64_t> size, size_t first_column)
      : importer_(importer),
        name_(name),
        first_column_(first_column),
        reader_(
            open_detecting(importer.options_, name,
                           {.keep = false, .sink = this, .chunk_bytes = importer.shard_bytes_, .file_bytes = size})) {}

  void feed(std::span<const uint8_t> bytes) {
    size_ += bytes.size();
    reader_->feed(bytes);
  }

  void take(Chunk chunk) override {
    if (groups_.empty() || chunk.first_row != groups_.back().rows) {
      if (chunk.first_row != 0) throw Error("import.columns", "'" + name_ + "': rows came out of their order");
      groups_.push_back({importer_.shards_.size(), 0, chunk.first_column});
    }
    Group& group = groups_.back();
    group.rows += chunk.rows;
    importer_.check_rows(group.rows, false);
    ManifestShard shard;
    shard.file = shard_name(importer_.shards_.size());
    shard.first = chunk.first_row;
    shard.rows = chunk.rows;
    importer_.keep_lines(chunk.line_jumps);
    const bool hashed = importer_.hashing_ == Hashing::importer;
    std::vector<uint8_t> bytes = write_shard(chunk, first_column_, hashed ? Hashes::each_tensor : Hashes::none);
    chunk = {};
    shard.bytes = bytes.size();
    if (hashed) shard.sha256 = sha256(bytes);
    importer_.sink_.take(shard.file, std::move(bytes));
    importer_.shards_.push_back(std::move(shard));
  }

  Table finish() {
    Table table = reader_->finish();
    assign_columns(table);
    return table;
  }

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }
  uint64_t rows() const { return reader_->rows(); }

 private:
  /// Chunks with the rows of some of the columns, as they lie in files that hold whole columns.
  struct Group {
    size_t first_shard = 0;
    uint64_t rows = 0;
    size_t first_column = 0;
  };

  /// How many columns a shard covers is known at the end alone: some come late, and one without values is in no chunk.
  void assign_columns(const Table& table) {
    std::vector<size_t> order(groups_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto first_of = [&](size_t i) { return groups_[i].first_column; };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return first_of(a) < first_of(b); });
    for (size_t k = 0; k < order.size(); ++k) {
      const Group& group = groups_[order[k]];
      const size_t begin = first_of(order[k]);
      const size_t end = k + 1 < order.size() ? first_of(order[k + 1]) : table.columns.size();
      if ((k == 0 && begin != 0) || begin >= end || group.rows != table.rows)
        throw Error("import.columns", "'" + name_ + "': not every row of every column came, or one came twice");
      const size_t last = order[k] + 1 < groups_.size() ? groups_[order[k] + 1].first_shard : importer_.shards_.size();
      for (size_t s = group.first_shard; s < last; ++s) {
        importer_.shards_[s].first_column = first_column_ + begin;
        importer_.shards_[s].column_count = end - begin;
      }
    }
  }

  Importer& importer_;
  std::string name_;
  size_t first_column_;
  uint64_t size_ = 0;
  std::vector<Group> groups_;
  std::unique_ptr<TableReader> reader_;  // gives to this: last made, first gone
};

Importer::Importer(json options, const json& source, ShardSink& sink, size_t shard_bytes, Hashing hashing)
    : options_(std::move(options)),
      source_(source_of(source, hashes_given_, left_out_)),
      sink_(sink),
      shard_bytes_(shard_bytes),
      hashing_(hashing) {
  if (options_.is_null()) options_ = json::object();
}

Importer::~Importer() = default;

/// An importer that has thrown or ended is not used again: half a data set must not pass for a whole one.
void Importer::begin_use() {
  if (ended_) throw Error("import.finished", "the import has ended, by an error or by handing its manifest over");
  ended_ = true;
}

void Importer::keep_lines(const LineJumps& jumps) {
  if (!lines_) return;
  add_lines(*lines_, jumps);
  if (lines_->size() > kMostLineJumps) lines_.reset();
}

/// The parts' rows belong together one by one.
void Importer::check_rows(uint64_t rows, bool whole) const {
  if (tables_.empty()) return;
  const uint64_t first = tables_.front().rows;
  if (rows == first || (rows < first && !whole)) return;
  throw Error("import.rows", "'" + source_.parts.front().name + "' has " + std::to_string(first) + " rows and '" +
                                 part_->name() + "' has " + (whole ? "" : "more, ") + std::to_string(rows) +
                                 (whole ? "" : " so far") +
                                 ": parts that stand side by side need equally many; import them one by one");
}

void Importer::begin_part(std::string_view name, std::optional<uint64_t> size) {
  begin_use();
  if (part_)
    throw Error("import.order", "'" + part_->name() + "' has not ended, and '" + std::string(name) + "' begins");
  size_t columns = 0;
  for (const Table& table : tables_) columns += table.columns.size();
  part_ = std::make_unique<Part>(*this, name, size, columns);
  ended_ = false;
}

void Importer::feed(std::span<const uint8_t> bytes) {
  begin_use();
  if (!part_) throw Error("import.order", "bytes came before a part was begun");
  if (bytes.empty()) {
    ended_ = false;
    return;
  }
  fingerprint_.feed(bytes);
  part_->feed(bytes);
  ended_ = false;
}

void Importer::end_part() {
  begin_use();
  if (!part_) throw Error("import.order", "a part ends that was not begun");
  Table table = part_->finish();
  check_rows(table.rows, true);
  source_.parts.push_back({part_->name(), part_->size()});
  tables_.push_back(std::move(table));
  part_.reset();
  ended_ = false;
}

uint64_t Importer::rows() const { return part_ ? part_->rows() : tables_.empty() ? 0 : tables_.front().rows; }

Manifest Importer::finish() {
  begin_use();
  if (part_ || tables_.empty()) throw Error("import.order", "the import ends inside a part, or before the first");
  Manifest manifest;
  manifest.source = std::move(source_);
  if (!hashes_given_) {
    manifest.source.head = fingerprint_.head();
    manifest.source.tail = fingerprint_.tail();
  }
  manifest.options = std::move(options_);
  if (lines_ && manifest.source.parts.size() == 1) manifest.lines = std::move(*lines_);
  Table table = join(std::move(tables_), manifest.source.parts);
  if (table.name.empty() || manifest.source.parts.size() > 1) table.name = manifest.source.name;
  Repairs told;
  for (const std::string& text : left_out_) told.add(0, 0, "left_out", text);
  join_repairs(told, table.repairs, "");
  table.repairs = std::move(told);
  manifest.rows = table.rows;
  DescribeLimits all;
  all.columns = table.columns.size();
  manifest.description = describe(table, all);
  for (Column& column : table.columns) {
    manifest.columns.push_back({column.index, std::move(column.name), column.type, dtype_of(column),
                                std::move(column.shape), std::move(column.categories), column.day_first});
  }
  manifest.shards = std::move(shards_);
  check_readable(manifest);
  return manifest;
}

}  // namespace sg
