// The draws of attention. Where its scores fit into memory they are made once, in tiles. Else no fragment walks more
// than kShare keys (or queries) of a draw: where there are more, further draws add their share to the sums of those
// before, which go back and forth between textures of the result's size.
#include <memory>
#include <vector>

#include "webgl/tiles.h"

namespace sg::webgl {
namespace {

/// The most floats of all scores together.
constexpr int64_t kMostScores = 1 << 24;

/// Whether the scores are made: they are few enough, and the rows of q, k and v begin with a texel.
template <class Params>
bool makes_scores(const Params& p, int max_outputs) {
  const int64_t scores = 16 * tiles_of(p.queries, p.keys) * p.batch * p.heads;
  const bool aligned = (p.width | p.q_row | p.kv_row | p.q_at | p.k_at | p.v_at) % 4 == 0;
  return aligned && scores <= kMostScores && max_outputs >= kTileOutputs;
}

}  // namespace

void Passes::run_attention_statistics(const Pass& pass) {
  const auto p = read<params::attention_statistics>(pass);
  if (makes_scores(p, max_outputs_)) {
    const Tiles made(pool_, int64_t{p.batch} * p.heads, p.queries, p.keys);
    draw({pass.kernel, pass.inputs, made.span(), pass.parameters, made.floats(), Stage::attention_scores}, 0);
    return draw({pass.kernel, made.span(), pass.outputs, pass.parameters, pass.floats, Stage::attention_rows}, 0);
  }
  const int piece = piece_of(p.keys, pass.floats), pieces = divide_up(p.keys, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(p.keys, 1));
  const int32_t floats = pass.floats * pieces;
  const Temporary maxima(pool_, floats), sums(pool_, floats), logarithm(pool_, pass.floats);
  const std::array<Texture, 2> parts{maxima.texture(), sums.texture()};
  draw({pass.kernel, pass.inputs, parts, pass.parameters, floats}, piece);
  const params::softmax_statistics join{.outer = 1, .reduce = pieces, .inner = pass.floats};
  const std::array<Texture, 3> joined{pass.outputs[0], pass.outputs[1], logarithm.texture()};
  draw({Kernel::softmax_statistics, parts, joined, bytes(join), pass.floats}, -1);
}

/// The kernels of attention end with as many inputs for earlier sums as they have outputs; `length` is what is shared.
void Passes::run_in_shares(const Pass& pass, int length) {
  const int draws = std::max(divide_up(length, kShare), 1);
  if (draws == 1) return draw(pass, 1);
  const size_t outputs = pass.outputs.size();
  std::array<std::unique_ptr<Temporary>, 2 * kMaxOutputs> made;
  std::vector<Texture> inputs(pass.inputs.begin(), pass.inputs.end()), targets(outputs);
  for (int i = 0; i < draws; ++i) {
    for (size_t o = 0; o < outputs; ++o) {
      // The last draw writes the result; those before it take turns with two textures, one where there are two draws.
      auto& texture = made[o * 2 + static_cast<size_t>(i % 2)];
      if (i + 1 < draws && !texture) texture = std::make_unique<Temporary>(pool_, pass.floats);
      targets[o] = i + 1 < draws ? texture->texture() : pass.outputs[o];
    }
    draw({pass.kernel, inputs, targets, pass.parameters, pass.floats}, i << 16 | draws);
    std::copy(targets.begin(), targets.end(), inputs.end() - static_cast<ptrdiff_t>(outputs));
  }
}

void Passes::run_attention(const Pass& pass) {
  const auto p = read<params::attention>(pass);
  if (!makes_scores(p, max_outputs_)) return run_in_shares(pass, p.keys);
  const auto in = pass.inputs;
  const Tiles made(pool_, int64_t{p.batch} * p.heads, p.queries, p.keys);
  const std::array<Texture, 5> inputs{in[0], in[1], in[3], in[4], in[5]};
  draw({pass.kernel, inputs, made.span(), pass.parameters, made.floats(), Stage::attention_weights}, 0);
  const auto weights = made.span();
  const std::array<Texture, 5> mixed{in[2], weights[0], weights[1], weights[2], weights[3]};
  draw({pass.kernel, mixed, pass.outputs, pass.parameters, pass.floats, Stage::attention_mix}, 0);
}

void Passes::run_attention_backward(const Pass& pass) {
  const auto p = read<params::attention_backward>(pass);
  if (!makes_scores(p, max_outputs_)) return run_in_shares(pass, std::max(p.queries, p.keys));
  const auto in = pass.inputs;
  const int64_t blocks = int64_t{p.batch} * p.heads;
  const Tiles weights(pool_, blocks, p.queries, p.keys), slopes(pool_, blocks, p.queries, p.keys);
  const std::array<Texture, 5> inputs{in[0], in[1], in[4], in[5], in[6]};
  draw({Kernel::attention, inputs, weights.span(), pass.parameters, weights.floats(), Stage::attention_weights}, 0);
  std::vector<Texture> from{in[2], in[3], in[4], in[7]};
  from.insert(from.end(), weights.span().begin(), weights.span().end());
  draw({pass.kernel, from, slopes.span(), pass.parameters, slopes.floats(), Stage::attention_slopes}, 0);
  from = {in[0], in[1], in[3]};
  for (const Tiles* tiles : {&weights, &slopes}) from.insert(from.end(), tiles->span().begin(), tiles->span().end());
  draw({pass.kernel, from, pass.outputs, pass.parameters, pass.floats, Stage::attention_gradients}, 0);
}

}  // namespace sg::webgl
