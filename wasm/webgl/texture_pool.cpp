#include "webgl/texture_pool.h"

#include "io/error.h"

namespace sg::webgl {
namespace {

/// Free textures beyond this are deleted before new ones are made: a change of batch size must not keep both sizes.
constexpr int64_t kFreeBytes = int64_t{256} << 20;
constexpr size_t kMaxFramebuffers = 4096;

}  // namespace

TexturePool::~TexturePool() {
  graphics_->enter();
  delete_framebuffers();
  trim();
}

Texture TexturePool::take(const Extent& extent) {
  auto& free = free_[extent];
  if (free.empty()) return make(extent);
  const Texture texture = free.back();
  free.pop_back();
  free_bytes_ -= extent.bytes();
  return texture;
}

void TexturePool::give_back(const Texture& texture) {
  free_[texture.extent].push_back(texture);
  free_bytes_ += texture.extent.bytes();
}

Texture TexturePool::make(const Extent& extent) {
  if (free_bytes_ > kFreeBytes) trim();
  Texture texture{.extent = extent};
  glGenTextures(1, &texture.id);
  graphics_->select_texture(texture.id);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, extent.width, extent.height, extent.layers);
  texture.framebuffer = graphics_->make_framebuffer({&texture, 1}, 0);
  ++made_;
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return texture;
  glDeleteFramebuffers(1, &texture.framebuffer);
  glDeleteTextures(1, &texture.id);
  graphics_->forget_bindings();
  graphics_->check_not_lost();
  throw Error("webgl.out_of_memory", "the graphics memory has no room for a texture of " +
                                         std::to_string(extent.width) + " x " + std::to_string(extent.height) + " x " +
                                         std::to_string(extent.layers) + " texels (GL error " + std::to_string(error) +
                                         "): use a smaller batch or the cpu device");
}

GLuint TexturePool::framebuffer(std::span<const Texture> targets, int layer) {
  if (targets.size() == 1 && layer == 0) return targets[0].framebuffer;
  std::array<GLuint, kMaxOutputs + 1> key{};
  for (size_t i = 0; i < targets.size(); ++i) key[i] = targets[i].id;
  key[kMaxOutputs] = static_cast<GLuint>(layer);
  const auto found = framebuffers_.find(key);
  if (found != framebuffers_.end()) return found->second;
  if (framebuffers_.size() >= kMaxFramebuffers) delete_framebuffers();
  return framebuffers_[key] = graphics_->make_framebuffer(targets, layer);
}

void TexturePool::delete_framebuffers() {
  for (const auto& [key, framebuffer] : framebuffers_) glDeleteFramebuffers(1, &framebuffer);
  framebuffers_.clear();
  graphics_->forget_bindings();
}

void TexturePool::trim() {
  for (const auto& [size, textures] : free_) {
    for (const Texture& texture : textures) {
      glDeleteFramebuffers(1, &texture.framebuffer);
      glDeleteTextures(1, &texture.id);
    }
  }
  free_.clear();
  free_bytes_ = 0;
  delete_framebuffers();
}

}  // namespace sg::webgl
