#include "io/shard.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "io/safetensors_header.h"

namespace sg {
namespace {

/// A buffer's own bytes are the file's: both are little-endian.
template <class T>
std::span<const uint8_t> bytes_of(const std::vector<T>& values) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

/// A bit a row; empty when nothing is missing.
template <class T, class IsMissing>
std::vector<uint8_t> bitmap(const std::vector<T>& values, IsMissing is_missing) {
  std::vector<uint8_t> bits;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_missing(values[i])) continue;
    if (bits.empty()) bits.resize((values.size() + 7) / 8);
    bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
  return bits;
}

class ShardWriter {
 public:
  ShardWriter(const Chunk& chunk, size_t first_column) : chunk_(chunk) {
    for (const ChunkColumn& column : chunk.columns) add(column, "c" + std::to_string(first_column + column.index));
    if (!chunk.line_jumps.empty()) add_lines();
  }

  std::vector<uint8_t> file(Hashes hashes) const {
    const std::string_view format = hashes == Hashes::none ? kPlainShardFormat : kShardFormat;
    return write_safetensors(tensors_,
                             {{"format", std::string(format)},
                              {"first_row", std::to_string(chunk_.first_row)},
                              {"rows", std::to_string(chunk_.rows)}},
                             Values::any, hashes);
  }

 private:
  void add(const ChunkColumn& column, const std::string& name) {
    switch (column.type) {
      case ColumnType::number:
        add_rows(name, Dtype::F32, column.numbers);
        return add_missing(name, bitmap(column.numbers, [](float v) { return std::isnan(v); }));
      case ColumnType::datetime:
        add_rows(name, Dtype::F64, column.times);
        if (!column.times_day_first.empty()) add_rows(name + ".day_first", Dtype::F64, column.times_day_first);
        return add_missing(name, bitmap(column.times, [](double v) { return std::isnan(v); }));
      case ColumnType::category:
        add_rows(name, Dtype::I32, column.codes);
        return add_missing(name, bitmap(column.codes, [](uint32_t v) { return v == kMissingCode; }));
      case ColumnType::elements:
        if (!column.numbers.empty()) return add_rows(name, Dtype::F32, column.numbers, true);
        return add_rows(name, Dtype::U8, column.bytes, true);
      case ColumnType::text:
        return;
    }
  }

  template <class T>
  void add_rows(const std::string& name, Dtype dtype, const std::vector<T>& values, bool elements = false) {
    const uint64_t rows = chunk_.rows;
    const bool fits = elements ? rows > 0 && !values.empty() && values.size() % rows == 0 : values.size() == rows;
    if (!fits) {
      throw Error("shard.bad_chunk", "'" + name + "' has " + std::to_string(values.size()) + " values for " +
                                         std::to_string(rows) + " rows");
    }
    std::vector<uint64_t> shape{rows};
    if (elements) shape.push_back(values.size() / rows);
    tensors_.push_back({name, dtype, std::move(shape), bytes_of(values)});
  }

  void add_missing(const std::string& name, std::vector<uint8_t> bits) {
    if (bits.empty()) return;
    own_.push_back(std::move(bits));
    tensors_.push_back({name + ".null", Dtype::U8, {own_.back().size()}, own_.back()});
  }

  void add_lines() {
    for (const auto& [row, line] : chunk_.line_jumps) {
      lines_.push_back(static_cast<int64_t>(row));
      lines_.push_back(static_cast<int64_t>(line));
    }
    tensors_.push_back({"lines", Dtype::I64, {chunk_.line_jumps.size(), 2}, bytes_of(lines_)});
  }

  const Chunk& chunk_;
  std::vector<TensorBytes> tensors_;
  std::deque<std::vector<uint8_t>> own_;  // bitmaps, which do not move
  std::vector<int64_t> lines_;
};

[[noreturn]] void invalid(const std::string& what) { throw Error("shard.invalid", "this is no shard: " + what); }

uint64_t whole(const SafetensorsHeader& header, const char* key) {
  const auto found = header.metadata.find(key);
  if (found == header.metadata.end()) invalid("its metadata has no '" + std::string(key) + "'");
  const std::string& text = found->second;
  const bool plain = !text.empty() && text.size() <= 15 && text.find_first_not_of("0123456789") == std::string::npos &&
                     (text.size() == 1 || text[0] != '0');
  if (!plain) invalid(in_quotes(key) + " is " + in_quotes(text) + ", and should be a whole number");
  return std::stoull(text);
}

/// The tensor's name without its number: "", ".day_first", ".null", "lines"; anything else is no shard's.
std::string_view kind_of(std::string_view name) {
  if (name == "lines") return name;
  size_t digits = 1;
  while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
  const std::string_view number = name.substr(1, digits - 1), kind = name.substr(digits);
  const bool sound =
      name[0] == 'c' && !number.empty() && number.size() <= 6 && (number.size() == 1 || number[0] != '0');
  if (!sound || (!kind.empty() && kind != ".day_first" && kind != ".null"))
    invalid("it has a tensor " + in_quotes(name));
  return kind;
}

void check_tensor(const TensorEntry& tensor, uint64_t rows, bool hashed) {
  if (hashed && !tensor.sha256) invalid("tensor " + in_quotes(tensor.name) + " has no SHA-256");
  const std::string_view kind = kind_of(tensor.name);
  const auto is = [&](Dtype dtype, const std::vector<uint64_t>& shape) {
    return tensor.dtype == dtype && tensor.shape == shape;
  };
  bool sound = false;
  if (kind == "lines") {
    sound = tensor.dtype == Dtype::I64 && tensor.shape.size() == 2 && tensor.shape[1] == 2;
  } else if (kind == ".null") {
    sound = is(Dtype::U8, {(rows + 7) / 8});
  } else if (kind == ".day_first") {
    sound = is(Dtype::F64, {rows});
  } else {
    const Dtype d = tensor.dtype;
    const size_t rank = tensor.shape.size();
    sound = rank >= 1 && tensor.shape[0] == rows &&
            (rank == 1 ? d == Dtype::F32 || d == Dtype::F64 || d == Dtype::I32
                       : rank == 2 && (d == Dtype::F32 || d == Dtype::U8));
  }
  if (!sound)
    invalid("tensor " + in_quotes(tensor.name) + " has not the type and shape that " + std::to_string(rows) +
            " rows need");
}

std::string name_of(size_t column, const char* kind = "") { return "c" + std::to_string(column) + kind; }

}  // namespace

std::vector<uint8_t> write_shard(const Chunk& chunk, size_t first_column, Hashes hashes) {
  return ShardWriter(chunk, first_column).file(hashes);
}

ShardIndex::ShardIndex(std::span<const uint8_t> prefix, uint64_t total_size)
    : header_(read_safetensors_header(prefix, total_size, {.hashes = false, .finite = false})) {
  const auto format = header_.metadata.find("format");
  hashed_ = format != header_.metadata.end() && format->second == kShardFormat;
  if (!hashed_ && (format == header_.metadata.end() || format->second != kPlainShardFormat))
    invalid("its metadata says neither '" + std::string(kShardFormat) + "' nor '" + std::string(kPlainShardFormat) +
            "'");
  first_row_ = whole(header_, "first_row");
  rows_ = whole(header_, "rows");
  for (const TensorEntry& tensor : header_.tensors) check_tensor(tensor, rows_, hashed_);
}

std::optional<ByteRange> ShardIndex::values(size_t column, bool day_first, uint64_t first, uint64_t count) const {
  if (first > rows_ || count > rows_ - first) {
    throw Error("shard.bad_range", "rows " + std::to_string(first) + " to " + std::to_string(first + count) +
                                       " are asked of a shard of " + std::to_string(rows_));
  }
  const TensorEntry* tensor = day_first ? header_.find(name_of(column, ".day_first")) : nullptr;
  if (tensor == nullptr) tensor = header_.find(name_of(column));
  if (tensor == nullptr) return std::nullopt;
  const uint64_t row = rows_ == 0 ? 0 : (tensor->end - tensor->begin) / rows_;
  return ByteRange{tensor->begin + first * row, tensor->begin + (first + count) * row};
}

std::optional<Dtype> ShardIndex::dtype(size_t column) const {
  const TensorEntry* tensor = header_.find(name_of(column));
  return tensor ? std::optional(tensor->dtype) : std::nullopt;
}

std::optional<uint64_t> ShardIndex::row_bytes(size_t column) const {
  const TensorEntry* tensor = header_.find(name_of(column));
  if (tensor == nullptr || rows_ == 0) return std::nullopt;
  return (tensor->end - tensor->begin) / rows_;
}

std::optional<ByteRange> ShardIndex::missing(size_t column) const {
  const TensorEntry* tensor = header_.find(name_of(column, ".null"));
  return tensor ? std::optional(ByteRange{tensor->begin, tensor->end}) : std::nullopt;
}

std::optional<ByteRange> ShardIndex::lines() const {
  const TensorEntry* tensor = header_.find("lines");
  return tensor ? std::optional(ByteRange{tensor->begin, tensor->end}) : std::nullopt;
}

}  // namespace sg
