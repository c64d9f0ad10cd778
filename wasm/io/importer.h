#pragma once
// Imports a data set once: the bytes of its files go through their readers, and typed shards and a manifest come out.
// Memory is bounded whatever the size: one shard under construction and the bytes that are being fed.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/manifest.h"
#include "io/table_reader.h"

namespace sg {

/// Who takes the shards' hashes. Those that `sink` takes of whole files are to be put into the manifest, which has none
/// then, and the shards have none inside: code for the machine itself hashes many times as fast as WebAssembly does.
enum class Hashing : uint8_t { importer, sink };

class ShardSink {
 public:
  virtual ~ShardSink() = default;
  /// Shards come in the order of their names.
  virtual void take(const std::string& file, std::vector<uint8_t> bytes) = 0;
};

/// A data set of one file or of several whose columns stand side by side: begin_part, feed, end_part for each, then
/// finish. An error ends the import; the sink's shards are worth nothing then.
class Importer {
 public:
  /// `options` are a reader's (io/formats.h), for each part. `source` is {name, size, mtime?, path?, head?, tail?,
  /// leftOut?}: the hashes are given where the bytes that are fed are not the source's own (a file inside a zip), and
  /// with `leftOut` the sentences that tell what of the source is no part (io/side_by_side.h).
  /// Throws import.bad_source. The sink must outlive the importer.
  Importer(nlohmann::json options, const nlohmann::json& source, ShardSink& sink,
           size_t shard_bytes = ReadTarget{}.chunk_bytes, Hashing hashing = Hashing::importer);
  ~Importer();

  /// `size` in bytes, where it is known beforehand.
  void begin_part(std::string_view name, std::optional<uint64_t> size = std::nullopt);
  /// Throws what the reader throws, and import.rows when the part has more rows than the first.
  void feed(std::span<const uint8_t> bytes);
  void end_part();
  Manifest finish();

  uint64_t bytes() const { return fingerprint_.size(); }
  /// Of the part that is being read, or of the whole.
  uint64_t rows() const;

 private:
  class Part;

  nlohmann::json options_;
  bool hashes_given_ = false;  // set by what makes the source
  std::vector<std::string> left_out_;
  Source source_;
  ShardSink& sink_;
  size_t shard_bytes_;
  Hashing hashing_;
  Fingerprint fingerprint_;
  std::unique_ptr<Part> part_;
  std::vector<Table> tables_;
  std::vector<ManifestShard> shards_;
  std::optional<LineJumps> lines_ = LineJumps();  // none: they are too many to be kept
  bool ended_ = false;                            // finished, or an error was thrown

  void begin_use();
  void keep_lines(const LineJumps& jumps);
  void check_rows(uint64_t rows, bool whole) const;
};

}  // namespace sg
