#pragma once
// Any file through any reader, in pieces and in chunks, held against the same file kept whole: the values, the
// description and the lines must be the same.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "io/formats.h"
#include "io/table_json.h"

namespace sg {

struct Chunks : ChunkSink {
  std::vector<Chunk> all;
  void take(Chunk chunk) override { all.push_back(std::move(chunk)); }
};

inline std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// The file `name` with this content, fed in pieces of `piece` bytes.
inline Table read_table(std::string_view content, std::string_view name, const nlohmann::json& options = {},
                        const ReadTarget& target = {}, size_t piece = SIZE_MAX) {
  const auto reader = open_reader(options, bytes_of(content.substr(0, kHeadBytes)), name, target);
  for (size_t at = 0; at < content.size(); at += std::min(piece, content.size() - at)) {
    reader->feed(bytes_of(content.substr(at, piece)));
  }
  return reader->finish();
}

/// The error that the file gives; fails when it gives none.
inline Error read_error(std::string_view content, std::string_view name, const nlohmann::json& options = {},
                        const ReadTarget& target = {}) {
  try {
    read_table(content, name, options, target);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error for " << name);
  return Error("", "");
}

template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](T x, T y) {
           return x == y || (std::isnan(static_cast<double>(x)) && std::isnan(static_cast<double>(y)));
         });
}

/// A column put together again from its chunks, by the rules that io/table.h gives.
inline ColumnValues joined(const Chunks& chunks, const Column& column, uint64_t rows) {
  ColumnValues all;
  const size_t n = static_cast<size_t>(rows), elements = n * column.row_elements();
  if (column.type == ColumnType::number) all.numbers.resize(n, NAN);
  if (column.type == ColumnType::elements && !column.byte_elements) all.numbers.resize(elements, NAN);
  if (column.type == ColumnType::elements && column.byte_elements) all.bytes.resize(elements);
  if (column.type == ColumnType::datetime) all.times.resize(n, NAN);
  if (column.type == ColumnType::category) all.codes.resize(n, kMissingCode);
  for (const Chunk& chunk : chunks.all) {
    for (const ChunkColumn& c : chunk.columns) {
      if (c.index != column.index || column.type == ColumnType::text) continue;
      const auto put = [&](auto& to, const auto& from, size_t each) {
        if (from.empty()) return;
        REQUIRE(from.size() == chunk.rows * each);
        REQUIRE(chunk.first_row * each + from.size() <= to.size());
        std::copy(from.begin(), from.end(), to.begin() + static_cast<ptrdiff_t>(chunk.first_row * each));
      };
      put(all.numbers, c.numbers, column.row_elements());
      put(all.bytes, c.bytes, column.row_elements());
      put(all.codes, c.codes, 1);
      put(all.times, column.day_first && !c.times_day_first.empty() ? c.times_day_first : c.times, 1);
    }
  }
  return all;
}

/// Reads the file whole, in small pieces, in chunks and without values, and compares; gives the table that kept all.
inline Table check_reading(std::string_view content, std::string_view name, const nlohmann::json& options = {},
                           size_t chunk_bytes = 64) {
  Table kept = read_table(content, name, options);
  const auto description = describe(kept);
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{61}}) {
    const Table cut = read_table(content, name, options, {}, piece);
    CHECK(describe(cut) == description);
    for (size_t c = 0; c < kept.columns.size(); ++c) {
      REQUIRE(same_values(cut.columns[c].numbers, kept.columns[c].numbers));
      REQUIRE(same_values(cut.columns[c].times, kept.columns[c].times));
      REQUIRE(cut.columns[c].codes == kept.columns[c].codes);
      REQUIRE(cut.columns[c].bytes == kept.columns[c].bytes);
    }
  }
  CHECK(describe(read_table(content, name, options, {.keep = false})) == description);
  Chunks chunks;
  const Table told =
      read_table(content, name, options, {.keep = false, .sink = &chunks, .chunk_bytes = chunk_bytes}, 13);
  CHECK(describe(told) == description);
  for (size_t c = 0; c < kept.columns.size(); ++c) {
    CAPTURE(kept.columns[c].name);
    CHECK(told.columns[c].empty());
    const ColumnValues all = joined(chunks, told.columns[c], told.rows);
    CHECK(same_values(all.numbers, kept.columns[c].numbers));
    CHECK(same_values(all.times, kept.columns[c].times));
    CHECK(all.codes == kept.columns[c].codes);
    CHECK(all.bytes == kept.columns[c].bytes);
  }
  for (const Chunk& chunk : chunks.all) {
    for (uint64_t r = chunk.first_row; r < chunk.first_row + chunk.rows; ++r) {
      REQUIRE(line_of_row(chunk.line_jumps, r) == line_of_row(kept.line_jumps, r));
    }
  }
  return kept;
}

}  // namespace sg
