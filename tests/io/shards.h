#pragma once
// Shards kept in memory, and a table put together again from them by the rules of FORMATS.md alone.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "io/importer.h"
#include "io/shard.h"
#include "tests/io/csv_text.h"

namespace sg {

struct Shards : ShardSink {
  std::map<std::string, std::vector<uint8_t>> files;
  void take(const std::string& file, std::vector<uint8_t> bytes) override {
    REQUIRE(files.emplace(file, std::move(bytes)).second);
  }
};

inline ShardIndex index_of(const std::vector<uint8_t>& file) {
  return ShardIndex(std::span(file).first(safetensors_header_size(file, file.size())), file.size());
}

template <class T>
std::vector<T> values_at(const std::vector<uint8_t>& file, const ByteRange& range) {
  REQUIRE(range.size() % sizeof(T) == 0);
  REQUIRE(range.end <= file.size());
  std::vector<T> values(range.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), file.data() + range.begin, range.size());
  return values;
}

/// All rows of a column, missing where a shard has none.
inline ColumnValues column_of(const Manifest& manifest, const Shards& shards, size_t column) {
  const ManifestColumn& c = manifest.columns[column];
  ColumnValues all;
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const ManifestShard& shard : manifest.shards) {
    if (column < shard.first_column || column >= shard.first_column + shard.column_count || !c.dtype) continue;
    const std::vector<uint8_t>& file = shards.files.at(shard.file);
    const ShardIndex index = index_of(file);
    REQUIRE(index.first_row() == shard.first);
    REQUIRE(index.rows() == shard.rows);
    const auto range = index.values(column, c.day_first, 0, shard.rows);
    const size_t rows = shard.rows;
    if (c.dtype == Dtype::F32) add(all.numbers, range ? values_at<float>(file, *range) : std::vector<float>(rows, NAN));
    if (c.dtype == Dtype::F64) add(all.times, range ? values_at<double>(file, *range) : std::vector<double>(rows, NAN));
    if (c.dtype == Dtype::I32)
      add(all.codes, range ? values_at<uint32_t>(file, *range) : std::vector<uint32_t>(rows, kMissingCode));
    if (c.dtype == Dtype::U8 && range) add(all.bytes, values_at<uint8_t>(file, *range));
  }
  return all;
}

template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](T x, T y) {
           return x == y || (std::isnan(static_cast<double>(x)) && std::isnan(static_cast<double>(y)));
         });
}

inline nlohmann::json source_named(const std::string& name, size_t size) {
  return {{"name", name}, {"size", size}, {"mtime", 1'700'000'000'123}};
}

struct Imported {
  Manifest manifest;
  Shards shards;
};

/// Files of (name, text), fed in pieces of 11 bytes.
inline Imported import_texts(const std::vector<std::pair<std::string, std::string>>& parts, size_t shard_bytes,
                             nlohmann::json options = nlohmann::json::object()) {
  Imported result;
  size_t size = 0;
  for (const auto& [name, text] : parts) size += text.size();
  Importer importer(std::move(options), source_named(parts.front().first, size), result.shards, shard_bytes);
  for (const auto& [name, text] : parts) {
    importer.begin_part(name);
    for (size_t at = 0; at < text.size(); at += 11) importer.feed(as_bytes(std::string_view(text).substr(at, 11)));
    importer.end_part();
  }
  result.manifest = importer.finish();
  return result;
}

/// The error that a call gives; fails when it gives none.
template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return Error("", "");
}

}  // namespace sg
