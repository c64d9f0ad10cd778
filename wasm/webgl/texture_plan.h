// Which textures the values of a recorded step lie in. Values that no draw needs at once share one; a texture serves
// any value that it is large enough for, since shaders find texels by the length of a row, whatever the texture's size.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/device.h"
#include "webgl/texture_pool.h"

namespace sg::webgl {

/// A value and the draws that need it, the first and the last included.
struct Need {
  Extent extent;
  uint32_t first = 0, last = 0;
  /// Whether it is written together with others: the targets of a draw must be of one size (Direct3D).
  bool exact = false;
};

struct TexturePlan {
  struct Wanted {
    Extent extent;
    bool exact = false;
  };
  std::vector<Wanted> textures;  // the largest first
  std::vector<uint32_t> of;      // the texture of each need
};

TexturePlan plan_textures(std::span<const Need> needs);

/// Textures in which recorded steps of one device lie. Steps never run at once and leave nothing there: they all use
/// the same ones.
class SharedTextures {
 public:
  SharedTextures(TexturePool& pool, Counters& counters) : pool_(pool), counters_(counters) {}
  /// One for each that is wanted. They go back to the pool when nobody holds them any more.
  std::vector<std::shared_ptr<const Texture>> take(std::span<const TexturePlan::Wanted> wanted);

 private:
  std::shared_ptr<const Texture> make(const Extent& extent);

  TexturePool& pool_;
  Counters& counters_;
  std::vector<std::weak_ptr<const Texture>> all_;
};

}  // namespace sg::webgl
