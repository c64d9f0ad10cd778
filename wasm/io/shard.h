#pragma once
// A shard: consecutive rows of some columns of an imported data set, as a safetensors file that is read by offset, so
// that later epochs and transfers touch only the columns and rows they want. FORMATS.md has the names and types of its
// tensors; which reading of a date holds and how a row of elements is shaped stands in the manifest (io/manifest.h).

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/safetensors.h"
#include "io/table.h"

namespace sg {

/// With a SHA-256 of each tensor, so that a column can be checked without the rest.
inline constexpr std::string_view kShardFormat = "shadegrad-shard/1";
/// Without: it is checked as a whole, by the manifest's SHA-256.
inline constexpr std::string_view kPlainShardFormat = "shadegrad-shard/2";

/// The file of a chunk; its column i is called c<first_column + i>. Throws shard.bad_chunk when a column does not hold
/// exactly the chunk's rows.
std::vector<uint8_t> write_shard(const Chunk& chunk, size_t first_column = 0, Hashes hashes = Hashes::each_tensor);

/// Bytes [begin, end) of a file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

/// What a shard holds and where, from its header alone.
class ShardIndex {
 public:
  /// `prefix` holds the header whole (safetensors_header_size tells how long that is). Throws checkpoint.corrupt where
  /// the layout is broken, and shard.invalid where it is sound and is no shard.
  ShardIndex(std::span<const uint8_t> prefix, uint64_t total_size);

  uint64_t first_row() const { return first_row_; }
  uint64_t rows() const { return rows_; }
  /// Whether every tensor has its hash; otherwise only the whole file can be checked.
  bool hashed() const { return hashed_; }
  const SafetensorsHeader& header() const { return header_; }

  /// Where the values of rows [first, first + count), counted in this shard, lie; none where all of them are missing.
  /// Of a date in both readings `day_first` chooses. Throws shard.bad_range past the shard's rows.
  std::optional<ByteRange> values(size_t column, bool day_first, uint64_t first, uint64_t count) const;
  /// The type and bytes a row of a column that has values.
  std::optional<Dtype> dtype(size_t column) const;
  std::optional<uint64_t> row_bytes(size_t column) const;
  /// The bitmap of missing rows, least bit first; none where no row of a column with values is missing.
  std::optional<ByteRange> missing(size_t column) const;
  /// (row, line) pairs of int64, in rows of the whole data set.
  std::optional<ByteRange> lines() const;

 private:
  SafetensorsHeader header_;
  uint64_t first_row_ = 0;
  uint64_t rows_ = 0;
  bool hashed_ = true;
};

}  // namespace sg
