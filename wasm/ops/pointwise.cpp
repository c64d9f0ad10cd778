#include <array>
#include <string_view>

#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

constexpr std::array unary_names{
#define UNARY(name, forward, backward) #name,
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};
constexpr std::array binary_names{
#define UNARY(...)
#define BINARY(name, forward, da, db) #name,
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

/// Whether a row's gradients are both dc itself: of a sum nothing needs to be computed.
constexpr std::array passes_through{
#define UNARY(...)
#define BINARY(name, forward, da, db) std::string_view(#da) == "dc" && std::string_view(#db) == "dc",
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

/// The parameters of a broadcast: sizes of the result and the strides of both inputs, aligned at the last axis.
template <class Params>
Params broadcast_params(Binary op, float p, const Tensor& a, const Tensor& b, const Shape& shape) {
  Params q{};
  q.op = static_cast<int>(op);
  q.p = p;
  q.same = a.shape() == shape && b.shape() == shape;
  const auto d = aligned_sizes(shape), sa = aligned_strides(a.shape()), sb = aligned_strides(b.shape());
  q.d0 = d[0], q.d1 = d[1], q.d2 = d[2], q.d3 = d[3], q.d4 = d[4], q.d5 = d[5];
  q.a0 = sa[0], q.a1 = sa[1], q.a2 = sa[2], q.a3 = sa[3], q.a4 = sa[4], q.a5 = sa[5];
  q.b0 = sb[0], q.b1 = sb[1], q.b2 = sb[2], q.b3 = sb[3], q.b4 = sb[4], q.b5 = sb[5];
  return q;
}

}  // namespace

const char* name(Unary op) { return unary_names[static_cast<size_t>(op)]; }
const char* name(Binary op) { return binary_names[static_cast<size_t>(op)]; }

Tensor unary(Unary op, const Tensor& x, float p) {
  const int row = static_cast<int>(op);
  const Tensor y = run(params::unary{.op = row, .p = p}, {x}, x.shape());
  return record(y, {x}, [x, y, row, p](const Tensor& dy) -> Grads {
    return {run(params::unary_backward{.op = row, .p = p}, {x, y, dy}, x.shape())};
  });
}

Tensor binary(Binary op, const Tensor& a, const Tensor& b, float p) {
  const Shape shape = broadcast(a.shape(), b.shape(), name(op));
  const Tensor c = run(broadcast_params<params::binary>(op, p, a, b, shape), {a, b}, shape);
  return record(c, {a, b}, [a, b, op, p, shape](const Tensor& dc) -> Grads {
    if (passes_through[static_cast<size_t>(op)])
      return {a.requires_grad() ? sum_to(dc, a.shape()) : Tensor(),
              b.requires_grad() ? sum_to(dc, b.shape()) : Tensor()};
    const auto both = run_all(broadcast_params<params::binary_backward>(op, p, a, b, shape), {a, b, dc}, shape);
    return {sum_to(both[0], a.shape()), sum_to(both[1], b.shape())};
  });
}

}  // namespace sg::ops
