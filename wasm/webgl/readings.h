// Values on their way back from the GPU: copied into a buffer in the GPU's own time, told to have arrived by a fence.
// Nothing here waits. In a browser a fence never signals within the task that made it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "webgl/texture_pool.h"

namespace sg::webgl {

class Readings {
 public:
  Readings(std::shared_ptr<Graphics> graphics, TexturePool& pool) : graphics_(std::move(graphics)), pool_(pool) {}
  ~Readings();
  Readings(const Readings&) = delete;
  Readings& operator=(const Readings&) = delete;

  uint32_t begin(const Texture& texture, int64_t floats);
  /// True, once, when the values are there; then the reading is over.
  bool finish(uint32_t reading, std::span<float> values);

 private:
  struct Reading {
    GLuint buffer = 0;
    GLsync fence = nullptr;
    int64_t floats = 0;
    GLsizeiptr bytes = 0;  // of the values in whole texels, and of the witness after them
    float mark = 0;
  };
  GLuint take_buffer(GLsizeiptr bytes);

  std::shared_ptr<Graphics> graphics_;
  TexturePool& pool_;
  std::map<uint32_t, Reading> readings_;
  std::multimap<GLsizeiptr, GLuint> free_;
  uint32_t next_ = 1;
};

}  // namespace sg::webgl
