#pragma once
// Numbers as binary formats store them, to doubles: one table of kinds for NPY, IDX, safetensors and the columns of
// other libraries. Bytes need no alignment.

#include <cstddef>
#include <cstdint>

namespace sg {

enum class Scalar : uint8_t { u1, i1, u2, i2, u4, i4, u8, i8, f2, bf2, f4, f8, b1 };

size_t scalar_bytes(Scalar kind);
/// 64-bit integers beyond 2^53 are rounded; b1 is 0 or 1.
double scalar_at(const uint8_t* bytes, Scalar kind, bool big_endian = false);

/// An unsigned number of up to 8 bytes.
uint64_t unsigned_at(const uint8_t* bytes, size_t size, bool big_endian = false);

}  // namespace sg
