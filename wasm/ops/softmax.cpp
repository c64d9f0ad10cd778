// Softmax and its relatives: the maximum and the sum of an axis first, then every element from them.
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// x as [outer, reduce, inner] around an axis, and its shape with that axis kept as 1.
struct Along {
  int outer, reduce, inner;
  Shape kept;

  Along(const char* op, const Tensor& x, int index) : kept(x.shape()) {
    const int axis = axis_of(op, x, index);
    outer = static_cast<int>(x.shape().product(0, axis));
    reduce = x.shape()[axis];
    inner = static_cast<int>(x.shape().product(axis + 1, x.rank()));
    kept[axis] = 1;
  }
  template <class Params>
  Params params() const {
    Params p{};
    p.outer = outer, p.reduce = reduce, p.inner = inner;
    return p;
  }
};

struct Statistics {
  Tensor maximum, sum, logarithm;
};

Statistics statistics(const Tensor& x, const Along& along) {
  const auto all = run_all(along.params<params::softmax_statistics>(), {x, x}, along.kept);
  return {all[0], all[1], all[2]};
}

Tensor from_statistics(const Tensor& x, const Statistics& s, const Along& along, bool logarithmic) {
  auto p = along.params<params::softmax>();
  p.logarithmic = logarithmic;
  return run(p, {x, s.maximum, s.sum}, x.shape());
}

/// dx = y (dy - Σ dy y); of the logarithm dx = dy - exp(y) Σ dy.
Tensor softmax_along(const char* op, const Tensor& x, int axis, bool logarithmic) {
  const Along along(op, x, axis);
  const Tensor y = from_statistics(x, statistics(x, along), along, logarithmic);
  return record(y, {x}, [y, along, logarithmic](const Tensor& dy) -> Grads {
    auto sum = along.params<params::sum>();
    sum.scale = 1;
    const Tensor total =
        logarithmic ? run(sum, {dy}, along.kept) : run(along.params<params::dot>(), {dy, y}, along.kept);
    auto p = along.params<params::softmax_backward>();
    p.logarithmic = logarithmic;
    return {run(p, {y, dy, total}, y.shape())};
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) { return softmax_along("softmax", x, axis, false); }
Tensor log_softmax(const Tensor& x, int axis) { return softmax_along("log_softmax", x, axis, true); }

Tensor logsumexp(const Tensor& x, int axis, bool keepdim) {
  const Along along("logsumexp", x, axis);
  const Statistics s = statistics(x, along);
  Shape shape = along.kept;
  if (!keepdim) {
    const int dropped = axis_of("logsumexp", x, axis);
    Axes sizes{};
    size_t rank = 0;
    for (int i = 0; i < x.rank(); ++i)
      if (i != dropped) sizes[rank++] = x.shape()[i];
    shape = Shape(std::span<const int>(sizes.data(), rank));
  }
  // dx = dy softmax(x)
  return record(s.logarithm.view(shape), {x}, [x, s, along](const Tensor& dy) -> Grads {
    return {mul(from_statistics(x, s, along, false), dy.view(along.kept))};
  });
}

}  // namespace sg::ops
