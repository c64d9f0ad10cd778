#pragma once
// How a series that is too large for memory is cut for training. A piece is a range of training windows' first rows;
// its rows overlap the next piece's by a window less one. Pieces from all over the series, as many as fit, make a
// block: the part that lies in memory while its windows are trained on. Ranges and one count a piece are all that is
// kept of the windows.

#include <vector>

#include "forecast/rows.h"
#include "forecast/windows.h"

namespace sg {

class Pieces {
 public:
  /// `row_bytes`: what a row takes in memory, its window's place in the shuffled order included.
  Pieces(const SplitBounds& bounds, const WindowConfig& config, uint64_t row_bytes, uint64_t block_bytes);

  size_t count() const { return static_cast<size_t>((training_ + starts_ - 1) / starts_); }
  size_t per_block() const { return per_block_; }
  /// Window starts of a piece; the last piece may have fewer.
  uint64_t starts() const { return starts_; }
  /// Rows that a block takes at most.
  size_t room() const { return per_block_ * static_cast<size_t>(starts_ + overlap_); }
  RowRange rows(size_t piece) const;

 private:
  uint64_t training_, overlap_, starts_ = 1;
  size_t per_block_ = 1;
};

/// Window starts of the validation part: all of them where they fit into `bytes`, else of evenly spaced pieces. Before
/// the first window of each, `lead` rows more are held.
std::vector<RowRange> validation_starts(const SplitBounds& bounds, const WindowConfig& config, uint64_t row_bytes,
                                        uint64_t bytes, uint64_t lead);

}  // namespace sg
