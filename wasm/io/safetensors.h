#pragma once
// Checkpoints: the safetensors layout with a SHA-256 of every tensor and of the header in its metadata, so that a
// changed byte anywhere is refused instead of loaded. Writing is deterministic; reading trusts nothing and allocates
// nothing that the file's size does not cover. FORMATS.md has the grammar.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "io/sha256.h"

namespace sg {

/// The `format` in a checkpoint's metadata.
inline constexpr std::string_view kCheckpointFormat = "shadegrad/2";

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

enum class Values : uint8_t { finite, any };
/// `none`: whoever keeps the file keeps a hash of the whole of it.
enum class Hashes : uint8_t { each_tensor, none };

/// The file for these tensors (in any order; data is laid out by name) and metadata (to which the hashes are added).
/// Throws checkpoint.bad_tensor on a duplicate or empty name, bytes that do not fit the shape, and, unless any are
/// asked for, values that are not finite.
std::vector<uint8_t> write_safetensors(std::span<const TensorBytes> tensors,
                                       const std::map<std::string, std::string>& metadata,
                                       Values values = Values::finite, Hashes hashes = Hashes::each_tensor);

/// A tensor in a file: its bytes are [begin, end) of the file.
struct TensorEntry {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<uint64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::optional<Digest> sha256;  // none in files without hashes
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  // without the hashes
  std::vector<TensorEntry> tensors;             // in file order
  uint64_t data_begin = 0;                      // 8 + header length
  uint64_t total_size = 0;
  bool sorted = false;  // the tensors stand by name, as the writer here leaves them

  const TensorEntry* find(std::string_view name) const;
};

/// What a reader asks of a file beyond the layout. The defaults are a checkpoint's.
struct SafetensorsRules {
  bool hashes = true;  // false: files of other programs may lack them; those that are there are checked
  bool finite = true;  // false: values may be infinite or not numbers
};

/// How many bytes of the file hold the header (8 + its length), from the first 8 bytes.
uint64_t safetensors_header_size(std::span<const uint8_t> first_bytes, uint64_t total_size);

/// Parses and checks the header, its own hash included, from a prefix that holds it whole, without any payload: enough
/// to list checkpoints. Throws checkpoint.corrupt, naming what and at which byte, or checkpoint.version.
SafetensorsHeader read_safetensors_header(std::span<const uint8_t> prefix, uint64_t total_size,
                                          const SafetensorsRules& rules = {});

/// Checks a file that arrives in pieces, holding only its header: what the host does before it commits a checkpoint.
class SafetensorsChecker {
 public:
  explicit SafetensorsChecker(uint64_t total_size, const SafetensorsRules& rules = {});
  /// Throws checkpoint.corrupt as soon as it is known, with tensor and byte.
  void feed(std::span<const uint8_t> bytes);
  /// Throws checkpoint.corrupt unless exactly total_size good bytes came.
  const SafetensorsHeader& finish();

 private:
  SafetensorsRules rules_;
  uint64_t total_size_;
  uint64_t seen_ = 0;
  uint64_t header_size_ = 0;
  std::vector<uint8_t> prefix_;
  std::optional<SafetensorsHeader> header_;
  size_t tensor_ = 0;  // the one whose bytes come next
  Sha256 hash_;
  std::vector<uint8_t> cut_;  // of a value that the last piece ended in
  std::optional<uint64_t> non_finite_;

  std::span<const uint8_t> take_header(std::span<const uint8_t> bytes);
  void end_tensors();
  void look_for_non_finite(Dtype dtype, uint64_t position, std::span<const uint8_t> bytes);
};

/// A checked file over the caller's bytes, which must outlive it.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(std::span<const uint8_t> file, const SafetensorsRules& rules = {});

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

}  // namespace sg
