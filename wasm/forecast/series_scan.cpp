#include "forecast/series_scan.h"

#include <algorithm>
#include <limits>

#include "forecast/baselines.h"

namespace sg {

SeriesScan::SeriesScan(const SeriesChoice& choice, const WindowConfig& config, const Pieces& pieces)
    : choice_(choice),
      config_(config),
      bounds_(split_bounds(choice.rows, config)),
      starts_of_piece_(pieces.starts()),
      windows_(config.look_back, config.horizon),
      fits_(choice.columns.size()),
      whole_(pieces.count(), 0) {}

void SeriesScan::add(const RowChunk& chunk) {
  if (chunk.first != row_) throw Error("forecast.bad_part", "the rows of a scan must follow each other");
  const uint64_t end = row_ + chunk.rows, span = uint64_t{config_.look_back} + config_.horizon;
  const size_t training_rows = static_cast<size_t>(std::clamp(bounds_.split_row, row_, end) - row_);
  for (size_t c = 0; c < fits_.size(); ++c) {
    ColumnFit fit = fits_[c];
    for (const float value : chunk.column(c).first(training_rows)) fit.add(value);
    fits_[c] = fit;
  }
  const std::span<const float> target = chunk.column(choice_.target_at[0]);
  crc_.add(target);
  const uint64_t sample = bounds_.split_row - season_sample_rows(bounds_.split_row);
  for (uint64_t row = std::max(sample, row_); row < row_ + training_rows; ++row)
    last_values_.push_back(target[static_cast<size_t>(row - row_)]);

  const std::vector<uint8_t> missing = missing_in(chunk, choice_);
  for (size_t r = 0; r < chunk.rows; ++r) {
    const bool whole = windows_.next(missing[r] & kFeatureMissing, missing[r] & kTargetMissing);
    if (!whole) continue;
    const uint64_t start = row_ + r + 1 - span;
    if (start < bounds_.training) {
      ++whole_[static_cast<size_t>(start / starts_of_piece_)];
      ++training_;
    } else if (start >= bounds_.first_validation) {
      ++validation_;
    }
  }
  if (!training_gap_) look_for_gaps(chunk, 0, bounds_.split_row, training_gap_);
  if (!validation_gap_) look_for_gaps(chunk, bounds_.first_validation, choice_.rows, validation_gap_);
  row_ = end;
}

/// The first missing value among the rows [from, to) of the series.
void SeriesScan::look_for_gaps(const RowChunk& chunk, uint64_t from, uint64_t to, std::optional<Gap>& gap) const {
  const uint64_t end = chunk.first + chunk.rows;
  const auto begin = static_cast<size_t>(std::clamp(from, chunk.first, end) - chunk.first);
  auto row = static_cast<size_t>(std::clamp(to, chunk.first, end) - chunk.first);
  const auto look = [&](const std::vector<size_t>& columns, const std::vector<std::string>& names) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::span<const float> values = chunk.column(columns[i]);
      for (size_t r = begin; r < row; ++r)
        if (std::isnan(values[r])) row = r, gap = Gap{names[i], chunk.first + r};
    }
  };
  look(choice_.target_at, choice_.targets);
  look(choice_.feature_at, choice_.features);
}

void SeriesScan::check() const {
  if (training_ == 0)
    fail_gaps("training", bounds_.training, training_gap_->column, training_gap_->row,
              choice_.line_of_row(training_gap_->row));
  if (validation_ == 0)
    fail_gaps("validation", bounds_.validation, validation_gap_->column, validation_gap_->row,
              choice_.line_of_row(validation_gap_->row));
}

Scaler SeriesScan::scaler() const {
  Scaler scaler;
  const auto add = [&](const std::vector<size_t>& columns, const std::vector<std::string>& names,
                       std::vector<ColumnScale>& scales) {
    for (size_t i = 0; i < columns.size(); ++i) scales.push_back(fits_[columns[i]].result(names[i], bounds_.split_row));
  };
  add(choice_.feature_at, choice_.features, scaler.features);
  add(choice_.target_at, choice_.targets, scaler.targets);
  return scaler;
}

}  // namespace sg
