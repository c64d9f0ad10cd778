#pragma once
// The header's JSON, read by events into typed fields: nothing is kept that the grammar does not name, nesting is
// bounded by the grammar, and a duplicate key is an error.

#include <string_view>

#include "io/safetensors.h"

namespace sg {

inline constexpr uint64_t kMaxHeaderBytes = 8 * 1024 * 1024;
inline constexpr std::string_view kTensorHashesKey = "sha256";
inline constexpr std::string_view kHeaderHashKey = "header_sha256";

[[noreturn]] void corrupt_checkpoint(const std::string& what, uint64_t byte);

/// A name as messages have it, shortened.
std::string in_quotes(std::string_view name);

/// Fills metadata and tensors (offsets still relative to the data section) from the header text, which begins at
/// byte 8 of the file.
void parse_safetensors_json(std::string_view text, SafetensorsHeader& header);

std::optional<Dtype> dtype_from(std::string_view name);

/// Bytes of a tensor of this shape; empty when that overflows 2^63.
std::optional<uint64_t> tensor_bytes(Dtype dtype, const std::vector<uint64_t>& shape);

/// Moves the hashes from the metadata to the tensors, and checks that of the header, which is `whole` (its length
/// included). False when there are none.
bool take_hashes(std::span<const uint8_t> whole, SafetensorsHeader& header);

/// Where the digits of the header's own hash stand in `header`, or npos.
size_t header_digits_position(std::string_view header);
/// The header's hash, with those digits as zeros.
Digest header_digest(std::span<const uint8_t> header, size_t digits_at);

}  // namespace sg
