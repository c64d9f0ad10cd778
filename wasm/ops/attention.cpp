// Attention: statistics of every query's scores first, then the weighted values; nothing of the size of the scores is
// kept. With p = exp(s - maximum) / sum of the scores s = scale q kᵀ, and along = dy · y for each query,
//   dv = pᵀ dy    ds = scale p (dy vᵀ - along)    dq = ds k    dk = dsᵀ q.
#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

struct Sizes {
  int batch, heads, queries, keys, width;
  bool causal, padded;

  template <class Params>
  Params params() const {
    Params p{};
    p.batch = batch, p.heads = heads, p.queries = queries, p.keys = keys, p.width = width;
    p.causal = causal, p.padded = padded;
    p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width)));
    return p;
  }
};

Sizes sizes_of(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, const Tensor& padding) {
  SG_CHECK(q.rank() == 4 && k.rank() == 4 && q.dim(0) == k.dim(0) && q.dim(1) == k.dim(1) && q.dim(3) == k.dim(3) &&
               k.shape() == v.shape(),
           "scaled_dot_product_attention: q " + str(q.shape()) + ", k " + str(k.shape()) + " and v " + str(v.shape()) +
               " must be [N, H, T, D], [N, H, S, D] and [N, H, S, D]");
  const Sizes s{q.dim(0), q.dim(1), q.dim(2), k.dim(2), q.dim(3), causal, padding.defined()};
  SG_CHECK(!s.padded || padding.shape() == Shape({s.batch, s.keys}), "scaled_dot_product_attention: key_padding " +
                                                                         str(padding.shape()) + " for k " +
                                                                         str(k.shape()) + " must be [N, S]");
  return s;
}

/// [positions, width]: the cosines of a position's width/2 angles, then their sines. Made in double: an angle may be
/// many turns.
std::vector<float> rotations(int positions, int width, int first, float base) {
  std::vector<float> table;
  table.reserve(static_cast<size_t>(positions) * static_cast<size_t>(width));
  for (int t = 0; t < positions; ++t) {
    for (int i = 0; i < width; ++i) {
      const int pair = i % (width / 2);
      const double angle = (first + t) * std::pow(static_cast<double>(base), -2.0 * pair / width);
      table.push_back(static_cast<float>(i < width / 2 ? std::cos(angle) : std::sin(angle)));
    }
  }
  return table;
}

/// The last table made: the queries and keys of all layers and steps use the same one.
const std::vector<float>& known_rotations(int positions, int width, int first, float base) {
  struct Known {
    int positions = 0, width = 0, first = 0;
    float base = 0;
    std::vector<float> table;
  };
  thread_local Known known;
  if (known.positions != positions || known.width != width || known.first != first || known.base != base)
    known = {positions, width, first, base, rotations(positions, width, first, base)};
  return known.table;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal,
                                    const Tensor& key_padding) {
  const Sizes s = sizes_of(q, k, v, causal, key_padding);
  const Tensor padding = s.padded ? key_padding : q;
  const Shape rows{s.batch, s.heads, s.queries};
  const auto statistics = run_all(s.params<params::attention_statistics>(), {q, k, padding}, rows);
  const Tensor maximum = statistics[0], sum = statistics[1];
  const Tensor y = run(s.params<params::attention>(), {q, k, v, padding, maximum, sum, q}, q.shape());
  return record(y, {q, k, v}, [q, k, v, padding, maximum, sum, y, s, rows](const Tensor& dy) -> Grads {
    const params::dot dot{.outer = s.batch * s.heads * s.queries, .reduce = s.width, .inner = 1};
    const Tensor along = run(dot, {dy, y}, rows);
    Grads grads(3);
    if (q.requires_grad())
      grads[0] =
          run(s.params<params::attention_backward_q>(), {q, k, v, dy, padding, maximum, sum, along, q}, q.shape());
    if (k.requires_grad() || v.requires_grad()) {
      const auto both = run_all(s.params<params::attention_backward_kv>(),
                                {q, k, v, dy, padding, maximum, sum, along, k, k}, k.shape());
      grads[1] = both[0], grads[2] = both[1];
    }
    return grads;
  });
}

Tensor rotary(const Tensor& x, int first, float base) {
  SG_CHECK(x.rank() == 4 && x.dim(3) % 2 == 0, "rotary: x " + str(x.shape()) + " must be [N, H, T, D] with an even D");
  SG_CHECK(first >= 0 && base > 0, "rotary: the first position " + std::to_string(first) + " and the base " +
                                       std::to_string(base) + " must be at least 0 and above 0");
  params::rotary p{.rows = x.dim(0) * x.dim(1), .positions = x.dim(2), .width = x.dim(3), .backward = 0};
  const Tensor angles =
      Tensor::from(x.device(), Shape{p.positions, p.width}, known_rotations(p.positions, p.width, first, base));
  const Tensor y = run(p, {x, angles}, x.shape());
  p.backward = 1;
  return record(y, {x}, [p, angles](const Tensor& dy) -> Grads { return {run(p, {dy, angles}, dy.shape())}; });
}

}  // namespace sg::ops
