#include "webgl/readings.h"

#include <limits>

#include "io/error.h"
#include "webgl/transfer.h"

namespace sg::webgl {

Readings::~Readings() {
  graphics_->enter();
  for (const auto& [id, reading] : readings_) {
    glDeleteSync(reading.fence);
    glDeleteBuffers(1, &reading.buffer);
  }
  for (const auto& [bytes, buffer] : free_) glDeleteBuffers(1, &buffer);
}

GLuint Readings::take_buffer(GLsizeiptr bytes) {
  const auto found = free_.find(bytes);
  GLuint buffer = 0;
  if (found != free_.end()) {
    buffer = found->second;
    free_.erase(found);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    return buffer;
  }
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
  glBufferData(GL_PIXEL_PACK_BUFFER, bytes, nullptr, GL_STREAM_READ);
  return buffer;
}

uint32_t Readings::begin(const Texture& texture, int64_t floats) {
  const int64_t bytes = (floats + 3) / 4 * 16 + 16;
  if (bytes > std::numeric_limits<GLsizeiptr>::max()) {
    throw Error("webgl.too_large", "a reading of " + std::to_string(floats) + " floats is more than memory holds here");
  }
  Reading reading{.floats = floats, .bytes = static_cast<GLsizeiptr>(bytes)};
  reading.buffer = take_buffer(reading.bytes);
  pack(*graphics_, pool_, texture, floats);
  reading.mark = graphics_->next_mark();
  graphics_->bind_witness(reading.mark);
  glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, reinterpret_cast<void*>(static_cast<intptr_t>(bytes) - 16));
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  reading.fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (!reading.fence) {
    free_.emplace(reading.bytes, reading.buffer);
    graphics_->check_not_lost();
    throw Error("webgl.error", "no fence could be made for a reading");
  }
  glFlush();
  readings_.emplace(next_, reading);
  return next_++;
}

bool Readings::finish(uint32_t id, std::span<float> values) {
  const auto found = readings_.find(id);
  if (found == readings_.end()) throw Error("device.handle", "no reading " + std::to_string(id) + " is under way");
  const Reading reading = found->second;
  if (static_cast<int64_t>(values.size()) != reading.floats) {
    throw Error("device.size", "a reading of " + std::to_string(reading.floats) + " floats was asked for " +
                                   std::to_string(values.size()));
  }
  const GLenum state = glClientWaitSync(reading.fence, 0, 0);
  if (state == GL_TIMEOUT_EXPIRED) return false;
  glBindBuffer(GL_PIXEL_PACK_BUFFER, reading.buffer);
  float witness = 0;
  graphics_->context().read_pack_buffer(values);
  graphics_->context().read_pack_buffer({&witness, 1}, static_cast<int64_t>(reading.bytes) / 4 - 4);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  // A fence of a dead context may signal as well: only now is it known whether these are values.
  graphics_->check_witness(reading.mark, witness);
  if (state == GL_WAIT_FAILED) throw Error("webgl.error", "the wait for a reading failed");
  glDeleteSync(reading.fence);
  free_.emplace(reading.bytes, reading.buffer);
  readings_.erase(found);
  return true;
}

}  // namespace sg::webgl
