// FIPS 180-4, section 6.2, sixteen rounds at a time: the message schedule lives in sixteen words that each pass renews
// as it uses them, and the eight working variables change names from round to round instead of places.

#include "io/sha256.h"

#include <algorithm>
#include <cstring>

#include "io/sha256_blocks.h"

namespace sg {

const std::array<uint32_t, 64> kSha256Rounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {

uint32_t rotated(uint32_t x, int n) { return x >> n | x << (32 - n); }

uint32_t big_endian(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}

/// One round; its caller names the variables one place further each time.
inline void round(uint32_t a, uint32_t b, uint32_t c, uint32_t& d, uint32_t e, uint32_t f, uint32_t g, uint32_t& h,
                  uint32_t word) {
  h += (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (g ^ (e & (f ^ g))) + word;
  d += h;
  h += (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));
}

/// The word sixteen places further on in the schedule.
inline uint32_t renewed(const uint32_t* w, int i) {
  const uint32_t before = w[(i + 1) & 15], after = w[(i + 14) & 15];
  return w[i] + (rotated(before, 7) ^ rotated(before, 18) ^ before >> 3) + w[(i + 9) & 15] +
         (rotated(after, 17) ^ rotated(after, 19) ^ after >> 10);
}

/// At most so many blocks a call: an engine exchanges a function's first, slow code for quick code where it is called.
constexpr size_t kMostBlocks = 512;

}  // namespace

__attribute__((noinline)) void sha256_blocks(Sha256State& state, const uint8_t* p, size_t blocks) {
  for (; blocks > 0; --blocks, p += 64) {
    uint32_t w[16];
    for (int i = 0; i < 16; ++i) w[i] = big_endian(p + 4 * i);
    auto [a, b, c, d, e, f, g, h] = state;
    for (int pass = 0; pass < 64; pass += 16) {
      const uint32_t* k = kSha256Rounds.data() + pass;
      for (int i = 0; i < 16; i += 8) {
        if (pass > 0)
          for (int j = i; j < i + 8; ++j) w[j] = renewed(w, j);
        round(a, b, c, d, e, f, g, h, k[i] + w[i]);
        round(h, a, b, c, d, e, f, g, k[i + 1] + w[i + 1]);
        round(g, h, a, b, c, d, e, f, k[i + 2] + w[i + 2]);
        round(f, g, h, a, b, c, d, e, k[i + 3] + w[i + 3]);
        round(e, f, g, h, a, b, c, d, k[i + 4] + w[i + 4]);
        round(d, e, f, g, h, a, b, c, k[i + 5] + w[i + 5]);
        round(c, d, e, f, g, h, a, b, k[i + 6] + w[i + 6]);
        round(b, c, d, e, f, g, h, a, k[i + 7] + w[i + 7]);
      }
    }
    const uint32_t added[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; ++i) state[i] += added[i];
  }
}

namespace {

void take_blocks(Sha256State& state, const uint8_t* bytes, size_t blocks) {
#if defined(__x86_64__)
  static const bool by_instructions = has_sha256_instructions();
  if (by_instructions) return sha256_blocks_by_instructions(state, bytes, blocks);
#endif
  sha256_blocks(state, bytes, blocks);
}

}  // namespace

void Sha256::feed(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const size_t held = size_ % 64;
  size_ += bytes.size();
  if (held > 0) {
    const size_t take = std::min(bytes.size(), 64 - held);
    std::memcpy(rest_.data() + held, bytes.data(), take);
    bytes = bytes.subspan(take);
    if (held + take < 64) return;
    take_blocks(state_, rest_.data(), 1);
  }
  while (bytes.size() >= 64) {
    const size_t blocks = std::min(bytes.size() / 64, kMostBlocks);
    take_blocks(state_, bytes.data(), blocks);
    bytes = bytes.subspan(blocks * 64);
  }
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

Digest Sha256::finish() {
  const uint64_t bits = size_ * 8;
  std::array<uint8_t, 72> padding{0x80};
  const size_t zeros = (119 - size_ % 64) % 64 + 1;  // the one bit with its zeros, up to 8 bytes before a block's end
  for (size_t i = 0; i < 8; ++i) padding[zeros + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  feed({padding.data(), zeros + 8});
  Digest digest;
  for (size_t i = 0; i < 32; ++i) digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - i % 4 * 8));
  return digest;
}

Digest sha256(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.feed(bytes);
  return hash.finish();
}

std::string to_hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  if (text.size() != kDigestDigits) return std::nullopt;
  Digest digest{};
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool number = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
    if (!number && !letter) return std::nullopt;
    digest[i / 2] = static_cast<uint8_t>(digest[i / 2] << 4 | (number ? c - '0' : c - 'a' + 10));
  }
  return digest;
}

}  // namespace sg
