// What kernels are drawn with: textures for what they make on the way, and a place that takes the draws. It is the GPU,
// or a plan of a whole step that is drawn later, many times.
#pragma once
#include <array>
#include <span>

#include "webgl/graphics.h"

namespace sg::webgl {

/// Where textures come from.
class Textures {
 public:
  explicit Textures(const Layout& layout) : layout_(layout) {}
  virtual ~Textures() = default;
  /// Throws sg::Error("webgl.too_large") or ("webgl.out_of_memory").
  virtual Texture take(int64_t floats) = 0;
  virtual void give_back(const Texture& texture) = 0;
  const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
};

/// One triangle over texels of a layer of the outputs.
struct Draw {
  const ProgramKey& program;
  std::span<const Texture> inputs, outputs;
  int layer;
  Area area;
  const ParameterBlock& parameters;
};

class Draws {
 public:
  virtual ~Draws() = default;
  virtual void draw(const Draw& draw) = 0;
};

}  // namespace sg::webgl
