#pragma once
// Checkpoints: the safetensors layout with a CRC-32C of the whole file in its metadata, so that a flipped bit anywhere
// is refused instead of loaded. Writing is deterministic; reading trusts nothing and allocates nothing that the file's
// size does not cover. FORMATS.md has the grammar.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"

namespace sg {

enum class Dtype : uint8_t { BOOL, U8, I8, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64 };

size_t byte_size(Dtype dtype);
std::string_view to_string(Dtype dtype);

/// A tensor to write; the bytes stay the caller's.
struct TensorBytes {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<uint64_t> shape;
  std::span<const uint8_t> bytes;
};

/// The file for these tensors (in any order; data is laid out by name) and metadata (`crc32c` is added).
/// Throws checkpoint.bad_tensor on a duplicate or empty name or bytes that do not fit the shape.
std::vector<uint8_t> write_safetensors(std::span<const TensorBytes> tensors,
                                       const std::map<std::string, std::string>& metadata);

/// A tensor in a file: its bytes are [begin, end) of the file.
struct TensorEntry {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<uint64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  // without `crc32c`
  std::vector<TensorEntry> tensors;             // in file order
  uint64_t data_begin = 0;                      // 8 + header length
  uint64_t total_size = 0;
  std::optional<uint32_t> crc32c;
  uint64_t crc_position = 0;  // of the eight hex digits in the file

  const TensorEntry* find(std::string_view name) const;
};

/// How many bytes of the file hold the header (8 + its length), from the first 8 bytes.
uint64_t safetensors_header_size(std::span<const uint8_t> first_bytes, uint64_t total_size);

/// Parses and validates the header from a prefix that holds it whole, without any payload: enough to list
/// checkpoints. Everything is checked but the checksum. Throws checkpoint.corrupt, naming what and at which byte.
SafetensorsHeader read_safetensors_header(std::span<const uint8_t> prefix, uint64_t total_size);

enum class Checksum : uint8_t { required, optional };  // optional: files written by other programs

/// A validated file over the caller's bytes, which must outlive it.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(std::span<const uint8_t> file, Checksum checksum = Checksum::required);

  const SafetensorsHeader& header() const { return header_; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  /// The metadata value, or checkpoint.missing.
  const std::string& value(const std::string& key) const;
  bool has(std::string_view name) const { return header_.find(name) != nullptr; }
  /// The tensor, or checkpoint.missing.
  const TensorEntry& entry(std::string_view name) const;
  /// Its bytes; not aligned for the dtype.
  std::span<const uint8_t> bytes(std::string_view name) const;
  /// A copy as floats; checkpoint.mismatch when the dtype is not F32.
  std::vector<float> floats(std::string_view name) const;

 private:
  std::span<const uint8_t> file_;
  SafetensorsHeader header_;
};

/// Checks a file that arrives in pieces, holding only its header: what the host does before it commits a checkpoint.
class SafetensorsChecker {
 public:
  explicit SafetensorsChecker(uint64_t total_size, Checksum checksum = Checksum::required);
  void feed(std::span<const uint8_t> bytes);
  /// Throws checkpoint.corrupt unless exactly total_size good bytes came.
  const SafetensorsHeader& finish();

 private:
  uint64_t total_size_;
  Checksum checksum_;
  uint64_t seen_ = 0;
  uint64_t header_size_ = 0;
  uint32_t crc_ = 0;
  std::vector<uint8_t> prefix_;
  std::optional<SafetensorsHeader> header_;
};

/// CRC-32C (Castagnoli) of `bytes`, going on from `crc` (0 at the start).
uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t crc = 0);

}  // namespace sg
