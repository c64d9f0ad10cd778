#include "io/column_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/csv_types.h"

namespace sg {

void NumberStats::add(double value) {
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
  const double delta = value - mean_;
  mean_ += delta / static_cast<double>(count_);
  squares_ += delta * (value - mean_);
}

void NumberStats::write(ColumnStats& stats) const {
  stats.count = count_;
  if (count_ == 0) return;
  stats.min = min_;
  stats.max = max_;
  stats.mean = mean_;
  stats.std = std::sqrt(squares_ / static_cast<double>(count_));
}

void ByteStats::add(std::span<const uint8_t> bytes) {
  times_.resize(256);
  for (const uint8_t byte : bytes) ++times_[byte];
}

void ByteStats::write(ColumnStats& stats) const {
  uint64_t count = 0, sum = 0;
  for (size_t value = 0; value < times_.size(); ++value) {
    if (times_[value] == 0) continue;
    if (count == 0) stats.min = static_cast<double>(value);
    stats.max = static_cast<double>(value);
    count += times_[value];
    sum += times_[value] * value;
  }
  stats.count = count;
  if (count == 0) return;
  const double mean = static_cast<double>(sum) / static_cast<double>(count);
  double squares = 0;
  for (size_t value = 0; value < times_.size(); ++value) {
    const double delta = static_cast<double>(value) - mean;
    squares += static_cast<double>(times_[value]) * delta * delta;
  }
  stats.mean = mean;
  stats.std = std::sqrt(squares / static_cast<double>(count));
}

void TimeStats::add(double seconds) {
  if (count_ == 0) {
    first_ = seconds;
  } else {
    const double apart = seconds - last_;
    if (apart != apart_ || run_ == 0) {
      count_run();
      apart_ = apart;
    }
    ++run_;
    ++steps_;
  }
  last_ = seconds;
  ++count_;
}

/// Steps come in runs of equal ones, which are counted together.
void TimeStats::count_run() {
  const uint64_t times = std::exchange(run_, 0);
  if (times == 0) return;
  const double step = std::round(apart_ * 1000) / 1000;
  if (step <= 0) {
    out_of_order_ += times;
  } else if (const auto known = by_step_.find(step); known != by_step_.end()) {
    known->second += times;
  } else if (by_step_.size() < 1024) {
    by_step_[step] = times;
  }
}

void TimeStats::write(ColumnStats& stats) {
  count_run();
  stats.count = count_;
  if (count_ == 0) return;
  stats.first = first_;
  stats.last = last_;
  stats.out_of_order = out_of_order_;
  double step = 0;
  uint64_t most = 0;
  for (const auto& [seconds, times] : by_step_) {
    if (times > most) step = seconds, most = times;
  }
  if (most * 2 < steps_ || most == 0) return;  // no step is the rule
  uint64_t gaps = 0;
  for (const auto& [seconds, times] : by_step_) gaps += seconds > step * 1.5 ? times : 0;
  stats.step_seconds = step;
  stats.gaps = gaps;
}

std::optional<uint32_t> Dictionary::code_of(std::string_view value) {
  if (const auto known = codes_.find(value); known != codes_.end()) return known->second;
  const size_t bytes = 2 * value.size() + 128;  // the value and the tables around it
  if (values_.size() == most_ || value.size() > max_value_bytes || bytes > *room_) return std::nullopt;
  *room_ -= bytes;
  spent_ += bytes;
  const auto code = static_cast<uint32_t>(values_.size());
  codes_.emplace(values_.emplace_back(value), code);
  return code;
}

void Dictionary::clear() {
  *room_ += spent_;
  spent_ = 0;
  codes_ = {};
  values_ = {};
}

void tell_lost_digits(const Column& column, uint64_t line, Repairs& repairs) {
  if (!column.stats.std || *column.stats.std == 0) return;
  const double largest = std::max(std::abs(*column.stats.min), std::abs(*column.stats.max));
  const double step = largest * std::numeric_limits<float>::epsilon() / 2;
  if (step <= *column.stats.std / 1000) return;
  repairs.add(line, column.index + 1, "precision",
              "'" + shorten(column.name, 80) +
                  "' holds values so large beside their changes that the last digits are lost;" +
                  " subtract the first value from the column, or leave it out");
}

void add_example(std::vector<std::string>& examples, std::string_view value) {
  if (examples.size() == 3 || std::find(examples.begin(), examples.end(), value) != examples.end()) return;
  std::string example = shorten(value, 64);
  if (std::find(examples.begin(), examples.end(), example) == examples.end()) examples.push_back(std::move(example));
}

}  // namespace sg
