// Attention: statistics of every query's scores first, then the weighted values; nothing of the size of the scores is
// kept. With p = exp(s - maximum) / sum of the scores s = scale q kᵀ, and along = dy · y for each query,
//   dv = pᵀ dy    ds = scale p (dy vᵀ - along)    dq = ds k    dk = dsᵀ q.
#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// How the heads lie in the buffers; see kernels.def.
struct Sizes {
  int batch, heads, share, queries, keys, width, q_row, kv_row, q_at, k_at, v_at;
  bool causal, padded;

  template <class Params>
  Params params() const {
    Params p{};
    p.batch = batch, p.heads = heads, p.share = share, p.queries = queries, p.keys = keys, p.width = width;
    p.q_row = q_row, p.kv_row = kv_row, p.q_at = q_at, p.k_at = k_at, p.v_at = v_at;
    p.causal = causal, p.padded = padded;
    p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width)));
    return p;
  }
};

/// What attention reads and what its backward needs.
struct Attended {
  Sizes sizes;
  Tensor q, k, v, padding, maximum, sum, y;
};

Attended attend(const Sizes& s, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& key_padding,
                const Shape& shape) {
  const Tensor padding = s.padded ? key_padding : q;
  const auto statistics =
      run_all(s.params<params::attention_statistics>(), {q, k, padding}, Shape{s.batch, s.queries, s.heads});
  const Tensor y = run(s.params<params::attention>(), {q, k, v, padding, statistics[0], statistics[1], q}, shape);
  return {s, q, k, v, padding, statistics[0], statistics[1], y};
}

struct Gradients {
  Tensor q, k, v;  // [batch, positions, heads width]
};

/// The first `rows` of each sample's rows.
Tensor first_rows(const Tensor& d, int rows) { return d.dim(1) == rows ? d : narrow(d, 1, 0, rows); }

Gradients gradients(const Attended& a, const Tensor& dy) {
  const Sizes& s = a.sizes;
  const params::dot dot{.outer = s.batch * s.queries * s.heads, .reduce = s.width, .inner = 1};
  const Tensor along = run(dot, {dy, a.y}, a.maximum.shape());
  const auto d = run_all(s.params<params::attention_backward>(),
                         {a.q, a.k, a.v, dy, a.padding, a.maximum, a.sum, along, a.q, a.q, a.q},
                         Shape{s.batch, std::max(s.queries, s.keys), s.heads * s.width});
  return {first_rows(d[0], s.queries), first_rows(d[1], s.keys), first_rows(d[2], s.keys)};
}

/// Tensors of `rows` rows each, side by side.
Tensor beside(const std::vector<Tensor>& parts, int rows, const Shape& shape) {
  const auto width = [&](size_t i) { return static_cast<int>(parts[i].size() / rows); };
  const Tensor& a = parts[0];
  const params::concat p{.outer = rows, .w0 = width(0), .w1 = width(1), .w2 = parts.size() > 2 ? width(2) : 0};
  return run(p, {a, parts[1], parts.back(), a, a, a, a, a}, shape);
}

void check_padding(const char* op, const Tensor& padding, int batch, int keys) {
  SG_CHECK(!padding.defined() || padding.shape() == Shape({batch, keys}),
           std::string(op) + ": key_padding " + str(padding.shape()) + " must be [" + std::to_string(batch) + ", " +
               std::to_string(keys) + "]");
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

/// The last table made: the queries and keys of all layers and steps use the same one. Not thread_local: in a module
/// linked without threads an object of a thread cannot be destroyed, and its making goes out of bounds.
const std::vector<float>& known_rotations(int positions, int width, int first, float base) {
  struct Known {
    int positions = 0, width = 0, first = 0;
    float base = 0;
    std::vector<float> table;
  };
  static Known known;
  if (known.positions != positions || known.width != width || known.first != first || known.base != base)
    known = {positions, width, first, base, rotations(positions, width, first, base)};
  return known.table;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal,
                                    const Tensor& key_padding) {
  SG_CHECK(q.rank() == 4 && k.rank() == 4 && q.dim(0) == k.dim(0) && q.dim(1) == k.dim(1) && q.dim(3) == k.dim(3) &&
               k.shape() == v.shape(),
           "scaled_dot_product_attention: q " + str(q.shape()) + ", k " + str(k.shape()) + " and v " + str(v.shape()) +
               " must be [N, H, T, D], [N, H, S, D] and [N, H, S, D]");
  check_padding("scaled_dot_product_attention", key_padding, q.dim(0), k.dim(2));
  // To the kernels each head is a sample of one head.
  const Sizes s{.batch = q.dim(0) * q.dim(1),
                .heads = 1,
                .share = q.dim(1),
                .queries = q.dim(2),
                .keys = k.dim(2),
                .width = q.dim(3),
                .q_row = q.dim(3),
                .kv_row = q.dim(3),
                .q_at = 0,
                .k_at = 0,
                .v_at = 0,
                .causal = causal,
                .padded = key_padding.defined()};
  const Attended a = attend(s, q, k, v, key_padding, q.shape());
  return record(a.y, {q, k, v}, [a](const Tensor& dy) -> Grads {
    const Gradients d = gradients(a, dy);
    return {d.q.view(a.q.shape()), d.k.view(a.k.shape()), d.v.view(a.v.shape())};
  });
}

Tensor multi_head_attention(const Tensor& qkv, int heads, bool causal, const Tensor& key_padding) {
  SG_CHECK(qkv.rank() == 3 && heads > 0 && qkv.dim(2) % (3 * heads) == 0,
           "multi_head_attention: qkv " + str(qkv.shape()) + " must be [N, T, 3E] with E a multiple of " +
               std::to_string(heads) + " heads");
  const int n = qkv.dim(0), time = qkv.dim(1), row = qkv.dim(2), width = row / 3;
  check_padding("multi_head_attention", key_padding, n, time);
  const Sizes s{.batch = n,
                .heads = heads,
                .share = 1,
                .queries = time,
                .keys = time,
                .width = width / heads,
                .q_row = row,
                .kv_row = row,
                .q_at = 0,
                .k_at = width,
                .v_at = 2 * width,
                .causal = causal,
                .padded = key_padding.defined()};
  const Attended a = attend(s, qkv, qkv, qkv, key_padding, Shape{n, time, width});
  return record(a.y, {qkv}, [a, n, time](const Tensor& dy) -> Grads {
    const Gradients d = gradients(a, dy);
    return {beside({d.q, d.k, d.v}, n * time, a.q.shape())};
  });
}

Tensor multi_head_attention(const Tensor& q, const Tensor& kv, int heads, bool causal, const Tensor& key_padding) {
  SG_CHECK(q.rank() == 3 && kv.rank() == 3 && heads > 0 && q.dim(2) % heads == 0 && q.dim(0) == kv.dim(0) &&
               kv.dim(2) == 2 * q.dim(2),
           "multi_head_attention: q " + str(q.shape()) + " and kv " + str(kv.shape()) +
               " must be [N, T, E] and [N, S, 2E] with E a multiple of " + std::to_string(heads) + " heads");
  const int n = q.dim(0), keys = kv.dim(1), width = q.dim(2);
  check_padding("multi_head_attention", key_padding, n, keys);
  const Sizes s{.batch = n,
                .heads = heads,
                .share = 1,
                .queries = q.dim(1),
                .keys = keys,
                .width = width / heads,
                .q_row = width,
                .kv_row = 2 * width,
                .q_at = 0,
                .k_at = 0,
                .v_at = width,
                .causal = causal,
                .padded = key_padding.defined()};
  const Attended a = attend(s, q, kv, kv, key_padding, q.shape());
  return record(a.y, {q, kv}, [a, n, keys](const Tensor& dy) -> Grads {
    const Gradients d = gradients(a, dy);
    return {d.q, beside({d.k, d.v}, n * keys, a.k.shape())};
  });
}

namespace {

/// x as [batch, positions, heads, width].
Tensor rotate(const char* op, const Tensor& x, params::rotary p, int first, float base) {
  SG_CHECK(first >= 0 && base > 0, std::string(op) + ": the first position " + std::to_string(first) +
                                       " and the base " + std::to_string(base) + " must be at least 0 and above 0");
  const Tensor angles =
      Tensor::from(x.device(), Shape{p.positions, p.width}, known_rotations(p.positions, p.width, first, base));
  const Tensor y = run(p, {x, angles}, x.shape());
  p.backward = 1;
  return record(y, {x}, [p, angles](const Tensor& dy) -> Grads { return {run(p, {dy, angles}, dy.shape())}; });
}

}  // namespace

Tensor rotary(const Tensor& x, int first, float base) {
  SG_CHECK(x.rank() == 4 && x.dim(3) % 2 == 0, "rotary: x " + str(x.shape()) + " must be [N, H, T, D] with an even D");
  return rotate(
      "rotary", x,
      {.batch = x.dim(0) * x.dim(1), .positions = x.dim(2), .heads = 1, .width = x.dim(3), .rotated = 1, .backward = 0},
      first, base);
}

Tensor rotary_heads(const Tensor& x, int heads, int rotated, int first, float base) {
  SG_CHECK(x.rank() == 3 && heads > 0 && x.dim(2) % (2 * heads) == 0 && rotated >= 0 && rotated <= heads,
           "rotary_heads: " + std::to_string(rotated) + " of " + std::to_string(heads) + " heads of x " +
               str(x.shape()) + ", which must be [N, T, heads D] with an even D");
  return rotate("rotary_heads", x,
                {.batch = x.dim(0),
                 .positions = x.dim(1),
                 .heads = heads,
                 .width = x.dim(2) / heads,
                 .rotated = rotated,
                 .backward = 0},
                first, base);
}

}  // namespace sg::ops
