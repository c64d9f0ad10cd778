// The manifest as JSON and back. What is read back was a file that anybody may have written: nothing of it is used
// before it has been checked against the rest.

#include "io/manifest.h"

#include <algorithm>
#include <map>

#include "io/csv_types.h"
#include "io/fields.h"

namespace sg {
namespace {

using nlohmann::json;

constexpr const char* kCode = "manifest.invalid";
constexpr size_t kMostColumns = 100'000;
constexpr size_t kMostShards = 10'000'000;
constexpr size_t kDeepest = 32;

constexpr ColumnType kColumnTypes[] = {ColumnType::number, ColumnType::datetime, ColumnType::category, ColumnType::text,
                                       ColumnType::elements};
constexpr Dtype kColumnDtypes[] = {Dtype::F32, Dtype::F64, Dtype::I32, Dtype::U8};

json to_json(const Source& source) {
  json parts = json::array();
  for (const SourcePart& part : source.parts) parts.push_back({{"name", part.name}, {"size", part.size}});
  json out{{"name", source.name},         {"size", source.size},         {"mtime", nullptr},
           {"head", to_hex(source.head)}, {"tail", to_hex(source.tail)}, {"parts", std::move(parts)}};
  if (source.mtime) out["mtime"] = *source.mtime;
  if (!source.path.empty()) out["path"] = source.path;
  return out;
}

json to_json(const ManifestColumn& column) {
  json out{{"index", column.index},
           {"name", column.name},
           {"type", to_string(column.type)},
           {"dtype", column.dtype ? json(to_string(*column.dtype)) : json()},
           {"shape", column.shape}};
  if (column.type == ColumnType::category) out["categories"] = column.categories;
  if (column.type == ColumnType::datetime) out["dayFirst"] = column.day_first;
  return out;
}

json to_json(const ManifestShard& shard) {
  json out{{"file", shard.file},
           {"first", shard.first},
           {"rows", shard.rows},
           {"columns", {shard.first_column, shard.column_count}},
           {"bytes", shard.bytes}};
  if (shard.sha256) out["sha256"] = to_hex(*shard.sha256);
  return out;
}

Digest digest(JsonFields& f, const char* name) {
  const auto found = digest_from_hex(f.text(name));
  if (!found) f.refuse(name, "must be a SHA-256 of 64 lower-case hex digits");
  return *found;
}

Source source_from(const json& value) {
  JsonFields f(value, kCode, "source");
  Source source{f.text("name"),
                f.has("path") ? f.text("path") : "",
                f.whole("size"),
                {},
                digest(f, "head"),
                digest(f, "tail"),
                {}};
  const json& mtime = f.any("mtime");
  if (!mtime.is_null()) {
    if (!mtime.is_number_integer()) f.refuse("mtime", "must be a whole number or null");
    source.mtime = mtime.get<int64_t>();
  }
  for (const json& entry : f.array("parts")) {
    JsonFields p(entry, kCode, "source.parts[" + std::to_string(source.parts.size()) + "]");
    source.parts.push_back({p.text("name"), p.whole("size")});
    p.finish();
  }
  if (source.parts.empty()) f.refuse("parts", "must not be empty");
  f.finish();
  return source;
}

/// The types in which a column's values may lie.
bool may_be(ColumnType type, const std::optional<Dtype>& dtype) {
  switch (type) {
    case ColumnType::number:
      return dtype == Dtype::F32;
    case ColumnType::datetime:
      return dtype == Dtype::F64;
    case ColumnType::category:
      return dtype == Dtype::I32;
    case ColumnType::elements:
      return dtype == Dtype::F32 || dtype == Dtype::U8;
    case ColumnType::text:
      return !dtype;
  }
  return false;
}

ManifestColumn column_from(const json& value, size_t index) {
  JsonFields f(value, kCode, "columns[" + std::to_string(index) + "]");
  if (f.whole("index") != index) f.refuse("index", "must be " + std::to_string(index));
  ManifestColumn column{index, f.text("name"), ColumnType::text, {}, {}, {}, false};
  const std::string& type = f.text("type");
  const auto known = std::find_if(std::begin(kColumnTypes), std::end(kColumnTypes),
                                  [&](ColumnType t) { return type == to_string(t); });
  if (known == std::end(kColumnTypes)) f.refuse("type", "is no type of a column");
  column.type = *known;
  const json& dtype = f.any("dtype");
  for (const Dtype d : kColumnDtypes)
    if (dtype == json(to_string(d))) column.dtype = d;
  if ((!column.dtype && !dtype.is_null()) || !may_be(column.type, column.dtype))
    f.refuse("dtype", "is none that a column of type " + type + " may have");
  uint64_t elements = 1;
  for (const uint64_t n : f.wholes("shape", uint64_t{1} << 32)) {
    if (n == 0 || elements > (uint64_t{1} << 32) / n) f.refuse("shape", "must be of 1 to 2^32 elements");
    elements *= n;
    column.shape.push_back(static_cast<size_t>(n));
  }
  if (column.type != ColumnType::elements && !column.shape.empty()) f.refuse("shape", "must be empty");
  if (column.type == ColumnType::category) column.categories = f.texts("categories");
  if (column.type == ColumnType::datetime) column.day_first = f.flag("dayFirst");
  f.finish();
  return column;
}

ManifestShard shard_from(const json& value, size_t number) {
  JsonFields f(value, kCode, "shards[" + std::to_string(number) + "]");
  const std::vector<uint64_t> columns = f.wholes("columns", kMostColumns);
  if (columns.size() != 2) f.refuse("columns", "must be [first, count]");
  ManifestShard shard{f.text("file"),
                      f.whole("first"),
                      f.whole("rows"),
                      static_cast<size_t>(columns[0]),
                      static_cast<size_t>(columns[1]),
                      f.whole("bytes"),
                      digest(f, "sha256")};
  // A name is its number's and nothing else: no path can come of it.
  if (shard.file != shard_name(number)) f.refuse("file", "must be '" + shard_name(number) + "'");
  f.finish();
  return shard;
}

/// From row 0 on, none before the line of the row ahead of it: several rows may share a line, as those of a JSON array.
LineJumps lines_from(const json& value, uint64_t rows) {
  const auto refuse = [](size_t number, const std::string& what) {
    throw Error(kCode, "'lines[" + std::to_string(number) + "]' " + what);
  };
  if (value.empty() || value.size() > kMostLineJumps)
    throw Error(kCode, "'lines' must be 1 to " + std::to_string(kMostLineJumps));
  const auto is_whole = [](const json& v) { return v.is_number_unsigned() && v.get<uint64_t>() <= kLargestExact; };
  LineJumps lines;
  for (const json& pair : value) {
    const size_t number = lines.size();
    if (!pair.is_array() || pair.size() != 2 || !is_whole(pair[0]) || !is_whole(pair[1]))
      refuse(number, "must be [row, line]");
    const auto row = pair[0].get<uint64_t>(), line = pair[1].get<uint64_t>();
    const bool first = lines.empty();
    if (row >= rows || line == 0 || (first ? row != 0 : row <= lines.back().first))
      refuse(number, first ? "must be of row 0" : "must be of a later row that there is");
    if (!first && line < lines.back().second + (row - lines.back().first) - 1) refuse(number, "goes back in the file");
    lines.emplace_back(row, line);
  }
  return lines;
}

/// The shards of one group of columns follow one another from row 0 to the last; the groups stand side by side.
void check_cover(const Manifest& m) {
  struct Group {
    size_t count = 0;
    uint64_t rows = 0;
  };
  std::map<size_t, Group> groups;  // by first column
  const auto refuse = [](size_t number, const std::string& what) {
    throw Error(kCode, "'shards[" + std::to_string(number) + "]' " + what);
  };
  for (size_t i = 0; i < m.shards.size(); ++i) {
    const ManifestShard& s = m.shards[i];
    if (s.column_count == 0 || s.first_column + s.column_count > m.columns.size()) {
      refuse(i, "names columns that there are not");
    }
    const auto [at, fresh] = groups.try_emplace(s.first_column, Group{s.column_count, 0});
    Group& group = at->second;
    if (!fresh && group.count != s.column_count) refuse(i, "overlaps another shard's columns");
    if (s.first != group.rows || s.rows == 0 || s.rows > m.rows - group.rows) {
      refuse(i, "has rows from " + std::to_string(s.first) + " on, and row " + std::to_string(group.rows) +
                    " of these columns comes next of " + std::to_string(m.rows));
    }
    group.rows += s.rows;
  }
  size_t column = 0;
  for (const auto& [first, group] : groups) {
    if (first != column)
      throw Error(kCode,
                  "column " + std::to_string(column) + (first < column ? " lies in two shards" : " lies in no shard"));
    if (group.rows != m.rows)
      throw Error(kCode, "the shards of column " + std::to_string(column) + " end at row " +
                             std::to_string(group.rows) + " of " + std::to_string(m.rows));
    column += group.count;
  }
  if (column != m.columns.size()) throw Error(kCode, "column " + std::to_string(column) + " lies in no shard");
}

/// A shard is never larger than its rows with everything that may stand beside them.
void check_sizes(const Manifest& m) {
  constexpr uint64_t header = 8 + (8 << 20), line = 16;  // the most of each
  std::vector<uint64_t> before{0};                       // bytes of a row in the columns before each
  for (const ManifestColumn& c : m.columns) before.push_back(before.back() + 2 * c.row_bytes() + 1);
  for (size_t i = 0; i < m.shards.size(); ++i) {
    const ManifestShard& s = m.shards[i];
    const uint64_t row = line + before[s.first_column + s.column_count] - before[s.first_column];
    const uint64_t most = s.rows > kLargestExact / row ? kLargestExact : header + s.rows * row;
    if (s.bytes < 10 || s.bytes > most)
      throw Error(kCode, "'shards[" + std::to_string(i) + "].bytes' is " + std::to_string(s.bytes) + ", which " +
                             std::to_string(s.rows) + " rows of these columns cannot have");
  }
}

template <class T>
void take(const json& from, const char* key, std::optional<T>& to) {
  if (const auto found = from.find(key); found != from.end() && found->is_number()) to = found->get<T>();
}

void add_statistics(const json& from, Column& to) {
  to.stats.count = from["count"].get<uint64_t>();
  to.stats.missing = from["missing"].get<uint64_t>();
  to.ambiguous = from.contains("ambiguous");
  take(from, "min", to.stats.min);
  take(from, "max", to.stats.max);
  take(from, "mean", to.stats.mean);
  take(from, "std", to.stats.std);
  take(from, "distinct", to.stats.distinct);
  take(from, "first", to.stats.first);
  take(from, "last", to.stats.last);
  take(from, "stepSeconds", to.stats.step_seconds);
  take(from, "gaps", to.stats.gaps);
  take(from, "outOfOrder", to.stats.out_of_order);
}

/// The description says of the same columns what the manifest does, and has what table_of() reads.
void check_description(const Manifest& m) {
  JsonFields f(m.description, kCode, "description");
  f.text("format");
  const json& columns = f.array("columns");
  if (f.whole("rows") != m.rows || columns.size() != m.columns.size())
    throw Error(kCode, "'description' is of another table: its rows or columns are not the manifest's");
  for (size_t i = 0; i < columns.size(); ++i) {
    JsonFields c(columns[i], kCode, "description.columns[" + std::to_string(i) + "]");
    if (c.text("name") != m.columns[i].name || c.text("type") != to_string(m.columns[i].type))
      c.refuse("name", "and type must be those of 'columns[" + std::to_string(i) + "]'");
    if (c.whole("count") > m.rows || c.whole("missing") > m.rows) c.refuse("count", "must be at most the rows");
  }
}

/// Copying a tree is recursive, so its depth is checked before.
void check_depth(const json& value, size_t depth) {
  if (depth > kDeepest) throw Error(kCode, "it nests more than " + std::to_string(kDeepest) + " deep");
  if (value.is_structured())
    for (const json& inner : value) check_depth(inner, depth + 1);
}

}  // namespace

void Fingerprint::feed(std::span<const uint8_t> bytes) {
  size_ += bytes.size();
  const size_t head = std::min(bytes.size(), kBytes - head_.size());
  head_.insert(head_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(head));
  const auto last = bytes.last(std::min(bytes.size(), kBytes));
  const size_t keep = std::min(tail_.size(), kBytes - last.size());
  tail_.erase(tail_.begin(), tail_.end() - static_cast<ptrdiff_t>(keep));
  tail_.insert(tail_.end(), last.begin(), last.end());
}

Digest Fingerprint::head() const { return sha256(head_); }
Digest Fingerprint::tail() const { return sha256(tail_); }

uint64_t ManifestColumn::row_bytes() const {
  if (!dtype) return 0;
  uint64_t elements = 1;
  for (const size_t n : shape) elements *= n;
  return elements * byte_size(*dtype);
}

std::string shard_name(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits + ".safetensors";
}

json to_json(const Manifest& manifest) {
  json columns = json::array(), shards = json::array();
  for (const ManifestColumn& column : manifest.columns) columns.push_back(to_json(column));
  for (const ManifestShard& shard : manifest.shards) shards.push_back(to_json(shard));
  json out{{"format", kManifestFormat},  {"source", to_json(manifest.source)},  {"options", manifest.options},
           {"rows", manifest.rows},      {"description", manifest.description}, {"columns", std::move(columns)},
           {"shards", std::move(shards)}};
  if (!manifest.lines.empty()) out["lines"] = manifest.lines;
  return out;
}

Manifest manifest_from_json(const json& value) {
  check_depth(value, 1);
  JsonFields f(value, kCode, "");
  if (f.text("format") != kManifestFormat)
    f.refuse("format", "is '" + shorten(f.text("format"), 40) + "', and this version reads '" +
                           std::string(kManifestFormat) + "'");
  Manifest m{
      source_from(f.object("source")), f.object("options"), f.whole("rows"), f.object("description"), {}, {}, {}};
  const json& columns = f.array("columns");
  if (columns.empty() || columns.size() > kMostColumns) f.refuse("columns", "must be 1 to 100,000");
  for (const json& column : columns) m.columns.push_back(column_from(column, m.columns.size()));
  const json& shards = f.array("shards");
  if (m.rows == 0) f.refuse("rows", "must not be 0");
  if (shards.size() > kMostShards) f.refuse("shards", "are too many");
  for (const json& shard : shards) m.shards.push_back(shard_from(shard, m.shards.size()));
  if (f.has("lines")) m.lines = lines_from(f.array("lines"), m.rows);
  f.finish();
  check_cover(m);
  check_sizes(m);
  check_description(m);
  return m;
}

Table table_of(const Manifest& manifest) {
  Table table;
  table.name = manifest.source.name;
  table.rows = manifest.rows;
  table.line_jumps = manifest.lines;
  const json& described = manifest.description;
  const json columns = described.value("columns", json::array());
  table.format = described.value("format", "");
  for (const ManifestColumn& from : manifest.columns) {
    Column column;
    column.index = from.index;
    column.name = from.name;
    column.type = from.type;
    column.shape = from.shape;
    column.byte_elements = from.dtype == Dtype::U8;
    column.categories = from.categories;
    column.day_first = from.day_first;
    add_statistics(columns[from.index], column);
    table.columns.push_back(std::move(column));
  }
  return table;
}

Manifest parse_manifest(std::string_view text) {
  if (text.size() > kMaxManifestBytes) throw Error(kCode, "it is larger than 64 MiB");
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > static_cast<int>(kDeepest)) throw Error(kCode, "it nests more than 32 deep");
    return true;
  };
  const json value = json::parse(text, shallow, false);
  if (value.is_discarded()) throw Error(kCode, "it is not JSON");
  return manifest_from_json(value);
}

}  // namespace sg
