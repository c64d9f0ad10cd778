#pragma once
// The header of a NumPy array: a Python literal that says the type of an element, the shape and the order. It is read
// as data, never evaluated; what it claims is held against the file before anything is allocated.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/scalars.h"

namespace sg {

/// One field of an element: the element itself, or a member of a structured one.
struct NpyField {
  enum class Kind : uint8_t { number, time, bytes, unicode, padding };
  std::string name;
  Kind kind = Kind::number;
  Scalar scalar = Scalar::f8;
  bool big_endian = false;
  size_t size = 8;            // bytes of one, of the text for bytes and unicode
  std::vector<size_t> shape;  // of an array inside a structured element
  std::string unit;           // time: "s", "ns", "D", ...
  uint64_t unit_count = 1;

  size_t elements() const;
};

struct NpyHeader {
  std::vector<NpyField> fields;
  bool structured = false;
  bool fortran_order = false;
  std::vector<uint64_t> shape;
  size_t item_bytes = 0;
};

inline constexpr size_t kMaxNpyHeader = 10'000;

/// Throws npy.bad_header, or npy.unsupported for types that hold Python objects or nothing that a model reads.
NpyHeader parse_npy_header(std::string_view text);

/// Epoch seconds of a datetime64; NaN for NaT.
double npy_time(int64_t value, const NpyField& field);

}  // namespace sg
