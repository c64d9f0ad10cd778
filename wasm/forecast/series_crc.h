#pragma once
// The CRC-32C of a column's values in row order: enough to notice other rows, not to store any.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

#include "io/crc32c.h"

namespace sg {

class SeriesCrc {
 public:
  void add(std::span<const float> values) {
    crc_ = crc32c({reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)}, crc_);
  }
  void add(float value) { add(std::span(&value, 1)); }
  /// Eight lower-case digits.
  std::string hex() const {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", crc_);
    return text;
  }

 private:
  uint32_t crc_ = 0;
};

}  // namespace sg
