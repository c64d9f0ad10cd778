// The parameters of kernels in one uniform buffer, a slot for each distinct block. A training step repeats the blocks
// of the step before, so nearly every call finds its slot and uploads nothing; when all slots are taken the oldest is
// written anew.
#pragma once
#include <GLES3/gl3.h>

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/kernels.h"

namespace sg::webgl {

/// A kernel's parameters, then the number of floats of an output, the length of a piece where an axis is cut, and the
/// first float of the layer that is drawn.
class ParameterBlock {
 public:
  static constexpr size_t kWords = 32;
  ParameterBlock(std::span<const std::byte> parameters, int32_t floats, int32_t piece, int32_t first);
  bool operator==(const ParameterBlock&) const = default;
  const uint32_t* data() const { return words_.data(); }

  struct Hash {
    size_t operator()(const ParameterBlock& block) const;
  };

 private:
  std::array<uint32_t, kWords> words_{};
};

/// Where a block lies in a uniform buffer.
struct Uniforms {
  GLuint buffer = 0;
  GLintptr offset = 0;
  bool operator==(const Uniforms&) const = default;
};

class ParameterRing {
 public:
  static constexpr GLsizeiptr kBytes = ParameterBlock::kWords * sizeof(uint32_t);

  ParameterRing();
  /// Where the block lies now; until then it is written where it is new.
  Uniforms place(const ParameterBlock& block);
  /// A buffer of its own for these blocks, one every stride() bytes; the caller deletes it.
  GLuint make_buffer(std::span<const ParameterBlock> blocks) const;
  GLsizeiptr stride() const { return stride_; }
  /// Deletes its buffer, for good; its context must be current.
  void clear();

 private:
  uint32_t write(const ParameterBlock& block);

  GLuint buffer_ = 0;
  GLsizeiptr stride_ = 0;
  uint32_t next_ = 0;
  std::vector<ParameterBlock> slots_;
  std::unordered_map<ParameterBlock, uint32_t, ParameterBlock::Hash> slot_of_;
};

}  // namespace sg::webgl
