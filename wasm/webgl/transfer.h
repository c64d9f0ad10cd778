// Floats on their way into a texture and out of it, a block of texels at a time.
#pragma once
#include <span>

#include "webgl/texture_pool.h"

namespace sg::webgl {

void write(Graphics& graphics, const Layout& layout, const Texture& texture, std::span<const float> values);
/// Waits. Throws sg::Error("webgl.context_lost") where the values may not be those.
void read(Graphics& graphics, TexturePool& pool, const Texture& texture, std::span<float> values);
/// Copies the texels of the first `floats` values to the start of the buffer bound to GL_PIXEL_PACK_BUFFER, without
/// waiting.
void pack(Graphics& graphics, TexturePool& pool, const Texture& texture, int64_t floats);

}  // namespace sg::webgl
