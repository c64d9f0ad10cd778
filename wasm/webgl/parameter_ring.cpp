#include "webgl/parameter_ring.h"

#include <algorithm>
#include <cstring>

namespace sg::webgl {
namespace {

constexpr uint32_t kSlots = 2048;

constexpr size_t longest_parameters() {
  size_t longest = 0;
#define KERNEL(name, inputs, outputs, ...) longest = std::max(longest, sizeof(params::name));
#include "core/kernels.def"
#undef KERNEL
  return longest;
}
static_assert(longest_parameters() + 3 * sizeof(int32_t) <= ParameterRing::kBytes, "raise ParameterBlock::kWords");

}  // namespace

ParameterBlock::ParameterBlock(std::span<const std::byte> parameters, int32_t floats, int32_t piece, int32_t first) {
  if (!parameters.empty()) memcpy(words_.data(), parameters.data(), parameters.size());
  const size_t end = parameters.size() / sizeof(uint32_t);
  words_[end] = static_cast<uint32_t>(floats);
  words_[end + 1] = static_cast<uint32_t>(piece);
  words_[end + 2] = static_cast<uint32_t>(first);
}

size_t ParameterBlock::Hash::operator()(const ParameterBlock& block) const {
  uint64_t hash = 0;
  for (const uint32_t word : block.words_) hash = (hash ^ word) * 0x9E3779B97F4A7C15u + (hash >> 29);
  return static_cast<size_t>(hash ^ (hash >> 32));
}

ParameterRing::ParameterRing() {
  GLint alignment = 256;
  glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &alignment);
  stride_ = (kBytes + alignment - 1) / alignment * alignment;
  glGenBuffers(1, &buffer_);
  glBindBuffer(GL_UNIFORM_BUFFER, buffer_);
  glBufferData(GL_UNIFORM_BUFFER, stride_ * kSlots, nullptr, GL_DYNAMIC_DRAW);
}

void ParameterRing::clear() { glDeleteBuffers(1, &buffer_); }

uint32_t ParameterRing::write(const ParameterBlock& block) {
  const uint32_t slot = next_++ % kSlots;
  if (slots_.size() <= slot) {
    slots_.push_back(block);
  } else {
    slot_of_.erase(slots_[slot]);
    slots_[slot] = block;
  }
  slot_of_.emplace(block, slot);
  glBindBuffer(GL_UNIFORM_BUFFER, buffer_);
  glBufferSubData(GL_UNIFORM_BUFFER, stride_ * slot, kBytes, block.data());
  return slot;
}

Uniforms ParameterRing::place(const ParameterBlock& block) {
  const auto found = slot_of_.find(block);
  const uint32_t slot = found != slot_of_.end() ? found->second : write(block);
  return {buffer_, stride_ * static_cast<GLintptr>(slot)};
}

GLuint ParameterRing::make_buffer(std::span<const ParameterBlock> blocks) const {
  std::vector<std::byte> bytes(blocks.size() * static_cast<size_t>(stride_));
  for (size_t i = 0; i < blocks.size(); ++i)
    memcpy(bytes.data() + i * static_cast<size_t>(stride_), blocks[i].data(), kBytes);
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_UNIFORM_BUFFER, buffer);
  glBufferData(GL_UNIFORM_BUFFER, static_cast<GLsizeiptr>(bytes.size()), bytes.data(), GL_STATIC_DRAW);
  return buffer;
}

}  // namespace sg::webgl
