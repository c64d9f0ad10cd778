// The textures of one device. Released ones are kept by size and handed out again, with the framebuffers that render to
// them: the steps of a training run allocate the same sizes, and in steady state make nothing.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "webgl/draws.h"

namespace sg::webgl {

class TexturePool final : public Textures {
 public:
  TexturePool(std::shared_ptr<Graphics> graphics, const Layout& layout)
      : Textures(layout), graphics_(std::move(graphics)) {}
  ~TexturePool() override;
  TexturePool(const TexturePool&) = delete;
  TexturePool& operator=(const TexturePool&) = delete;

  Texture take(int64_t floats) override { return take(layout().extent(floats)); }
  Texture take(const Extent& extent);
  void give_back(const Texture& texture) override;
  /// The framebuffer that has a layer of these textures as its targets, in this order.
  GLuint framebuffer(std::span<const Texture> targets, int layer);
  /// Textures that had to be made.
  uint64_t made() const { return made_; }

 private:
  Texture make(const Extent& extent);
  void trim();
  void delete_framebuffers();

  std::shared_ptr<Graphics> graphics_;
  std::map<Extent, std::vector<Texture>> free_;
  /// By the textures' names and the layer.
  std::map<std::array<GLuint, kMaxOutputs + 1>, GLuint> framebuffers_;
  int64_t free_bytes_ = 0;
  uint64_t made_ = 0;
};

}  // namespace sg::webgl
