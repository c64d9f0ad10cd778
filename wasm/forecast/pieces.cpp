#include "forecast/pieces.h"

#include <algorithm>

namespace sg {
namespace {

constexpr uint64_t kPiecesOfBlock = 16;  // enough for a block to be like the series
constexpr uint64_t kWorthAPiece = 4;     // rows of a piece to those that it shares with the next, at least
constexpr uint64_t kValidationPieces = 64;

uint64_t overlap_of(const WindowConfig& config) { return uint64_t{config.look_back} + config.horizon - 1; }

}  // namespace

Pieces::Pieces(const SplitBounds& bounds, const WindowConfig& config, uint64_t row_bytes, uint64_t block_bytes)
    : training_(bounds.training), overlap_(overlap_of(config)) {
  const uint64_t rows = std::max<uint64_t>(block_bytes / row_bytes, 1);
  const uint64_t least = (kWorthAPiece + 1) * overlap_ + 1;
  per_block_ = static_cast<size_t>(std::clamp<uint64_t>(rows / least, 1, kPiecesOfBlock));
  const uint64_t each = rows / per_block_;
  starts_ = std::clamp<uint64_t>(each > overlap_ ? each - overlap_ : 1, 1, training_);
  per_block_ = std::min(per_block_, count());
}

RowRange Pieces::rows(size_t piece) const {
  const uint64_t first = uint64_t{piece} * starts_;
  return {first, std::min(starts_, training_ - first) + overlap_};
}

std::vector<RowRange> validation_starts(const SplitBounds& bounds, const WindowConfig& config, uint64_t row_bytes,
                                        uint64_t bytes, uint64_t lead) {
  const uint64_t rows = std::max<uint64_t>(bytes / row_bytes, 1), around = lead + overlap_of(config);
  if (bounds.validation + around <= rows) return {{bounds.first_validation, bounds.validation}};
  const uint64_t pieces =
      std::min(std::clamp<uint64_t>(rows / ((kWorthAPiece + 1) * around + 1), 1, kValidationPieces), bounds.validation);
  const uint64_t each = rows / pieces;
  const uint64_t starts = std::min(each > around ? each - around : 1, bounds.validation / pieces);
  std::vector<RowRange> ranges;
  for (uint64_t p = 0; p < pieces; ++p) {
    const uint64_t last = bounds.validation - starts;  // the first and the last window are among them
    const uint64_t at = pieces > 1 ? static_cast<uint64_t>(static_cast<double>(last) * static_cast<double>(p) /
                                                           static_cast<double>(pieces - 1))
                                   : last / 2;
    ranges.push_back({bounds.first_validation + at, starts});
  }
  return ranges;
}

}  // namespace sg
