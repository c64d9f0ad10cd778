#include "webgl/transfer.h"

#include <array>
#include <vector>

namespace sg::webgl {

void write(Graphics& graphics, const Layout& layout, const Texture& texture, std::span<const float> values) {
  graphics.select_texture(texture.id);
  layout.each_block(static_cast<int64_t>(values.size()), [&](const Block& block) {
    const float* from = values.data() + block.first;
    std::vector<float> filled;  // up to whole texels
    if (block.floats % 4) {
      filled.assign(from, from + block.floats);
      filled.resize(static_cast<size_t>(4 * block.texels()));
      from = filled.data();
    }
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, block.y, block.layer, block.width, block.height, 1, GL_RGBA, GL_FLOAT,
                    from);
  });
}

void read(Graphics& graphics, TexturePool& pool, const Texture& texture, std::span<float> values) {
  pool.layout().each_block(static_cast<int64_t>(values.size()), [&](const Block& block) {
    float* const to = values.data() + block.first;
    std::vector<float> filled(block.floats % 4 ? static_cast<size_t>(4 * block.texels()) : 0);
    graphics.bind_framebuffer(pool.framebuffer({&texture, 1}, block.layer));
    graphics.context().read_pixels(block.y, block.width, block.height, filled.empty() ? to : filled.data());
    if (!filled.empty()) std::copy_n(filled.begin(), block.floats, to);
  });
  const float mark = graphics.next_mark();
  std::array<float, 4> witness{};
  graphics.bind_witness(mark);
  graphics.context().read_pixels(0, 1, 1, witness.data());
  graphics.check_witness(mark, witness[0]);
}

void pack(Graphics& graphics, TexturePool& pool, const Texture& texture, int64_t floats) {
  pool.layout().each_block(floats, [&](const Block& block) {
    graphics.bind_framebuffer(pool.framebuffer({&texture, 1}, block.layer));
    glReadPixels(0, block.y, block.width, block.height, GL_RGBA, GL_FLOAT,
                 reinterpret_cast<void*>(static_cast<intptr_t>(block.first) * intptr_t{sizeof(float)}));
  });
}

}  // namespace sg::webgl
