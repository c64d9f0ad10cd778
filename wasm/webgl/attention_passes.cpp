// The draws of attention. No fragment walks more than kShare keys (or queries) of a draw: where there are more, further
// draws add their share to the sums of those before, which go back and forth between textures of the result's size.
#include <memory>
#include <vector>

#include "webgl/pieces.h"

namespace sg::webgl {
namespace {

constexpr int kShare = 1024;

}  // namespace

void Passes::run_attention_statistics(const Pass& pass) {
  const auto p = read<params::attention_statistics>(pass);
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

}  // namespace sg::webgl
