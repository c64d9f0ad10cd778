// Training windows of a series that is larger than memory, a block at a time. An epoch is a permutation of the pieces
// (forecast/pieces.h); so many of them in a row are a block, whose windows are shown in an order of their own. Windows
// that are too few for a last step of a block wait for the next one, their rows set aside beside its own: so an epoch
// has as many steps as one of a series in memory, and shows every window once. Which windows a step sees follows from
// (seed, epoch, step) alone, however it was reached. No call goes through a block: each does its request's rows, or its
// step's windows.
#pragma once
#include <memory>
#include <vector>

#include "forecast/pieces.h"
#include "forecast/series_part.h"
#include "forecast/whole_windows.h"
#include "train/permutation.h"
#include "train/supply.h"

namespace sg::train {

class Blocks final : public Supply {
 public:
  struct Parts {
    SeriesChoice choice;
    WindowConfig config;
    Pieces pieces;
    std::vector<uint32_t> whole;  // windows by piece
    uint64_t skipped = 0;
    SeriesPart validation;
    RowFeed feed;
    nlohmann::json fingerprint;
    uint64_t most_carried_bytes = uint64_t{256} << 20;  // of windows that wait
  };
  /// Throws config.too_large where the windows of a step have no room beside a block.
  Blocks(Parts parts, const TrainConfig& config);

  const ForecastData& training() const override { return part_; }
  const ForecastData& validation() const override { return parts_.validation; }
  uint64_t skipped() const override { return parts_.skipped; }
  nlohmann::json fingerprint() const override { return parts_.fingerprint; }
  bool has(int epoch, int step) const override;
  void enter(int epoch, int step) override;
  std::optional<RowFeed::Need> need() override;
  /// Throws dataset.changed where the rows have other gaps than when they were scanned.
  void fed() override;
  uint64_t version() const override { return version_; }
  std::span<const uint32_t> batch(int epoch, int step) override;
  int first_steps() const override;
  uint64_t bytes() const override;

  /// Rows and windows that were gone through so far: what the length of a call follows from.
  uint64_t handled() const { return handled_; }
  size_t blocks() const { return (order_.size() + parts_.pieces.per_block() - 1) / parts_.pieces.per_block(); }
  /// Windows of an epoch before each block, and all of them; of the epoch that was last entered.
  const std::vector<uint64_t>& windows_before() const { return before_; }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  size_t span() const { return parts_.config.look_back + parts_.config.horizon; }
  uint64_t end_of(int step) const;
  size_t block_of(uint64_t window) const;
  void order_pieces(int epoch);
  /// The first rows of windows from a place in the block's order on.
  void windows_at(size_t place, std::span<uint32_t> windows) const;
  void begin(size_t block);
  void finish();
  void carry_over();

  Parts parts_;
  uint64_t seed_;
  size_t carried_room_;  // windows that may wait at a block's end
  SeriesPart part_;
  uint64_t version_ = 0;

  int epoch_ = -1;
  std::vector<uint32_t> order_;   // pieces of the epoch
  std::vector<uint64_t> before_;  // by block

  size_t block_ = kNone;
  std::vector<uint32_t> carried_;  // windows that were left over before the block, which come first
  std::vector<uint32_t> list_;     // the block's own, as their rows came
  Permutation order_in_block_;
  uint64_t list_begin_ = 0;  // of the epoch's windows
  std::vector<uint32_t> batch_;
  uint64_t handled_ = 0;

  size_t target_ = 0;  // the block to be reached
  bool loading_ = false;
  size_t range_ = 0;     // whose rows come
  size_t range_at_ = 0;  // where they go
  std::vector<RowRange> ranges_;
  WholeWindows whole_;
};

}  // namespace sg::train
