#include "forecast/rows.h"

#include <algorithm>

#include "io/error.h"

namespace sg {

RowFeed::RowFeed(std::vector<size_t> columns, size_t most_floats)
    : columns_(std::move(columns)),
      most_rows_(std::max<size_t>(1, most_floats / std::max<size_t>(1, columns_.size()))) {}

void RowFeed::ask(std::vector<RowRange> ranges) {
  ranges_ = std::move(ranges);
  std::erase_if(ranges_, [](const RowRange& r) { return r.rows == 0; });
  range_ = 0;
  in_range_ = done_ = total_ = 0;
  for (const RowRange& r : ranges_) total_ += r.rows;
}

size_t RowFeed::rows_of_request() const {
  return static_cast<size_t>(std::min<uint64_t>(most_rows_, ranges_[range_].rows - in_range_));
}

std::optional<RowFeed::Need> RowFeed::need() {
  if (range_ == ranges_.size()) return std::nullopt;
  const size_t rows = rows_of_request();
  if (buffer_.size() < rows * columns_.size()) buffer_.resize(rows * columns_.size());
  return Need{ranges_[range_].first + in_range_, rows, columns_, buffer_.data(), done_, total_};
}

RowChunk RowFeed::fed() {
  const auto asked = need();
  if (!asked) throw Error("rows.not_asked", "no rows are wanted");
  const RowChunk chunk{range_, asked->first, asked->rows, std::span(buffer_).first(asked->rows * columns_.size())};
  done_ += asked->rows;
  in_range_ += asked->rows;
  if (in_range_ == ranges_[range_].rows) {
    ++range_;
    in_range_ = 0;
  }
  return chunk;
}

}  // namespace sg
