#pragma once
// The header's JSON, read by events into typed fields: nothing is kept that the grammar does not name, nesting is
// bounded by the grammar, and a duplicate key is an error.

#include <string_view>

#include "io/safetensors.h"

namespace sg {

inline constexpr uint64_t kMaxHeaderBytes = 16 * 1024 * 1024;
inline constexpr std::string_view kChecksumKey = "crc32c";

[[noreturn]] void corrupt_checkpoint(const std::string& what, uint64_t byte);

/// Fills metadata and tensors (offsets still relative to the data section) from the header text, which begins at
/// byte 8 of the file.
void parse_safetensors_json(std::string_view text, SafetensorsHeader& header);

std::optional<Dtype> dtype_from(std::string_view name);

/// Bytes of a tensor of this shape; empty when that overflows 2^63.
std::optional<uint64_t> tensor_bytes(Dtype dtype, const std::vector<uint64_t>& shape);

}  // namespace sg
