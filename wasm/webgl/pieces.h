// What kernels of several draws share: how an axis is cut into pieces, and textures for the time of one kernel.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "webgl/passes.h"

namespace sg::webgl {

inline constexpr int kLongAxis = 512;
/// With more fragments than this a GPU is busy without cutting the axis.
inline constexpr int kManyFloats = 4 * 4096;
/// The most elements of an axis that one fragment walks: beyond 65535 turns of its loops, counted together, llvmpipe
/// leaves them without a word, and a GPU may be reset by its driver.
inline constexpr int kLongestWalk = 16384;
/// What one fragment of a convolution sums at most: one that makes four sums over single columns takes up to 8 turns of
/// its loops a term.
inline constexpr int kLongestSum = 4096;

template <class Params>
Params read(const Pass& pass) {
  Params p;
  memcpy(&p, pass.parameters.data(), sizeof(p));
  return p;
}

/// The most keys (or queries) that one fragment of attention walks in a draw.
inline constexpr int kShare = 1024;

inline int divide_up(int a, int b) { return (a + b - 1) / b; }

/// Whether an axis of this length is walked by one fragment for each output, or four.
inline bool walks_at_once(int length, int outputs) {
  return length < kLongAxis || (outputs > kManyFloats && length <= kLongestWalk);
}

/// About the square root of the length, so that both draws walk equally far; a multiple of 4.
inline int piece_of(int length, int outputs) {
  if (walks_at_once(length, outputs)) return length;
  return divide_up(static_cast<int>(std::sqrt(static_cast<double>(length))) + 1, 4) * 4;
}

/// A texture for the time of one kernel.
class Temporary {
 public:
  Temporary(Textures& textures, int64_t floats) : textures_(textures), texture_(textures.take(floats)) {}
  ~Temporary() { textures_.give_back(texture_); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  std::span<const Texture> span() const { return {&texture_, 1}; }
  const Texture& texture() const { return texture_; }

 private:
  Textures& textures_;
  Texture texture_;
};

}  // namespace sg::webgl
