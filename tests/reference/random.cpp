// Philox4x32-10 written from section 4 of Salmon et al. (SC 2011): ten rounds of a Feistel-like step on two pairs of
// words, the key raised by Weyl constants between the rounds.
#include "tests/reference/reference.h"

namespace sg::reference {

Words philox4x32(Words counter, uint32_t key0, uint32_t key1) {
  const uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  for (uint32_t round = 0; round < 10; ++round) {
    const uint32_t k0 = key0 + round * 0x9E3779B9u;  // the golden ratio
    const uint32_t k1 = key1 + round * 0xBB67AE85u;  // sqrt(3) - 1
    const uint64_t left = multiplier0 * counter.word[0], right = multiplier1 * counter.word[2];
    Words next;
    next.word[0] = uint32_t(right / 0x100000000u) ^ counter.word[1] ^ k0;
    next.word[1] = uint32_t(right % 0x100000000u);
    next.word[2] = uint32_t(left / 0x100000000u) ^ counter.word[3] ^ k1;
    next.word[3] = uint32_t(left % 0x100000000u);
    counter = next;
  }
  return counter;
}

double uniform01(uint64_t seed, uint32_t stream, uint32_t draw, uint32_t i) {
  const Words out =
      philox4x32({{i / 4, stream, draw, 0}}, uint32_t(seed % 0x100000000u), uint32_t(seed / 0x100000000u));
  return (out.word[i % 4] / 256) / 16777216.0;
}

Array uniform(const Sizes& sizes, double low, double high, uint64_t seed, uint32_t stream, uint32_t draw) {
  Array y(sizes);
  for (uint32_t i = 0; i < y.values.size(); ++i) y.values[i] = low + (high - low) * uniform01(seed, stream, draw, i);
  return y;
}

Array dropout(const Array& x, double p, uint64_t seed, uint32_t draw) {
  const uint32_t dropout_stream = 3;
  Array y(x.sizes);
  for (uint32_t i = 0; i < y.values.size(); ++i) {
    const bool dropped = uniform01(seed, dropout_stream, draw, i) < p;
    y.values[i] = dropped ? 0 : x.values[i] / (1 - p);
  }
  return y;
}

}  // namespace sg::reference
