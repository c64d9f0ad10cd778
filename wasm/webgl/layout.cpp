#include "webgl/layout.h"

#include <string>

#include "io/error.h"

namespace sg::webgl {
namespace {

/// Rows of 256 texels: what a GPU makes together, a block of the screen, is near in the buffer too, and a small buffer
/// is more than one row, beside which half of the block would be idle. Layers of at most 16384 rows, 64 MiB: the last
/// layer's unused part is lost.
constexpr int kMaxRowBits = 8, kMaxHeightBits = 14;

/// The largest power of two that is at most `limit`.
int bits_of(int limit, int most) {
  int bits = 0;
  while (bits < most && 2 << bits <= limit) ++bits;
  return bits;
}

}  // namespace

Layout::Layout(int limit, int max_layers)
    : row_bits_(bits_of(limit, kMaxRowBits)),
      layer_bits_(row_bits_ + bits_of(limit, kMaxHeightBits)),
      max_layers_(max_layers) {}

int64_t Layout::max_floats() const { return std::min<int64_t>(max_layers_ * layer_floats(), INT32_MAX); }

Extent Layout::extent(int64_t floats) const {
  if (floats > max_floats()) {
    throw Error("webgl.too_large", "a buffer of " + std::to_string(floats) + " floats is more than the " +
                                       std::to_string(max_floats()) + " that one holds here (up to " +
                                       std::to_string(max_layers_) + " layers of " + std::to_string(row()) + " x " +
                                       std::to_string(1 << (layer_bits_ - row_bits_)) +
                                       " texels, and 2147483647 floats): use a smaller batch or the cpu device");
  }
  const int64_t texels = std::max<int64_t>((floats + 3) / 4, 1), rows = (texels + row() - 1) >> row_bits_;
  const int64_t layers = (texels + (int64_t{1} << layer_bits_) - 1) >> layer_bits_;
  const int64_t height = layers > 1 ? int64_t{1} << (layer_bits_ - row_bits_) : rows;
  return {static_cast<int>(std::min<int64_t>(texels, row())), static_cast<int>(height), static_cast<int>(layers)};
}

}  // namespace sg::webgl
