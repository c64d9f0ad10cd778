// Where a buffer's floats lie in its texture: four a texel, row after row, and layer after layer of a 2D array. Rows
// and layers hold powers of two of texels, so that a shader finds a place by shifts. Nearly every buffer has one layer.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>

namespace sg::webgl {

/// A texture's size in texels.
struct Extent {
  int width = 0, height = 0, layers = 0;
  int64_t bytes() const { return int64_t{16} * width * height * layers; }
  auto operator<=>(const Extent&) const = default;
};

/// Texels of one layer that a draw writes: `rows` rows from row `y` on, `width` of each.
struct Area {
  int y = 0, width = 0, rows = 0;
  bool operator==(const Area&) const = default;
};

/// Texels of one layer, `width` of each of `height` rows from row `y` on, whose floats lie together in the buffer.
struct Block {
  int layer, y, width, height;
  /// The number of the first float; how many floats of the buffer there are, the last texel's filling left out.
  int64_t first, floats;
  int64_t texels() const { return int64_t{width} * height; }
};

class Layout {
 public:
  /// For textures of at most `limit` x `limit` texels and `max_layers` layers.
  Layout(int limit, int max_layers);

  /// Texels of a row, and of a layer, as powers of two.
  int row_bits() const { return row_bits_; }
  int layer_bits() const { return layer_bits_; }
  int row() const { return 1 << row_bits_; }
  int64_t layer_floats() const { return int64_t{4} << layer_bits_; }
  /// The most floats of a buffer: what so many layers hold, and what an int32 counts.
  int64_t max_floats() const;
  /// The texture of a buffer. Throws sg::Error("webgl.too_large").
  Extent extent(int64_t floats) const;

  /// Calls visit(Block) for the buffer's first `floats` floats in order: the whole rows of a layer, then what is left.
  template <class Visit>
  void each_block(int64_t floats, const Visit& visit) const {
    for (int64_t first = 0; first < floats; first += layer_floats()) {
      const int64_t here = std::min(floats - first, layer_floats()), whole = here / (4 * row()) * (4 * row());
      const int layer = static_cast<int>(first / layer_floats()), rows = static_cast<int>(whole / (4 * row()));
      if (rows) visit(Block{layer, 0, row(), rows, first, whole});
      if (here > whole) {
        visit(Block{layer, rows, static_cast<int>((here - whole + 3) / 4), 1, first + whole, here - whole});
      }
    }
  }

 private:
  int row_bits_, layer_bits_;
  int64_t max_layers_;
};

}  // namespace sg::webgl
