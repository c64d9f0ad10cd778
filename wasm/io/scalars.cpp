#include "io/scalars.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace sg {
namespace {

template <class T, class Bits>
T from_bits(Bits bits) {
  static_assert(sizeof(T) == sizeof(Bits));
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// IEEE 754 half precision: 1 sign, 5 exponent and 10 fraction bits.
double half(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const double fraction = bits & 0x3FF;
  double value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

}  // namespace

size_t scalar_bytes(Scalar kind) {
  switch (kind) {
    case Scalar::u1:
    case Scalar::i1:
    case Scalar::b1:
      return 1;
    case Scalar::u2:
    case Scalar::i2:
    case Scalar::f2:
    case Scalar::bf2:
      return 2;
    case Scalar::u4:
    case Scalar::i4:
    case Scalar::f4:
      return 4;
    case Scalar::u8:
    case Scalar::i8:
    case Scalar::f8:
      return 8;
  }
  return 1;
}

uint64_t unsigned_at(const uint8_t* bytes, size_t size, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | bytes[big_endian ? i : size - 1 - i];
  return value;
}

double scalar_at(const uint8_t* bytes, Scalar kind, bool big_endian) {
  switch (kind) {
    case Scalar::u1:
      return bytes[0];
    case Scalar::i1:
      return static_cast<int8_t>(bytes[0]);
    case Scalar::b1:
      return bytes[0] != 0;
    case Scalar::u2:
      return static_cast<double>(unsigned_at(bytes, 2, big_endian));
    case Scalar::i2:
      return static_cast<int16_t>(unsigned_at(bytes, 2, big_endian));
    case Scalar::u4:
      return static_cast<double>(unsigned_at(bytes, 4, big_endian));
    case Scalar::i4:
      return static_cast<int32_t>(unsigned_at(bytes, 4, big_endian));
    case Scalar::u8:
      return static_cast<double>(unsigned_at(bytes, 8, big_endian));
    case Scalar::i8:
      return static_cast<double>(static_cast<int64_t>(unsigned_at(bytes, 8, big_endian)));
    case Scalar::f2:
      return half(static_cast<uint32_t>(unsigned_at(bytes, 2, big_endian)));
    case Scalar::bf2:
      return from_bits<float>(static_cast<uint32_t>(unsigned_at(bytes, 2, big_endian)) << 16);
    case Scalar::f4:
      return from_bits<float>(static_cast<uint32_t>(unsigned_at(bytes, 4, big_endian)));
    case Scalar::f8:
      return from_bits<double>(unsigned_at(bytes, 8, big_endian));
  }
  return 0;
}

}  // namespace sg
