#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// Neighbouring axes.
struct AxisRun {
  int first, count;
};

/// A tensor seen as [outer, reduce, inner] around a run of axes, and the shape where these have size 1.
struct Around {
  int outer, reduce, inner;
  Shape kept;
};

Around around(const Tensor& x, AxisRun run) {
  const int end = run.first + run.count;
  Around v{static_cast<int>(x.shape().product(0, run.first)), static_cast<int>(x.shape().product(run.first, end)),
           static_cast<int>(x.shape().product(end, x.rank())), x.shape()};
  for (int axis = run.first; axis < end; ++axis) v.kept[axis] = 1;
  return v;
}

/// Which axes are reduced.
struct Reduced {
  std::array<bool, kMaxRank> axis{};
  int rank = 0;

  Reduced(const char* op, const Tensor& x, std::span<const int> axes) : rank(x.rank()) {
    SG_CHECK(!axes.empty(), std::string(op) + ": no axes of " + str(x.shape()) + " are named");
    for (const int given : axes) {
      bool& named = axis[static_cast<size_t>(axis_of(op, x, given))];
      SG_CHECK(!named, std::string(op) + ": axis " + std::to_string(given) + " is named twice");
      named = true;
    }
  }
  /// From the last to the first.
  std::vector<AxisRun> runs() const {
    std::vector<AxisRun> found;
    for (int i = rank - 1; i >= 0; --i) {
      if (!axis[static_cast<size_t>(i)]) continue;
      if (!found.empty() && found.back().first == i + 1)
        found.back() = {i, found.back().count + 1};
      else
        found.push_back({i, 1});
    }
    return found;
  }
  /// x's sizes without the reduced axes, or with 1 for them.
  Shape left(const Shape& x, bool keepdim) const {
    std::vector<int> sizes;
    for (int i = 0; i < rank; ++i) {
      const bool gone = axis[static_cast<size_t>(i)];
      if (!gone || keepdim) sizes.push_back(gone ? 1 : x[i]);
    }
    return Shape(sizes);
  }
  int64_t count(const Shape& x) const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i)
      if (axis[static_cast<size_t>(i)]) n *= x[i];
    return n;
  }
};

/// scale * the sum over a run of axes, which become 1. dx = scale * dy, the same along them.
Tensor scaled_sum(const Tensor& x, AxisRun axes, float scale) {
  const Around v = around(x, axes);
  const params::sum p{.outer = v.outer, .reduce = v.reduce, .inner = v.inner, .scale = scale};
  return record(run(p, {x}, v.kept), {x}, [shape = x.shape(), kept = v.kept, scale](const Tensor& dy) -> Grads {
    return {strided_copy(dy, shape, aligned_strides(kept), 0, scale)};
  });
}

Tensor scaled_sum(const Tensor& x, const Reduced& reduced, bool keepdim, float scale) {
  Tensor y = x;
  const std::vector<AxisRun> runs = reduced.runs();
  for (const AxisRun& axes : runs) y = scaled_sum(y, axes, &axes == &runs.back() ? scale : 1);
  return keepdim ? y : reshape(y, reduced.left(x.shape(), false));
}

Tensor mean(const char* op, const Tensor& x, std::span<const int> axes, bool keepdim) {
  const Reduced reduced(op, x, axes);
  return scaled_sum(x, reduced, keepdim, 1.0f / static_cast<float>(reduced.count(x.shape())));
}

/// The reduced axes last, so that they are neighbours: equal extremes share their gradient only within one kernel.
Tensor gathered(const Tensor& x, const Reduced& reduced) {
  std::vector<int> order;
  for (const bool last : {false, true})
    for (int i = 0; i < x.rank(); ++i)
      if (reduced.axis[static_cast<size_t>(i)] == last) order.push_back(i);
  return permute(x, order);
}

/// The sum of all elements in stages, so that no single output sums millions: about the square root each time.
Tensor total(const Tensor& x, float scale) {
  const int64_t n = x.size();
  int stride = 1;
  if (n > 1024)
    for (int s = 1; static_cast<int64_t>(s) * s <= n; ++s)
      if (n % s == 0) stride = s;
  const Tensor flat = reshape(x, Shape{static_cast<int>(n / stride), stride});
  if (stride == 1) return reshape(scaled_sum(flat, {0, 1}, scale), Shape{});
  return reshape(scaled_sum(scaled_sum(flat, {0, 1}, 1), {1, 1}, scale), Shape{});
}

}  // namespace

Tensor sum_to(const Tensor& x, const Shape& shape) {
  std::vector<int> axes;
  const int extra = x.rank() - shape.rank();
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] != 1 && (i < extra || shape[i - extra] == 1)) axes.push_back(i);
  return axes.empty() ? x.view(shape) : scaled_sum(x, Reduced("sum", x, axes), true, 1).view(shape);
}

Tensor sum(const Tensor& x, std::span<const int> axes, bool keepdim) {
  return scaled_sum(x, Reduced("sum", x, axes), keepdim, 1);
}
Tensor sum(const Tensor& x, int axis, bool keepdim) { return sum(x, {&axis, 1}, keepdim); }

Tensor mean(const Tensor& x, std::span<const int> axes, bool keepdim) { return mean("mean", x, axes, keepdim); }
Tensor mean(const Tensor& x, int axis, bool keepdim) { return mean("mean", x, {&axis, 1}, keepdim); }

Tensor amax(const Tensor& x, std::span<const int> axes, bool keepdim) {
  const Reduced reduced("amax", x, axes);
  const std::vector<AxisRun> runs = reduced.runs();
  const Tensor near = runs.size() == 1 ? x : gathered(x, reduced);
  const int count = static_cast<int>(axes.size());
  const Around v = around(near, runs.size() == 1 ? runs[0] : AxisRun{x.rank() - count, count});
  const Tensor y = run(params::max{.outer = v.outer, .reduce = v.reduce, .inner = v.inner}, {near},
                       reduced.left(x.shape(), keepdim));
  return record(y, {near}, [near, y, v](const Tensor& dy) -> Grads {
    const params::max_backward p{.outer = v.outer, .reduce = v.reduce, .inner = v.inner};
    return {run(p, {near, y, dy}, near.shape())};
  });
}
Tensor amax(const Tensor& x, int axis, bool keepdim) { return amax(x, {&axis, 1}, keepdim); }

Tensor amin(const Tensor& x, std::span<const int> axes, bool keepdim) {
  const Reduced named("amin", x, axes);  // so that an error has this op's name
  return neg(amax(neg(x), axes, keepdim));
}
Tensor amin(const Tensor& x, int axis, bool keepdim) { return amin(x, {&axis, 1}, keepdim); }

Tensor var(const Tensor& x, std::span<const int> axes, int correction, bool keepdim) {
  const Reduced reduced("var", x, axes);
  const int64_t n = reduced.count(x.shape());
  SG_CHECK(n > correction, "var: " + std::to_string(n) + " elements of " + str(x.shape()) + " with a correction of " +
                               std::to_string(correction));
  const Tensor distance = sub(x, mean("var", x, axes, true));
  return scaled_sum(square(distance), reduced, keepdim, 1.0f / static_cast<float>(n - correction));
}

namespace {

Tensor first_maximum(const Tensor& x, int outer, int reduce, int inner) {
  return run(params::argmax{.outer = outer, .reduce = reduce, .inner = inner}, {x}, Shape{outer, 1, inner});
}

/// In pieces of the axis, which a shader could not walk at once: the first piece with the maximum, and where it is in
/// there. The last piece is filled up with -inf, which comes after all that is equal to it.
Tensor first_maximum_of_pieces(const Tensor& x, const Around& v) {
  const int piece = static_cast<int>(std::sqrt(static_cast<double>(v.reduce))) + 1;
  const int pieces = (v.reduce + piece - 1) / piece;
  const std::array<int, 4> fill{0, 0, 0, pieces * piece - v.reduce};
  const Tensor all = pad(x.view(Shape{v.outer, v.reduce, v.inner}), fill, -std::numeric_limits<float>::infinity());
  const Tensor within = first_maximum(all, v.outer * pieces, piece, v.inner).view(Shape{v.outer, pieces, v.inner});
  const Tensor maxima = run(params::max{.outer = v.outer * pieces, .reduce = piece, .inner = v.inner}, {all},
                            Shape{v.outer, pieces, v.inner});
  const Tensor which = first_maximum(maxima, v.outer, pieces, v.inner);
  return add(mul_scalar(which, static_cast<float>(piece)), gather(within, 1, which));
}

}  // namespace

Tensor argmax(const Tensor& x, int index, bool keepdim) {
  constexpr int kLongAxis = 16384, kMostIndices = 1 << 24;
  const int axis = axis_of("argmax", x, index);
  const Around v = around(x, {axis, 1});
  SG_CHECK(v.reduce <= kMostIndices, "argmax: a float does not tell so many indices apart as axis " +
                                         std::to_string(axis) + " of " + str(x.shape()) + " has");
  const NoGrad off;
  const Tensor y = v.reduce <= kLongAxis ? first_maximum(x, v.outer, v.reduce, v.inner) : first_maximum_of_pieces(x, v);
  return y.view(Reduced("argmax", x, {&axis, 1}).left(x.shape(), keepdim));
}

Tensor cumsum(const Tensor& x, int index) {
  const int axis = axis_of("cumsum", x, index);
  const Around v = around(x, {axis, 1});
  const params::cumsum p{.outer = v.outer, .size = v.reduce, .inner = v.inner};
  return record(run(p, {x, x}, x.shape()), {x}, [p](const Tensor& dy) -> Grads {
    params::cumsum back = p;
    back.reverse = 1;  // dx[i] = Σ dy[j] over j >= i
    return {run(back, {dy, dy}, dy.shape())};
  });
}

Tensor sum(const Tensor& x) { return total(x, 1); }
Tensor mean(const Tensor& x) { return total(x, 1.0f / static_cast<float>(x.size())); }

}  // namespace sg::ops
