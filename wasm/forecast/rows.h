#pragma once
// Rows of a file that does not lie in memory, asked for range by range: who holds the file (a worker with shards on
// disk, a test) reads what `need` says, writes the values into its buffer, and calls fed(). Nothing here waits or knows
// where the values come from.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sg {

struct RowRange {
  uint64_t first = 0, rows = 0;
};

/// Values of consecutive rows, column after column, NaN where missing.
struct RowChunk {
  size_t range = 0;  // which of those that were asked for
  uint64_t first = 0;
  size_t rows = 0;
  std::span<const float> values;

  std::span<const float> column(size_t k) const { return values.subspan(k * rows, rows); }
};

class RowFeed {
 public:
  /// 8 MiB: calls are few, and a progress bar moves.
  static constexpr size_t kMostFloats = size_t{2} << 20;

  struct Need {
    uint64_t first = 0;
    size_t rows = 0;
    std::span<const size_t> columns;
    float* values = nullptr;  // to be written: column k at values + k * rows
    uint64_t done = 0, total = 0;
  };

  /// `columns` are the table's. A request is of at most `most_floats`, and of one row at least.
  explicit RowFeed(std::vector<size_t> columns, size_t most_floats = kMostFloats);

  /// Replaces what is not read yet.
  void ask(std::vector<RowRange> ranges);
  /// None once all is read; changes nothing.
  std::optional<Need> need();
  /// What was needed lies in the buffer; the chunk is over it until the next fed(). Throws rows.not_asked.
  RowChunk fed();
  /// Of memory.
  uint64_t bytes() const { return buffer_.capacity() * sizeof(float); }

 private:
  size_t rows_of_request() const;

  std::vector<size_t> columns_;
  size_t most_rows_;
  std::vector<RowRange> ranges_;
  size_t range_ = 0;       // the one being read
  uint64_t in_range_ = 0;  // rows of it that are read
  uint64_t done_ = 0, total_ = 0;
  std::vector<float> buffer_;
};

}  // namespace sg
