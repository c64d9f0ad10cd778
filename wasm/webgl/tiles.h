// Tiles of 4 x 4 of a matrix in four textures, one for each of their rows: see stages.def.
#pragma once
#include <vector>

#include "webgl/pieces.h"

namespace sg::webgl {

inline constexpr int kTileOutputs = 4;

inline int64_t tiles_of(int m, int n) { return int64_t{divide_up(m, 4)} * divide_up(n, 4); }

/// The textures for the time of one kernel, of so many blocks of matrices of m x n. Four rows of tiles make a band, and
/// bands lie beside each other, a texture's row wide, see prelude.glsl.
class Tiles {
 public:
  Tiles(Textures& pool, int64_t blocks, int m, int n) : Tiles(pool, floats_of(pool, blocks, m, n)) {}
  static int64_t floats_of(const Textures& pool, int64_t blocks, int m, int n) {
    const int64_t row = pool.layout().row(), places = blocks * divide_up(m, 16) * divide_up(n, 4);
    return places < row ? 4 * (3 * row + places) : 16 * row * ((places + row - 1) / row);
  }
  std::span<const Texture> span() const { return textures_; }
  int32_t floats() const { return floats_; }

 private:
  Tiles(Textures& pool, int64_t floats)
      : floats_(static_cast<int32_t>(floats)),
        made_{{{pool, floats}, {pool, floats}, {pool, floats}, {pool, floats}}},
        textures_{made_[0].texture(), made_[1].texture(), made_[2].texture(), made_[3].texture()} {}

  int32_t floats_;
  std::array<Temporary, kTileOutputs> made_;
  std::array<Texture, kTileOutputs> textures_;
};

}  // namespace sg::webgl
