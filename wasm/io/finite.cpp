#include "io/finite.h"

#include <algorithm>
#include <cstring>

namespace sg {
namespace {

/// A floating-point number is not finite when all bits of its exponent are set.
template <class Word>
std::optional<size_t> find(std::span<const uint8_t> bytes, Word exponent) {
  constexpr size_t kBlock = 1024;
  const size_t count = bytes.size() / sizeof(Word);
  const auto bad = [&](size_t i) {
    Word word;
    std::memcpy(&word, bytes.data() + i * sizeof(Word), sizeof(Word));
    return (word & exponent) == exponent;
  };
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t end = std::min(count, begin + kBlock);
    // Without a way out of the loop it takes many values at once.
    bool any = false;
    for (size_t i = begin; i < end; ++i) any |= bad(i);
    for (size_t i = begin; any && i < end; ++i)
      if (bad(i)) return i * sizeof(Word);
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> find_non_finite(Dtype dtype, std::span<const uint8_t> bytes) {
  switch (dtype) {
    case Dtype::F16:
      return find<uint16_t>(bytes, 0x7C00);
    case Dtype::BF16:
      return find<uint16_t>(bytes, 0x7F80);
    case Dtype::F32:
      return find<uint32_t>(bytes, 0x7F80'0000);
    case Dtype::F64:
      return find<uint64_t>(bytes, 0x7FF0'0000'0000'0000);
    default:
      return std::nullopt;
  }
}

}  // namespace sg
