#include "webgl/passes.h"

#include <algorithm>
#include <cstring>

#include "io/error.h"
#include "webgl/pieces.h"

namespace sg::webgl {
namespace {

/// The most steps of one draw, over all of its fragments. While a draw goes on nothing else is drawn, the person's own
/// screen included: a large one is cut into bands of rows. A software renderer takes so many in 50 ms.
constexpr int64_t kMostSteps = int64_t{1} << 22;

/// The values of constants() for a call.
int variant_of(const Pass& pass) {
  switch (pass.stage) {
    case Stage::matmul_join:
    case Stage::matmul_join_bias:
    case Stage::matmul_join_addmm:
      return read<params::matmul>(pass).n % 4 == 0;
    case Stage::gates_tile:
      return pass.kernel == Kernel::lstm_step_backward;
    default:
      break;
  }
  switch (pass.kernel) {
    case Kernel::binary:
      return read<params::binary>(pass).same;
    case Kernel::binary_backward:
      return read<params::binary_backward>(pass).same;
    case Kernel::lstm_step:
      return read<params::lstm_step>(pass).hidden % 4 == 0;
    case Kernel::lstm_step_backward:
      return read<params::lstm_step_backward>(pass).hidden % 4 == 0;
    case Kernel::gru_step:
      return read<params::gru_step>(pass).hidden % 4 == 0;
    case Kernel::gru_step_backward:
      return read<params::gru_step_backward>(pass).hidden % 4 == 0;
    case Kernel::matmul: {
      const auto p = read<params::matmul>(pass);
      return (p.trans_a != 0) | (p.trans_b != 0) << 1 | (p.k % 4 == 0) << 2 | (p.n % 4 == 0) << 3 |
             (p.batched != 0) << 4;
    }
    default:
      return 0;
  }
}

/// About how many steps of its loops a fragment takes, with a fetch or two each.
int64_t steps_of(const Pass& pass, int piece) {
  switch (pass.kernel) {
    case Kernel::attention:
    case Kernel::attention_backward: {  // both begin with the same parameters
      const auto p = read<params::attention>(pass);
      const int64_t walk = std::min(std::max(p.queries, p.keys), kShare);
      return pass.stage == Stage::none ? walk * p.width : walk;
    }
    default:
      return std::clamp(std::abs(piece), 1, kLongestWalk);
  }
}

}  // namespace

void Passes::run(const Pass& pass) {
  switch (pass.kernel) {
    case Kernel::sum:
      return run_sum(pass);
    case Kernel::max:
      return run_max(pass);
    case Kernel::max_backward:
      return run_max_backward(pass);
    case Kernel::matmul:
      return run_matmul(pass);
    case Kernel::addmm:
      return run_addmm(pass);
    case Kernel::lstm_step:
      return run_lstm_step(pass);
    case Kernel::lstm_step_backward:
      return run_lstm_step_backward(pass);
    case Kernel::gru_step:
      return run_gru_step(pass);
    case Kernel::gru_step_backward:
      return run_gru_step_backward(pass);
    case Kernel::conv2d:
      return run_conv2d(pass);
    case Kernel::conv2d_backward_input:
      return run_conv2d_backward_input(pass);
    case Kernel::conv2d_backward_weight:
      return run_conv2d_backward_weight(pass);
    case Kernel::scatter_add:
      return run_in_pieces(pass, read<params::scatter_add>(pass).count, kLongestSum);
    case Kernel::cumsum:
      return run_cumsum(pass);
    case Kernel::dot:
      return run_dot(pass);
    case Kernel::softmax_statistics:
      return run_softmax_statistics(pass);
    case Kernel::norm_statistics:
      return run_norm_statistics(pass);
    case Kernel::norm_sums:
      return run_norm_sums(pass);
    case Kernel::attention_statistics:
      return run_attention_statistics(pass);
    case Kernel::attention:
      return run_attention(pass);
    case Kernel::attention_backward:
      return run_attention_backward(pass);
    default:
      return draw(pass, 0);
  }
}

void Passes::draw(const Pass& pass, int piece) {
  ProgramKey key{.kernel = pass.kernel, .stage = pass.stage, .variant = variant_of(pass)};
  if (const int rows = pointwise_ops(pass.kernel)) {
    int32_t op = 0;
    memcpy(&op, pass.parameters.data(), sizeof(op));
    if (op < 0 || op >= rows) {
      throw Error("device.arguments",
                  std::string(info(pass.kernel).name) + ": no pointwise op has the number " + std::to_string(op));
    }
    key.op = op;
  }
  const Layout& layout = pool_.layout();
  key.row_bits = layout.row_bits();
  const auto layered = [](const Texture& texture) { return texture.extent.layers > 1; };
  if (std::any_of(pass.inputs.begin(), pass.inputs.end(), layered) || layered(pass.outputs[0])) {
    key.layer_bits = layout.layer_bits();
  }
  for (int layer = 0; layer < pass.outputs[0].extent.layers; ++layer) draw_layer(pass, key, piece, layer);
}

void Passes::draw_layer(const Pass& pass, ProgramKey key, int piece, int layer) {
  const auto start = static_cast<int32_t>(layer * pool_.layout().layer_floats());
  const ParameterBlock parameters(pass.parameters, pass.floats, piece, start);
  const Extent& target = pass.outputs[0].extent;
  const int64_t texels = (int64_t{pass.floats} - start + 3) / 4, row = pool_.layout().row();
  const int rows = static_cast<int>(std::min<int64_t>(target.height, (texels + row - 1) / row));
  const int64_t at_once = kMostSteps / (steps_of(pass, piece) * target.width);
  const int band = static_cast<int>(std::clamp<int64_t>(at_once, 1, std::max(rows, 1)));
  for (size_t first = 0; first < pass.outputs.size(); first += static_cast<size_t>(max_outputs_)) {
    const size_t count = std::min(pass.outputs.size() - first, static_cast<size_t>(max_outputs_));
    key.first_output = static_cast<int>(first);
    key.outputs = static_cast<int>(count);
    const auto outputs = pass.outputs.subspan(first, count);
    for (int y = 0; y < rows; y += band) {
      const Area area{y, target.width, std::min(band, rows - y)};
      draws_.draw({key, pass.inputs, outputs, layer, area, parameters});
    }
  }
}

void Passes::run_sum(const Pass& pass) {
  const auto p = read<params::sum>(pass);
  const int piece = piece_of(p.reduce, pass.floats), pieces = divide_up(p.reduce, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(p.reduce, 1));
  const int32_t floats = pass.floats * pieces;
  const Temporary parts(pool_, floats);
  params::sum first = p, second = p;
  first.scale = 1;
  second.reduce = pieces;
  draw({Kernel::sum, pass.inputs, parts.span(), bytes(first), floats}, piece);
  run_sum({Kernel::sum, parts.span(), pass.outputs, bytes(second), pass.floats});
}

void Passes::run_max(const Pass& pass) {
  const auto p = read<params::max>(pass);
  const int piece = piece_of(p.reduce, pass.floats), pieces = divide_up(p.reduce, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(p.reduce, 1));
  const int32_t floats = pass.floats * pieces;
  const Temporary parts(pool_, floats);
  params::max second = p;
  second.reduce = pieces;
  draw({Kernel::max, pass.inputs, parts.span(), pass.parameters, floats}, piece);
  run_max({Kernel::max, parts.span(), pass.outputs, bytes(second), pass.floats});
}

void Passes::run_max_backward(const Pass& pass) {
  constexpr int kAllAtOnce = 0, kMark = 1, kShare = 2, kShortAxis = 64;
  const auto p = read<params::max_backward>(pass);
  if (p.reduce <= kShortAxis) return draw(pass, kAllAtOnce);
  const int32_t groups = p.outer * p.inner;
  const Temporary marks(pool_, pass.floats), counts(pool_, groups);
  draw({Kernel::max_backward, pass.inputs, marks.span(), pass.parameters, pass.floats}, kMark);
  const params::sum count{.outer = p.outer, .reduce = p.reduce, .inner = p.inner, .scale = 1};
  run_sum({Kernel::sum, marks.span(), counts.span(), bytes(count), groups});
  const std::array<Texture, 3> shared{marks.texture(), counts.texture(), pass.inputs[2]};
  draw({Kernel::max_backward, shared, pass.outputs, pass.parameters, pass.floats}, kShare);
}

void Passes::run_cumsum(const Pass& pass) {
  constexpr int kShortAxis = 64;
  const auto p = read<params::cumsum>(pass);
  if (p.size <= kShortAxis) return draw(pass, p.size);
  const int piece = piece_of(std::max(p.size, kLongAxis), 0), pieces = divide_up(p.size, piece);
  const params::sum sum{.outer = p.outer, .reduce = p.size, .inner = p.inner, .scale = 1};
  const int32_t floats = p.outer * pieces * p.inner;
  const Temporary parts(pool_, floats);
  draw({Kernel::sum, pass.inputs.first(1), parts.span(), bytes(sum), floats}, piece);
  const std::array<Texture, 2> inputs{pass.inputs[0], parts.texture()};
  draw({Kernel::cumsum, inputs, pass.outputs, pass.parameters, pass.floats}, piece);
}

void Passes::run_in_pieces(const Pass& pass, int length, int longest) {
  constexpr int kPiece = 128, kMaxPieces = 64;
  const bool busy = length < kLongAxis || pass.floats > kManyFloats;
  const int wanted = busy ? length : std::max(kPiece, divide_up(length, 4 * kMaxPieces) * 4);
  const int piece = std::min(wanted, longest), pieces = divide_up(length, piece);
  if (pieces <= 1) return draw(pass, length);
  if (int64_t{pass.floats} * pieces > INT32_MAX) {
    throw Error("webgl.too_large", std::string(info(pass.kernel).name) + ": " + std::to_string(pass.floats) +
                                       " sums of " + std::to_string(length) + " terms are too many for this device");
  }
  const int32_t floats = pass.floats * pieces;
  const Temporary parts(pool_, floats);
  draw({pass.kernel, pass.inputs, parts.span(), pass.parameters, floats}, piece);
  const params::sum sum{.outer = 1, .reduce = pieces, .inner = pass.floats, .scale = 1};
  run_sum({Kernel::sum, parts.span(), pass.outputs, bytes(sum), pass.floats});
}

}  // namespace sg::webgl
