// The draws of softmax and of the normalisations: their statistics are made in pieces where an axis is long, and the
// pieces joined by the same shader, which sees a negative `piece` then, or by sums.
#include "webgl/pieces.h"

namespace sg::webgl {

/// Sums `pieces` rows of `floats` each.
void Passes::sum_pieces(const Texture& parts, const Texture& to, int pieces, int32_t floats) {
  const params::sum p{.outer = 1, .reduce = pieces, .inner = floats, .scale = 1};
  run_sum({Kernel::sum, {&parts, 1}, {&to, 1}, bytes(p), floats});
}

void Passes::run_dot(const Pass& pass) {
  const auto p = read<params::dot>(pass);
  const int piece = piece_of(p.reduce, pass.floats), pieces = divide_up(p.reduce, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(p.reduce, 1));
  // The parts of an outer row lie side by side: [outer, pieces, inner].
  const int32_t floats = pass.floats * pieces;
  const Temporary parts(pool_, floats);
  draw({Kernel::dot, pass.inputs, parts.span(), pass.parameters, floats}, piece);
  const params::sum sum{.outer = p.outer, .reduce = pieces, .inner = p.inner, .scale = 1};
  run_sum({Kernel::sum, parts.span(), pass.outputs, bytes(sum), pass.floats});
}

void Passes::run_softmax_statistics(const Pass& pass) {
  const auto p = read<params::softmax_statistics>(pass);
  const int piece = piece_of(p.reduce, pass.floats), pieces = divide_up(p.reduce, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(p.reduce, 1));
  const int32_t floats = pass.floats * pieces;
  const Temporary maxima(pool_, floats), sums(pool_, floats), logarithms(pool_, floats);
  const std::array<Texture, 3> parts{maxima.texture(), sums.texture(), logarithms.texture()};
  draw({pass.kernel, pass.inputs, parts, pass.parameters, floats}, piece);
  params::softmax_statistics join = p;
  join.reduce = pieces;
  draw({pass.kernel, std::span(parts).first(2), pass.outputs, bytes(join), pass.floats}, -1);
}

void Passes::run_norm_statistics(const Pass& pass) {
  const auto p = read<params::norm_statistics>(pass);
  const int count = p.repeat * p.extent, piece = piece_of(count, pass.floats);
  const int pieces = divide_up(count, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(count, 1));
  const int32_t floats = pass.floats * pieces;
  const Temporary means(pool_, floats), variances(pool_, floats);
  const std::array<Texture, 2> parts{means.texture(), variances.texture()};
  draw({pass.kernel, pass.inputs, parts, pass.parameters, floats}, piece);
  draw({pass.kernel, parts, pass.outputs, pass.parameters, pass.floats}, -piece);
}

void Passes::run_norm_sums(const Pass& pass) {
  const auto p = read<params::norm_sums>(pass);
  const int count = p.repeat * p.extent, piece = piece_of(count, pass.floats);
  const int pieces = divide_up(count, std::max(piece, 1));
  if (pieces <= 1) return draw(pass, std::max(count, 1));
  const int32_t floats = pass.floats * pieces;
  const Temporary plain(pool_, floats), along(pool_, floats);
  const std::array<Texture, 2> parts{plain.texture(), along.texture()};
  draw({pass.kernel, pass.inputs, parts, pass.parameters, floats}, piece);
  for (size_t i = 0; i < 2; ++i) sum_pieces(parts[i], pass.outputs[i], pieces, pass.floats);
}

}  // namespace sg::webgl
