#include "io/csv_column.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sg {
namespace {

/// The values; as many are likely to follow, and get their room at once.
template <class T>
std::vector<T> taken_from(std::vector<T>& values) {
  std::vector<T> taken = std::move(values);
  values = {};
  values.reserve(taken.size());
  return taken;
}

}  // namespace

ColumnBuilder::ColumnBuilder(size_t index, ColumnPlan plan, const CsvOptions& options, size_t& dictionary_room)
    : index_(index),
      plan_(plan),
      forced_(options.types.count(index) > 0),
      keep_(!options.target.drops()),
      day_first_(options.day_first),
      dictionary_(dictionary_room) {}

void ColumnBuilder::begin_late(uint64_t rows, uint64_t taken) {
  rows_ = missing_ = rows;
  taken_ = taken;
  if (plan_.type) add_rows_before();
}

void ColumnBuilder::decide(std::string_view cell) {
  if (parse_number(cell, plan_.decimal)) {
    plan_.type = ColumnType::number;
  } else if (parse_datetime(cell)) {
    plan_.type = ColumnType::datetime;
  } else {
    plan_.type = ColumnType::category;
  }
  add_rows_before();
}

/// Once the type is known: the rows until now, of which those that have left already were told as missing.
void ColumnBuilder::add_rows_before() {
  const uint64_t before = rows_ - taken_;
  rows_ = missing_ = taken_;
  for (uint64_t i = 0; i < before; ++i) add_missing();
}

void ColumnBuilder::add(std::string_view raw, uint64_t line, Repairs& repairs) {
  if (plan_.type == ColumnType::number && !plan_.ambiguous_number) {
    if (const auto value = parse_plain_number(raw, plan_.decimal)) {
      add_example(examples_, raw);
      return keep_number(*value, line);
    }
  }
  const std::string_view cell = trim(raw);
  if (is_missing(cell)) return add_missing();
  if (!plan_.type) decide(cell);
  add_example(examples_, cell);
  switch (*plan_.type) {
    case ColumnType::number:
      return add_number(cell, line, repairs);
    case ColumnType::datetime:
      return add_time(cell, line, repairs);
    case ColumnType::category:
      return add_category(cell);
    case ColumnType::text:
    case ColumnType::elements:  // no cell makes one
      ++rows_;
      return;
  }
}

void ColumnBuilder::add_missing() {
  ++rows_;
  ++missing_;
  if (!keep_ || !plan_.type) return;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (plan_.type == ColumnType::number) numbers_.push_back(std::numeric_limits<float>::quiet_NaN());
  if (plan_.type == ColumnType::category) codes_.push_back(kMissingCode);
  if (plan_.type == ColumnType::datetime) {
    times_[0].push_back(kNaN);
    if (!day_first_) times_[1].push_back(kNaN);
  }
}

void ColumnBuilder::unparseable(std::string_view cell, std::string_view wanted, uint64_t line, Repairs& repairs) {
  repairs.add(line, index_ + 1, "unparseable",
              "'" + shorten(cell, 80) + "' is not a " + std::string(wanted) + "; taken as missing");
  add_missing();
}

void ColumnBuilder::add_number(std::string_view cell, uint64_t line, Repairs& repairs) {
  const auto number = parse_number(cell, plan_.decimal);
  const bool other_mark =
      number && number->mark != Thousands::none && mark_ != Thousands::none && number->mark != mark_;
  if (!number || other_mark || std::abs(number->value) > static_cast<double>(std::numeric_limits<float>::max())) {
    return unparseable(cell, "number", line, repairs);
  }
  if (number->mark != Thousands::none && mark_ == Thousands::none) {
    mark_ = number->mark;
    repairs.add(line, index_ + 1, "thousands",
                "'" + shorten(cell, 80) + "': the column groups digits with a " + std::string(to_string(mark_)) +
                    "; the marks were removed");
  }
  if (plan_.ambiguous_number && open_number_line_ == 0 && cell.find(',') != std::string_view::npos) {
    open_number_line_ = line;
    repairs.add(line, index_ + 1, "ambiguous_number",
                "'" + shorten(cell, 80) + "' was read with a decimal " + (plan_.decimal == ',' ? "comma" : "point") +
                    "; nothing in the file decides it, please choose");
  }
  keep_number(number->value, line);
}

void ColumnBuilder::keep_number(double value, uint64_t line) {
  if (first_number_line_ == 0) first_number_line_ = line;
  ++rows_;
  number_stats_.add(value);
  if (keep_) numbers_.push_back(static_cast<float>(value));
}

void ColumnBuilder::add_time(std::string_view cell, uint64_t line, Repairs& repairs) {
  const auto time = parse_datetime(cell);
  if (!time || (day_first_ && (*day_first_ ? time->month_first : time->day_first))) {
    return unparseable(cell,
                       day_first_ ? (*day_first_ ? "date with the day first" : "date with the month first") : "date",
                       line, repairs);
  }
  if (!day_first_ && (time->day_first || time->month_first)) {
    day_first_ = time->day_first;
    if (*day_first_) {
      std::swap(time_stats_[0], time_stats_[1]);
      std::swap(times_[0], times_[1]);
    }
    times_[1] = {};
  }
  ++rows_;
  if (time->open_order && open_date_line_ == 0) open_date_line_ = line;
  // From the decision on, slot 0 holds the reading that stands.
  const double first = day_first_.value_or(false) ? time->day_first_seconds : time->month_first_seconds;
  time_stats_[0].add(first);
  if (keep_) times_[0].push_back(first);
  if (day_first_) return;
  time_stats_[1].add(time->day_first_seconds);
  if (keep_) times_[1].push_back(time->day_first_seconds);
}

void ColumnBuilder::add_category(std::string_view cell) {
  ++rows_;
  const auto code = dictionary_.code_of(cell);
  if (!code) return become_text();
  if (keep_) codes_.push_back(*code);
}

void ColumnBuilder::become_text() {
  plan_.type = ColumnType::text;
  dictionary_.clear();
  codes_ = {};
}

std::optional<ChunkColumn> ColumnBuilder::take() {
  taken_ = rows_;
  if (!plan_.type || plan_.type == ColumnType::text) return std::nullopt;
  ChunkColumn chunk;
  chunk.index = index_;
  chunk.type = *plan_.type;
  chunk.numbers = taken_from(numbers_);
  chunk.codes = taken_from(codes_);
  chunk.times = taken_from(times_[0]);
  chunk.times_day_first = taken_from(times_[1]);
  return chunk;
}

Column ColumnBuilder::finish(std::string name, Repairs& repairs) {
  if (!plan_.type) {  // not one value: numbers, all of them missing
    plan_.type = ColumnType::number;
    add_rows_before();
  }
  if (plan_.type == ColumnType::category && !forced_ && !dictionary_.is_category(rows_)) become_text();
  Column column;
  column.index = index_;
  column.name = std::move(name);
  column.type = *plan_.type;
  column.examples = std::move(examples_);
  column.stats.count = rows_ - missing_;
  column.ambiguous = open_number_line_ != 0;
  if (column.type == ColumnType::number) {
    number_stats_.write(column.stats);
    tell_lost_digits(column, first_number_line_, repairs);
    column.numbers = std::move(numbers_);
  } else if (column.type == ColumnType::datetime) {
    time_stats_[0].write(column.stats);
    column.times = std::move(times_[0]);
    column.day_first = day_first_.value_or(false);
    if (!day_first_ && open_date_line_ != 0) {
      column.ambiguous = true;
      repairs.add(open_date_line_, index_ + 1, "ambiguous_date",
                  "no date of '" + shorten(column.name, 80) +
                      "' tells day and month apart; read with the month first, please choose");
    }
  } else if (column.type == ColumnType::category) {
    column.stats.distinct = dictionary_.size();
    column.categories = dictionary_.values();
    column.codes = std::move(codes_);
  }
  column.stats.missing = missing_;
  return column;
}

}  // namespace sg
