#pragma once
// The compression function of SHA-256, which is where all of its time goes: in portable C++, and by the instructions
// that many x86 processors have for it. Sha256 takes the quicker one that there is; tests hold one against the other.

#include <array>
#include <cstddef>
#include <cstdint>

namespace sg {

using Sha256State = std::array<uint32_t, 8>;

/// FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
extern const std::array<uint32_t, 64> kSha256Rounds;

/// Takes `blocks` times 64 bytes into the state.
void sha256_blocks(Sha256State& state, const uint8_t* bytes, size_t blocks);

#if defined(__x86_64__)
/// Whether this processor has the SHA extensions (and SSE4.1 beside them).
bool has_sha256_instructions();
/// The same by those instructions; only where the processor has them.
void sha256_blocks_by_instructions(Sha256State& state, const uint8_t* bytes, size_t blocks);
#endif

}  // namespace sg
