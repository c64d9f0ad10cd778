#pragma once
// SHA-256 (FIPS 180-4), in pieces of any size: what tells that a checkpoint's bytes are those that were written, and
// that a data set's file is the one from before.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sg {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  void feed(std::span<const uint8_t> bytes);
  /// The digest of all bytes so far; nothing may be fed afterwards.
  Digest finish();

 private:
  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> rest_{};  // the bytes of a block that is not full yet
  uint64_t size_ = 0;
};

Digest sha256(std::span<const uint8_t> bytes);

/// 64 lower-case hex digits, and back.
inline constexpr size_t kDigestDigits = 64;
std::string to_hex(const Digest& digest);
std::optional<Digest> digest_from_hex(std::string_view text);

}  // namespace sg
