#pragma once
// CRC-32C (Castagnoli): the checksum of a stream on its way between the native host and the browser.

#include <cstdint>
#include <span>

namespace sg {

/// Of `bytes`, going on from `crc` (0 at the start).
uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t crc = 0);

}  // namespace sg
