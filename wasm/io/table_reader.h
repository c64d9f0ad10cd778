#pragma once
// What every reader of tables looks like from outside, and where it puts the values: io/formats.h opens one by a file's
// name and first bytes. A reader takes its file in pieces of any size, in order and once; where they are cut has no
// influence on the outcome. Its memory does not grow with the file unless the values are kept.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "io/table.h"

namespace sg {

class ChunkSink {
 public:
  virtual ~ChunkSink() = default;
  /// Chunks come in order of their rows; the last one before finish() returns may be short. A sink of parts that hold
  /// whole columns (NPY in Fortran order, safetensors) gets the same rows again with other columns.
  virtual void take(Chunk chunk) = 0;
};

/// Where values go: into the Table, to a sink, or nowhere; and how much comes, where that is known.
struct ReadTarget {
  bool keep = true;           // in the Table; ignored with a sink
  ChunkSink* sink = nullptr;  // outlives the reader
  size_t chunk_bytes = size_t{8} << 20;
  std::optional<uint64_t> file_bytes = std::nullopt;  // a file whose header says more or less is refused at once

  bool drops() const { return !keep && sink == nullptr; }
  /// Rows of a chunk when one row of all columns has `row_bytes`.
  uint64_t chunk_rows(uint64_t row_bytes) const {
    return std::clamp<uint64_t>(chunk_bytes / std::max<uint64_t>(row_bytes, 1), 1, uint64_t{1} << 20);
  }
};

class TableReader {
 public:
  virtual ~TableReader() = default;
  /// Throws sg::Error with line or byte; the reader cannot be used after that.
  virtual void feed(std::span<const uint8_t> bytes) = 0;
  /// Ends the input and hands the table over; the reader cannot be used again.
  virtual Table finish() = 0;
  /// Rows read so far.
  virtual uint64_t rows() const = 0;
};

}  // namespace sg
