// SHA-256 by the x86 SHA extensions: sha256rnds2 does two rounds, sha256msg1 and sha256msg2 renew the message schedule.
// The instructions keep the state as (a, b, e, f) and (c, d, g, h), which swap places every two rounds.

#include "io/sha256_blocks.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

namespace sg {

bool has_sha256_instructions() {
  constexpr unsigned kSha = 1u << 29, kSsse3 = 1u << 9, kSse41 = 1u << 19;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSsse3) == 0 || (c & kSse41) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

__attribute__((target("sha,sse4.1"))) void sha256_blocks_by_instructions(Sha256State& state, const uint8_t* bytes,
                                                                         size_t blocks) {
  const auto at = [](const void* p) { return static_cast<const __m128i*>(p); };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(at(&state[0])), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(at(&state[4])), 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
  for (; blocks > 0; --blocks, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];  // the sixteen words of the schedule
#pragma GCC unroll 16
    for (int four = 0; four < 16; ++four) {
      __m128i& now = w[four & 3];
      if (four < 4) {
        now = _mm_shuffle_epi8(_mm_loadu_si128(at(bytes + 16 * four)), big_endian);
      } else {
        const __m128i last = w[(four + 3) & 3];
        const __m128i sum =
            _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(four + 1) & 3]), _mm_alignr_epi8(last, w[(four + 2) & 3], 4));
        now = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i words = _mm_add_epi32(now, _mm_loadu_si128(at(&kSha256Rounds[static_cast<size_t>(4 * four)])));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  const auto to = [](void* p) { return static_cast<__m128i*>(p); };
  _mm_storeu_si128(to(&state[0]), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(to(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace sg

#endif
