// How a kernel becomes draws: one for each group of outputs that the context can write at once, and for each layer of
// the outputs; and several where an axis is long and the outputs few, since one fragment walks its axis alone while the
// rest of the GPU idles.
#pragma once
#include <vector>

#include "core/device.h"
#include "webgl/draws.h"

namespace sg::webgl {

/// A call with its textures; `floats` is the size of each output.
struct Pass {
  Kernel kernel;
  std::span<const Texture> inputs, outputs;
  std::span<const std::byte> parameters;
  int32_t floats;
  Stage stage = Stage::none;
};

class Passes {
 public:
  Passes(Draws& draws, Textures& pool, int max_outputs) : draws_(draws), pool_(pool), max_outputs_(max_outputs) {}
  void run(const Pass& pass);

 private:
  void draw(const Pass& pass, int piece);
  void draw_layer(const Pass& pass, ProgramKey key, int piece, int layer);
  void run_matmul(const Pass& pass);
  void run_addmm(const Pass& pass);
  /// Whether so many products are made in tiles.
  bool tiles_pay(const params::matmul& p, int64_t products) const;
  /// Whether the products of a recurrent step are made by a draw of their own.
  bool gates_pay(int batch, int hidden) const;
  void run_step(const Pass& pass, const params::matmul& product, const Texture& h, const Texture& w,
                std::vector<Texture> inputs, Stage stage);
  void run_step_backward(const Pass& pass, int gates, int batch, int hidden, const std::array<Texture, 5>& factors,
                         std::vector<Texture> inputs, Stage stage);
  void run_lstm_step(const Pass& pass);
  void run_lstm_step_backward(const Pass& pass);
  void run_gru_step(const Pass& pass);
  void run_gru_step_backward(const Pass& pass);
  void draw_columns(const Pass& pass, const Texture& x, const Texture& columns, int64_t floats);
  void run_conv2d(const Pass& pass);
  void run_conv2d_backward_input(const Pass& pass);
  void run_conv2d_backward_weight(const Pass& pass);
  void run_sum(const Pass& pass);
  void run_max(const Pass& pass);
  void run_max_backward(const Pass& pass);
  void run_cumsum(const Pass& pass);
  void run_dot(const Pass& pass);
  void run_softmax_statistics(const Pass& pass);
  void run_norm_statistics(const Pass& pass);
  void run_norm_sums(const Pass& pass);
  void run_attention_statistics(const Pass& pass);
  void run_attention(const Pass& pass);
  void run_attention_backward(const Pass& pass);
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
