#include <algorithm>

#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// A tensor seen as [outer, reduce, inner] around one axis, and the shape that is left without it.
struct Around {
  int outer, reduce, inner;
  Shape kept, dropped;
};

Around around(const char* op, const Tensor& x, int index) {
  const int axis = axis_of(op, x, index);
  Around v{static_cast<int>(x.shape().product(0, axis)),
           x.shape()[axis],
           static_cast<int>(x.shape().product(axis + 1, x.rank())),
           x.shape(),
           {}};
  v.kept[axis] = 1;
  std::array<int, kMaxRank> rest{};
  int rank = 0;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) rest[static_cast<size_t>(rank++)] = x.shape()[i];
  v.dropped = Shape(std::span<const int>(rest.data(), static_cast<size_t>(rank)));
  return v;
}

/// scale * the sum over an axis. dx = scale * dy, the same along the axis.
Tensor scaled_sum(const char* op, const Tensor& x, int axis, bool keepdim, float scale) {
  const Around v = around(op, x, axis);
  const params::sum p{.outer = v.outer, .reduce = v.reduce, .inner = v.inner, .scale = scale};
  const Tensor y = run(p, {x}, keepdim ? v.kept : v.dropped);
  return record(y, {x}, [shape = x.shape(), kept = v.kept, scale](const Tensor& dy) -> Grads {
    return {strided_copy(dy.view(kept), shape, aligned_strides(kept), 0, scale)};
  });
}

/// The sum of all elements in stages, so that no single output sums millions: about the square root each time.
Tensor total(const Tensor& x, float scale) {
  const int64_t n = x.size();
  int stride = 1;
  if (n > 1024)
    for (int s = 1; static_cast<int64_t>(s) * s <= n; ++s)
      if (n % s == 0) stride = s;
  const Tensor flat = reshape(x, Shape{static_cast<int>(n / stride), stride});
  if (stride == 1) return reshape(scaled_sum("sum", flat, 0, false, scale), Shape{});
  return scaled_sum("sum", scaled_sum("sum", flat, 0, false, 1), 0, false, scale);
}

}  // namespace

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Tensor y = x;
  const int extra = x.rank() - shape.rank();
  for (int i = 0; i < x.rank(); ++i) {
    const int wanted = i < extra ? 1 : shape[i - extra];
    if (wanted == 1 && x.shape()[i] != 1) y = sum(y, i, true);
  }
  return y.view(shape);
}

Tensor sum(const Tensor& x, int axis, bool keepdim) { return scaled_sum("sum", x, axis, keepdim, 1); }

Tensor mean(const Tensor& x, int axis, bool keepdim) {
  const int size = x.shape()[axis_of("mean", x, axis)];
  return scaled_sum("mean", x, axis, keepdim, 1.0f / static_cast<float>(size));
}

Tensor amax(const Tensor& x, int axis, bool keepdim) {
  const Around v = around("amax", x, axis);
  const Tensor y =
      run(params::max{.outer = v.outer, .reduce = v.reduce, .inner = v.inner}, {x}, keepdim ? v.kept : v.dropped);
  return record(y, {x}, [x, y, v](const Tensor& dy) -> Grads {
    return {run(params::max_backward{.outer = v.outer, .reduce = v.reduce, .inner = v.inner}, {x, y, dy}, x.shape())};
  });
}

Tensor sum(const Tensor& x) { return total(x, 1); }
Tensor mean(const Tensor& x) { return total(x, 1.0f / static_cast<float>(x.size())); }

}  // namespace sg::ops
