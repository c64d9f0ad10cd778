#pragma once
// The manifest of an imported data set: where it came from, what its columns are and which shard holds which rows of
// which of them. It is written last, so a folder with a manifest is a whole import. FORMATS.md has the JSON.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/sha256.h"
#include "io/shard.h"
#include "io/table.h"

namespace sg {

inline constexpr std::string_view kManifestFormat = "shadegrad-data/1";
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr size_t kMostLineJumps = 100'000;
inline constexpr size_t kMaxManifestBytes = size_t{64} << 20;

/// What tells a source from another, without reading it whole: hashes of its first and last 64 KiB beside its size.
class Fingerprint {
 public:
  static constexpr size_t kBytes = 64 * 1024;

  void feed(std::span<const uint8_t> bytes);
  Digest head() const;
  Digest tail() const;
  uint64_t size() const { return size_; }

 private:
  std::vector<uint8_t> head_, tail_;
  uint64_t size_ = 0;
};

struct SourcePart {
  std::string name;
  uint64_t size = 0;
  bool operator==(const SourcePart&) const = default;
};

struct Source {
  std::string name;
  std::string path;  // where the importer found it, if it knows; empty otherwise
  uint64_t size = 0;
  std::optional<int64_t> mtime;  // milliseconds since 1970
  Digest head{}, tail{};
  std::vector<SourcePart> parts;  // what was read from it: itself, or the files inside
};

struct ManifestColumn {
  size_t index = 0;
  std::string name;
  ColumnType type = ColumnType::text;
  std::optional<Dtype> dtype;  // F32, F64, I32 or U8; none for text, which is not kept
  std::vector<size_t> shape;   // elements: of one row
  std::vector<std::string> categories;
  bool day_first = false;  // datetime: which reading of a shard that has both stands

  /// Bytes of one row's values; 0 for text.
  uint64_t row_bytes() const;
};

/// Rows [first, first + rows) of columns [first_column, first_column + column_count).
struct ManifestShard {
  std::string file;
  uint64_t first = 0, rows = 0;
  size_t first_column = 0, column_count = 0;
  uint64_t bytes = 0;
  std::optional<Digest> sha256;  // of the whole file; none until whoever keeps it has taken it
};

struct Manifest {
  Source source;
  nlohmann::json options = nlohmann::json::object();
  uint64_t rows = 0;
  nlohmann::json description;  // as io/table_json describes the table, with all of its columns
  std::vector<ManifestColumn> columns;
  std::vector<ManifestShard> shards;
  LineJumps lines;  // empty: it isn't known on which lines of the source the rows stand
};

/// "000042.safetensors"
std::string shard_name(uint64_t number);

/// A shard without its hash is written without it, which is no manifest yet.
nlohmann::json to_json(const Manifest& manifest);

/// Everything is checked: unknown and missing fields, types, sizes, that columns are counted through, and that the
/// shards of every column cover all rows once. Throws manifest.invalid with the field's place.
Manifest manifest_from_json(const nlohmann::json& json);
/// The same from a file's text, which may nest at most 32 deep.
Manifest parse_manifest(std::string_view text);

/// The table without its values: names, types, categories and the statistics of the description.
Table table_of(const Manifest& manifest);

}  // namespace sg
