#include "forecast/series_part.h"

#include <algorithm>

namespace sg {
namespace {

void put_columns(const RowChunk& chunk, const std::vector<size_t>& columns, const std::vector<ColumnScale>& scales,
                 float* to) {
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::span<const float> values = chunk.column(columns[c]);
    const ColumnScale& scale = scales[c];
    for (size_t r = 0; r < values.size(); ++r) to[r * columns.size() + c] = scale.scale(values[r]);
  }
}

void copy_rows(std::vector<float>& values, size_t width, size_t from, size_t to, size_t rows) {
  const auto begin = values.begin() + static_cast<ptrdiff_t>(from * width);
  std::copy_n(begin, rows * width, values.begin() + static_cast<ptrdiff_t>(to * width));
}

}  // namespace

void SeriesPart::put(const RowChunk& chunk, const SeriesChoice& choice, size_t at) {
  if (at > rows_ || chunk.rows > rows_ - at) throw Error("forecast.bad_part", "rows beyond the room of a part");
  name(at, chunk.first);
  put_columns(chunk, choice.feature_at, scaler_.features, features_.data() + at * features());
  put_columns(chunk, choice.target_at, scaler_.targets, targets_.data() + at * targets());
}

void SeriesPart::copy(size_t from, size_t to, size_t rows) {
  copy_rows(features_, features(), from, to, rows);
  copy_rows(targets_, targets(), from, to, rows);
}

void SeriesPart::name(size_t at, uint64_t row) {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), at,
                                      [](size_t a, const Stretch& stretch) { return a < stretch.at; });
  if (after != stretches_.begin()) {
    const Stretch& before = *std::prev(after);
    if (before.row + (at - before.at) == row) return;  // it goes on
  }
  stretches_.insert(after, {at, row});
}

}  // namespace sg
