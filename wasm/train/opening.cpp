#include "train/opening.h"

#include <algorithm>

#include "forecast/baselines.h"
#include "train/blocks.h"
#include "train/task.h"

namespace sg::train {

WindowConfig window_config(const TrainConfig& config) {
  return {static_cast<size_t>(config.look_back), static_cast<size_t>(config.horizon), config.validation_fraction};
}

Bounds bounds_of(const TrainConfig& config) {
  constexpr double kMiB = 1 << 20;
  constexpr uint64_t kRequests = 64;        // of a block: no call that takes rows is long
  constexpr uint64_t kLeastRequest = 4096;  // floats
  const auto block = static_cast<uint64_t>(config.block * kMiB);
  return {.resident = static_cast<uint64_t>(config.memory * kMiB),
          .block = block,
          .validation = block / 2,
          .carried = 4 * block,
          .request_floats = static_cast<size_t>(
              std::clamp<uint64_t>(block / sizeof(float) / kRequests, kLeastRequest, RowFeed::kMostFloats))};
}

Opening::Opening(SeriesChoice choice, const TrainConfig& config, std::optional<Scaler> scaler, nlohmann::json source,
                 const std::optional<Bounds>& bounds)
    : choice_(std::move(choice)),
      config_(config),
      windows_(window_config(config)),
      scaler_(std::move(scaler)),
      source_(std::move(source)),
      bounds_(bounds ? *bounds : bounds_of(config)),
      feed_(choice_.columns, bounds_.request_floats),
      season_(static_cast<size_t>(config.season)) {
  const SplitBounds split = split_bounds(choice_.rows, windows_);  // refused before anything is read
  if (scaler_) scaler_->check_columns(choice_.features, choice_.targets);
  feed_.ask({{0, choice_.rows}});
  // Rows are counted in 64 bits, and their numbers of a table in memory have 32.
  const uint64_t floats = choice_.rows * choice_.columns.size();
  if (choice_.rows < uint64_t{1} << 32 && floats <= bounds_.resident / sizeof(float)) {
    const auto add = [&](const std::vector<std::string>& names, std::vector<SeriesColumn>& columns) {
      for (const std::string& name : names) {
        columns.push_back({name, {}});
        columns.back().values.reserve(static_cast<size_t>(choice_.rows));
      }
    };
    series_.rows = static_cast<size_t>(choice_.rows);
    series_.has_lines = !choice_.line_jumps.empty();
    series_.line_jumps = choice_.line_jumps;
    add(choice_.features, series_.features);
    add(choice_.targets, series_.targets);
    return;
  }
  phase_ = Phase::scanning;
  pieces_.emplace(split, windows_, row_bytes(), bounds_.block);
  scan_.emplace(choice_, windows_, *pieces_);
}

Opening::Opening(TableChoice choice, const TrainConfig& config, std::optional<TableEncoding> encoding,
                 nlohmann::json source, const std::optional<Bounds>& bounds)
    : config_(config),
      source_(std::move(source)),
      bounds_(bounds ? *bounds : bounds_of(config)),
      feed_(choice.columns, bounds_.request_floats),
      phase_(Phase::table),
      table_(std::move(choice)),
      encoding_(std::move(encoding)) {
  // What was read stands beside what is made of it for a moment.
  const uint64_t bytes = table_.rows * (2 * table_.columns.size()) * sizeof(float);
  if (table_.rows >= uint64_t{1} << 32 || bytes > bounds_.resident)
    throw Error("table.too_large", std::to_string(table_.rows) + " rows of " + std::to_string(table_.columns.size()) +
                                       " columns take " + std::to_string(bytes >> 20) + " MiB, and a table may take " +
                                       std::to_string(bounds_.resident >> 20) +
                                       ": learn from fewer columns, or from a part of the rows");
  feed_.ask({{0, table_.rows}});
  for (TableColumn& column : table_.features) column.cells.reserve(static_cast<size_t>(table_.rows));
  table_.target.cells.reserve(static_cast<size_t>(table_.rows));
}

std::optional<RowFeed::Need> Opening::need() {
  if (phase_ == Phase::ready) return std::nullopt;
  return feed_.need();
}

void Opening::fed() {
  const RowChunk chunk = feed_.fed();
  if (phase_ == Phase::whole) take_whole(chunk);
  if (phase_ == Phase::table) take_table(chunk);
  if (phase_ == Phase::scanning) scan_->add(chunk);
  if (phase_ == Phase::validation) take_validation(chunk);
  if (feed_.need()) return;
  if (phase_ == Phase::whole) return finish_whole();
  if (phase_ == Phase::table) return finish_table();
  if (phase_ == Phase::scanning) return finish_scan();
  finish_validation();
}

void Opening::take_whole(const RowChunk& chunk) {
  const auto add = [&](const std::vector<size_t>& at, std::vector<SeriesColumn>& columns) {
    for (size_t c = 0; c < at.size(); ++c) {
      const std::span<const float> values = chunk.column(at[c]);
      columns[c].values.insert(columns[c].values.end(), values.begin(), values.end());
    }
  };
  add(choice_.feature_at, series_.features);
  add(choice_.target_at, series_.targets);
}

void Opening::take_table(const RowChunk& chunk) {
  for (size_t c = 0; c < table_.columns.size(); ++c) {
    std::vector<float>& cells = (c < table_.features.size() ? table_.features[c] : table_.target).cells;
    const std::span<const float> values = chunk.column(c);
    cells.insert(cells.end(), values.begin(), values.end());
  }
}

void Opening::finish_table() {
  const TableConfig config = table_config(config_);
  auto data = encoding_ ? std::make_unique<const TableData>(table_, config, std::move(*encoding_))
                        : std::make_unique<const TableData>(table_, config);
  table_ = {};
  supply_ = std::make_unique<Resident>(std::move(data), config_, std::move(source_));
  phase_ = Phase::ready;
}

void Opening::finish_whole() {
  ForecastData data = scaler_ ? ForecastData(series_, windows_, *scaler_) : ForecastData(series_, windows_);
  series_ = {};
  if (season_ == 0)
    if (const auto found = propose_season(data)) season_ = found->period;
  supply_ = std::make_unique<Resident>(std::move(data), config_, std::move(source_));
  phase_ = Phase::ready;
}

/// Knows the scaling and the season, and asks for the validation windows.
void Opening::finish_scan() {
  scan_->check();
  if (!scaler_) scaler_ = scan_->scaler();
  if (season_ == 0) {
    std::vector<float> values = scan_->last_values();
    for (float& v : values) v = scaler_->targets[0].scale(v);
    if (const auto found = propose_season(values, scan_->bounds().split_row)) season_ = found->period;
  }
  // Rows before a window that the seasonal forecast may look back at: a season, and another where a value is missing.
  uint64_t lead = 2 * uint64_t{season_};
  lead -= std::min<uint64_t>(lead, windows_.look_back);
  if (lead > bounds_.validation / row_bytes() / 4) {
    notices_.push_back({"season.too_long", "A season of " + std::to_string(season_) +
                                               " rows is too long for data that is larger than memory: the forecast "
                                               "from one season ago is left out."});
    season_ = lead = 0;
  }
  starts_ = validation_starts(scan_->bounds(), windows_, row_bytes(), bounds_.validation, lead);
  size_t room = 0;
  for (const RowRange& starts : starts_) {
    const uint64_t before = std::min(lead, starts.first);
    ranges_.push_back(
        {starts.first - before, before + starts.rows + uint64_t{windows_.look_back} + windows_.horizon - 1});
    room += static_cast<size_t>(ranges_.back().rows);
  }
  validation_.emplace(room, windows_, scan_->bounds().split_row, *scaler_, choice_.line_jumps);
  whole_.emplace(windows_.look_back, windows_.horizon);
  feed_.ask(ranges_);
  phase_ = Phase::validation;
}

void Opening::take_validation(const RowChunk& chunk) {
  if (chunk.range != range_) {
    range_at_ += static_cast<size_t>(ranges_[range_].rows);
    range_ = chunk.range;
    whole_->restart();
  }
  const size_t at = range_at_ + static_cast<size_t>(chunk.first - ranges_[range_].first);
  validation_->put(chunk, choice_, at);
  const std::vector<uint8_t> missing = missing_in(chunk, choice_);
  const size_t span = windows_.look_back + windows_.horizon;
  for (size_t r = 0; r < chunk.rows; ++r) {
    const bool whole = whole_->next(missing[r] & kFeatureMissing, missing[r] & kTargetMissing);
    if (whole && chunk.first + r + 1 - span >= starts_[range_].first)
      validation_->add_validation(static_cast<uint32_t>(at + r + 1 - span));
  }
}

void Opening::finish_validation() {
  const uint64_t here = validation_->windows().validation.size(), all = scan_->validation();
  if (here == 0)
    throw Error("forecast.gaps",
                "no window is left in the parts of the validation range that fit into memory: all of "
                "them touch a missing value; shorten the look-back, choose another column, or fill "
                "the gaps");
  if (here < all)
    notices_.push_back({"validation.sampled", "Validation on " + std::to_string(here) + " of " + std::to_string(all) +
                                                  " windows, evenly spread: all of them are larger than the memory "
                                                  "that is set aside for it."});
  nlohmann::json fingerprint{{"rows", choice_.rows},
                             {"trainingWindows", scan_->training()},
                             {"values", scan_->crc()},
                             {"blocks", {{"starts", pieces_->starts()}, {"pieces", pieces_->per_block()}}}};
  if (!source_.is_null()) fingerprint["source"] = source_;
  const uint64_t skipped = scan_->skipped();
  std::vector<uint32_t> whole = scan_->whole();
  scan_.reset();
  supply_ = std::make_unique<Blocks>(
      Blocks::Parts{choice_, windows_, *pieces_, std::move(whole), skipped, std::move(*validation_),
                    RowFeed(choice_.columns, bounds_.request_floats), std::move(fingerprint), bounds_.carried},
      config_);
  validation_.reset();
  phase_ = Phase::ready;
}

}  // namespace sg::train
