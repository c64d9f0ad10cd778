// How a kernel becomes draws: one for each group of outputs that the context can write at once, and for each layer of
// the outputs; and several where an axis is long and the outputs few, since one fragment walks its axis alone while the
// rest of the GPU idles.
#pragma once
#include "core/device.h"
#include "webgl/draws.h"

namespace sg::webgl {

/// A call with its textures; `floats` is the size of each output.
struct Pass {
  Kernel kernel;
  std::span<const Texture> inputs, outputs;
  std::span<const std::byte> parameters;
  int32_t floats;
};

class Passes {
 public:
  Passes(Draws& draws, Textures& pool, int max_outputs) : draws_(draws), pool_(pool), max_outputs_(max_outputs) {}
  void run(const Pass& pass);

 private:
  void draw(const Pass& pass, int piece);
  void draw_layer(const Pass& pass, ProgramKey key, int piece, int layer);
  void run_sum(const Pass& pass);
  void run_max(const Pass& pass);
  void run_max_backward(const Pass& pass);
  void run_cumsum(const Pass& pass);
  void run_dot(const Pass& pass);
  void run_softmax_statistics(const Pass& pass);
  void run_norm_statistics(const Pass& pass);
  void run_norm_sums(const Pass& pass);
  void run_attention_statistics(const Pass& pass);
  void run_in_shares(const Pass& pass, int length);
  void sum_pieces(const Texture& parts, const Texture& to, int pieces, int32_t floats);
  /// A kernel whose outputs are sums of `length` terms, of which its shader adds `piece`: in several draws where the
  /// sums are long and few, or longer than `longest`.
  void run_in_pieces(const Pass& pass, int length, int longest);

  Draws& draws_;
  Textures& pool_;
  int max_outputs_;
};

}  // namespace sg::webgl
