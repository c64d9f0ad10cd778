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

class ParameterRing {
 public:
  /// Binds its buffer; nothing else may bind a uniform buffer from here on.
  ParameterRing();
  /// Makes the block the one that the next draw reads.
  void bind(const ParameterBlock& block);
  /// Deletes its buffer, for good; its context must be current.
  void clear();

 private:
  uint32_t write(const ParameterBlock& block);

  GLuint buffer_ = 0;
  GLsizeiptr stride_ = 0;
  uint32_t next_ = 0, bound_ = UINT32_MAX;
  std::vector<ParameterBlock> slots_;
  std::unordered_map<ParameterBlock, uint32_t, ParameterBlock::Hash> slot_of_;
};

}  // namespace sg::webgl
