// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
// A number is a function of (seed, stream, draw, index) alone, so that every device makes the same ones in any order
// and a resumed run needs no state beyond the draw's count.
#pragma once
#include <array>
#include <cstdint>

namespace sg {

using Philox = std::array<uint32_t, 4>;

inline Philox philox(Philox counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * counter[0], p1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(p0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// The 24 high bits as a float in [0, 1): exact on every device.
inline float uniform01(uint32_t bits) { return static_cast<float>(bits >> 8) * 5.9604644775390625e-8f; }

/// What a use of random numbers is named by: streams never overlap.
enum class Stream : uint32_t { weights = 1, shuffle = 2, dropout = 3 };

/// A seed and the number of draws made so far: all that a checkpoint keeps of the random state.
struct Generator {
  uint64_t seed = 0;
  uint32_t draws = 0;
  uint32_t low() const { return static_cast<uint32_t>(seed); }
  uint32_t high() const { return static_cast<uint32_t>(seed >> 32); }
};

}  // namespace sg
