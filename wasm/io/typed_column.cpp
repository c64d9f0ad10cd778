#include "io/typed_column.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "io/csv_types.h"

namespace sg {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<float>::max();

}  // namespace

std::string format_number(double value) {
  char text[32];
  if (std::floor(value) == value && std::abs(value) < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value == 0 ? 0.0 : value);
    return text;
  }
  const auto single = static_cast<float>(std::clamp(value, -kLargest, kLargest));
  const bool is_single = static_cast<double>(single) == value;
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    const double back = std::strtod(text, nullptr);
    if (back == value || (is_single && static_cast<float>(back) == single)) break;
  }
  return text;
}

TypedColumn::TypedColumn(size_t index, std::string name, ColumnKind kind, bool keep, size_t& dictionary_room)
    : index_(index),
      name_(std::move(name)),
      kind_(std::move(kind)),
      row_elements_(1),
      keep_(keep),
      dictionary_(dictionary_room, kind_.max_categories) {
  for (const size_t n : kind_.shape) row_elements_ *= n;
  for (const std::string& value : kind_.categories) dictionary_.code_of(value);
}

void TypedColumn::add(double value, Repairs& repairs) {
  switch (kind_.type) {
    case ColumnType::number:
      return add_number(value, repairs);
    case ColumnType::elements:
      return add_element(value, repairs);
    case ColumnType::datetime:
      if (!std::isfinite(value)) return std::isnan(value) ? add_missing() : not_finite(value, "time", repairs);
      ++rows_;
      if (examples_.size() < 3) add_example(examples_, format_datetime(value));
      time_stats_.add(value);
      if (keep_) values_.times.push_back(value);
      return;
    case ColumnType::category:
    case ColumnType::text:
      if (std::isnan(value)) return add_missing();
      return add(format_number(value));
  }
}

void TypedColumn::add_number(double value, Repairs& repairs) {
  if (!(std::abs(value) <= kLargest)) {
    return std::isnan(value) ? add_missing() : not_finite(value, "32-bit float", repairs);
  }
  ++rows_;
  if (first_value_row_ == 0) first_value_row_ = rows_;
  if (examples_.size() < 3) add_example(examples_, format_number(value));
  numbers_stats_.add(value);
  if (keep_) values_.numbers.push_back(static_cast<float>(value));
}

void TypedColumn::add_element(double value, Repairs& repairs) {
  if (kind_.byte_elements) {
    const uint8_t byte = static_cast<uint8_t>(value);
    return add(std::span(&byte, 1));
  }
  if (std::abs(value) <= kLargest) {
    numbers_stats_.add(value);
    if (keep_) values_.numbers.push_back(static_cast<float>(value));
  } else {
    if (!std::isnan(value) && row_is_whole_) {
      repairs.add(rows_ + 1, index_ + 1, "out_of_range",
                  format_number(value) + " is no 32-bit float; it is missing, and with it its row");
    }
    row_is_whole_ = false;
    if (keep_) values_.numbers.push_back(kNoNumber);
  }
  end_elements(1);
}

void TypedColumn::add(std::span<const uint8_t> bytes) {
  byte_stats_.add(bytes);
  if (keep_) values_.bytes.insert(values_.bytes.end(), bytes.begin(), bytes.end());
  end_elements(bytes.size());
}

void TypedColumn::end_elements(size_t elements) {
  in_row_ += elements;
  const uint64_t whole = in_row_ / row_elements_;
  if (whole == 0) return;
  in_row_ %= row_elements_;
  rows_ += whole;
  if (!row_is_whole_) ++missing_;
  row_is_whole_ = true;
}

void TypedColumn::not_finite(double value, std::string_view what, Repairs& repairs) {
  repairs.add(rows_ + 1, index_ + 1, "out_of_range",
              format_number(value) + " is no " + std::string(what) + "; taken as missing");
  add_missing();
}

void TypedColumn::add(std::string_view value) {
  if (value.empty()) return add_missing();
  ++rows_;
  if (examples_.size() < 3) add_example(examples_, value);
  if (kind_.type == ColumnType::text) return;
  if (const auto code = dictionary_.code_of(value)) {
    if (keep_) values_.codes.push_back(*code);
    return;
  }
  kind_.type = ColumnType::text;
  dictionary_.clear();
  values_.codes = {};
}

std::optional<uint32_t> TypedColumn::code_of(std::string_view value) {
  add_example(examples_, value);
  return dictionary_.code_of(value);
}

void TypedColumn::add_code(uint32_t code) {
  ++rows_;
  if (keep_ && kind_.type == ColumnType::category) values_.codes.push_back(code);
}

void TypedColumn::add_missing() {
  ++rows_;
  ++missing_;
  if (!keep_) return;
  switch (kind_.type) {
    case ColumnType::number:
      values_.numbers.push_back(kNoNumber);
      break;
    case ColumnType::datetime:
      values_.times.push_back(std::numeric_limits<double>::quiet_NaN());
      break;
    case ColumnType::category:
      values_.codes.push_back(kMissingCode);
      break;
    case ColumnType::elements:
      if (kind_.byte_elements) {
        values_.bytes.resize(values_.bytes.size() + row_elements_);
      } else {
        values_.numbers.resize(values_.numbers.size() + row_elements_, kNoNumber);
      }
      break;
    case ColumnType::text:
      break;
  }
}

uint64_t TypedColumn::row_bytes() const {
  if (kind_.type == ColumnType::elements) return row_elements_ * (kind_.byte_elements ? 1 : sizeof(float));
  return sizeof(double);
}

std::optional<ChunkColumn> TypedColumn::take() {
  if (kind_.type == ColumnType::text) return std::nullopt;
  ChunkColumn chunk;
  static_cast<ColumnValues&>(chunk) = std::exchange(values_, {});
  chunk.index = index_;
  chunk.type = kind_.type;
  return chunk;
}

Column TypedColumn::finish(Repairs& repairs) {
  if (kind_.type == ColumnType::category && !kind_.labels && !dictionary_.is_category(rows_)) {
    kind_.type = ColumnType::text;
    values_.codes = {};
  }
  Column column;
  static_cast<ColumnValues&>(column) = std::move(values_);
  column.index = index_;
  column.name = std::move(name_);
  column.type = kind_.type;
  column.shape = kind_.shape;
  column.byte_elements = kind_.byte_elements;
  column.examples = std::move(examples_);
  if (column.type == ColumnType::number) {
    numbers_stats_.write(column.stats);
    tell_lost_digits(column, first_value_row_, repairs);
  } else if (column.type == ColumnType::elements) {
    if (kind_.byte_elements) {
      byte_stats_.write(column.stats);
    } else {
      numbers_stats_.write(column.stats);
    }
  } else if (column.type == ColumnType::datetime) {
    time_stats_.write(column.stats);
  } else if (column.type == ColumnType::category) {
    column.stats.distinct = dictionary_.size();
    column.categories = dictionary_.values();
  }
  column.stats.count = rows_ - missing_;
  column.stats.missing = missing_;
  return column;
}

}  // namespace sg
