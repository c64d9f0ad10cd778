#include "webgl/parameter_ring.h"

#include <algorithm>
#include <cstring>

namespace sg::webgl {
namespace {

constexpr uint32_t kSlots = 2048;
constexpr GLsizeiptr kBytes = ParameterBlock::kWords * sizeof(uint32_t);

constexpr size_t longest_parameters() {
  size_t longest = 0;
#define KERNEL(name, inputs, outputs, ...) longest = std::max(longest, sizeof(params::name));
#include "core/kernels.def"
#undef KERNEL
  return longest;
}
static_assert(longest_parameters() + 3 * sizeof(int32_t) <= kBytes, "raise ParameterBlock::kWords");

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
  glBufferSubData(GL_UNIFORM_BUFFER, stride_ * slot, kBytes, block.data());
  return slot;
}

void ParameterRing::bind(const ParameterBlock& block) {
  const auto found = slot_of_.find(block);
  const uint32_t slot = found != slot_of_.end() ? found->second : write(block);
  if (slot == bound_) return;
  bound_ = slot;
  glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer_, stride_ * slot, kBytes);
}

}  // namespace sg::webgl
