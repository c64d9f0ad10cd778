// From chosen columns whose values lie elsewhere to what a run trains on. A selection that fits into memory is read
// once, and then all is as with a table in memory. A larger one is passed through once to know its scaling and its
// windows, then the validation windows are read, and training takes its blocks as it goes.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "forecast/series_part.h"
#include "forecast/series_scan.h"
#include "train/learner.h"
#include "train/supply.h"

namespace sg::train {

/// Of memory, in bytes.
struct Bounds {
  uint64_t resident = 0;  // a selection up to this size lies there as a whole
  uint64_t block = 0;
  uint64_t validation = 0;
  uint64_t carried = uint64_t{256} << 20;  // of windows that wait for the next block
  size_t request_floats = RowFeed::kMostFloats;
};
/// What the configuration says of them.
Bounds bounds_of(const TrainConfig& config);

class Opening {
 public:
  /// `scaler`: a checkpoint's; none: it is fitted. `source`: of the file, as its manifest has it, or null. `bounds`:
  /// none: the configuration's.
  Opening(SeriesChoice choice, const TrainConfig& config, std::optional<Scaler> scaler, nlohmann::json source,
          const std::optional<Bounds>& bounds = {});

  /// Of a table, which must fit into memory as a whole; throws table.too_large where it does not.
  Opening(TableChoice choice, const TrainConfig& config, std::optional<TableEncoding> encoding, nlohmann::json source,
          const std::optional<Bounds>& bounds = {});

  /// None once it is ready.
  std::optional<RowFeed::Need> need();
  /// Throws what a table in memory would: forecast.gaps, forecast.empty_column.
  void fed();
  bool ready() const { return supply_ != nullptr; }

  /// Once, when it is ready.
  std::unique_ptr<Supply> take() { return std::move(supply_); }
  /// Rows of a season: the configuration's, else the one found; 0: none.
  size_t season() const { return season_; }
  std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

 private:
  enum class Phase { whole, table, scanning, validation, ready };
  void take_whole(const RowChunk& chunk);
  void take_table(const RowChunk& chunk);
  void finish_whole();
  void finish_table();
  void finish_scan();
  void take_validation(const RowChunk& chunk);
  void finish_validation();
  uint64_t row_bytes() const { return choice_.row_floats() * sizeof(float) + sizeof(uint32_t); }

  SeriesChoice choice_;
  TrainConfig config_;
  WindowConfig windows_;
  std::optional<Scaler> scaler_;
  nlohmann::json source_;
  Bounds bounds_;
  RowFeed feed_;
  Phase phase_ = Phase::whole;
  SeriesTable series_;  // phase whole
  TableChoice table_;   // phase table
  std::optional<TableEncoding> encoding_;
  std::optional<Pieces> pieces_;
  std::optional<SeriesScan> scan_;
  std::optional<SeriesPart> validation_;
  std::vector<RowRange> starts_, ranges_;  // of the validation's pieces
  size_t range_ = 0, range_at_ = 0;
  std::optional<WholeWindows> whole_;
  size_t season_ = 0;
  std::vector<Notice> notices_;
  std::unique_ptr<Supply> supply_;
};

WindowConfig window_config(const TrainConfig& config);

}  // namespace sg::train
