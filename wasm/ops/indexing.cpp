// Ops that pick elements: by a condition, or by indices, which are whole numbers held as floats.
#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// Up to here every whole number is a float.
constexpr int kMostRows = 1 << 24;

params::where where_params(const Shape& shape, const Shape& condition, const Shape& a, const Shape& b) {
  params::where p{.same = condition == shape && a == shape && b == shape};
  const auto d = aligned_sizes(shape), sc = aligned_strides(condition), sa = aligned_strides(a),
             sb = aligned_strides(b);
  p.d0 = d[0], p.d1 = d[1], p.d2 = d[2], p.d3 = d[3], p.d4 = d[4], p.d5 = d[5];
  p.c0 = sc[0], p.c1 = sc[1], p.c2 = sc[2], p.c3 = sc[3], p.c4 = sc[4], p.c5 = sc[5];
  p.a0 = sa[0], p.a1 = sa[1], p.a2 = sa[2], p.a3 = sa[3], p.a4 = sa[4], p.a5 = sa[5];
  p.b0 = sb[0], p.b1 = sb[1], p.b2 = sb[2], p.b3 = sb[3], p.b4 = sb[4], p.b5 = sb[5];
  return p;
}

/// The elements that a gather picks, and back where they came from.
params::scatter_add back(const params::gather& p) {
  return {.outer = p.outer, .size = p.size, .count = p.count, .inner = p.inner, .rows = p.rows};
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast(broadcast(a.shape(), b.shape(), "where"), condition.shape(), "where");
  const Tensor y = run(where_params(shape, condition.shape(), a.shape(), b.shape()), {condition, a, b}, shape);
  return record(y, {a, b}, [condition, shape, a = a.shape(), b = b.shape()](const Tensor& dy) -> Grads {
    const Tensor zero = Tensor::full(dy.device(), Shape{}, 0);
    // da = dy where the condition holds, db = dy where it does not
    const Tensor da = run(where_params(shape, condition.shape(), shape, Shape{}), {condition, dy, zero}, shape);
    const Tensor db = run(where_params(shape, condition.shape(), Shape{}, shape), {condition, zero, dy}, shape);
    return {sum_to(da, a), sum_to(db, b)};
  });
}

Tensor gather(const Tensor& x, int number, const Tensor& index) {
  const std::string shapes = "gather: " + str(x.shape()) + " by an index " + str(index.shape());
  SG_CHECK(index.rank() == x.rank() && x.rank() > 0, shapes + " of another rank");
  const int axis = axis_of("gather", x, number);
  Tensor part = x;
  for (int i = 0; i < x.rank(); ++i) {
    if (i == axis) continue;
    SG_CHECK(index.shape()[i] <= x.shape()[i], shapes + " that is larger beside axis " + std::to_string(axis));
    if (index.shape()[i] < x.shape()[i]) part = narrow(part, i, 0, index.shape()[i]);
  }
  SG_CHECK(x.shape()[axis] <= kMostRows, shapes + ": a float does not tell so many indices apart");
  const params::gather p{.outer = static_cast<int>(index.shape().product(0, axis)),
                         .size = x.shape()[axis],
                         .count = index.shape()[axis],
                         .inner = static_cast<int>(index.shape().product(axis + 1, index.rank())),
                         .rows = 0};
  return record(run(p, {part, index}, index.shape()), {part},
                [p, index, shape = part.shape()](const Tensor& dy) -> Grads {
                  return {run(back(p), {dy, index}, shape)};  // dx[k] = Σ dy over the places that picked k
                });
}

Tensor embedding(const Tensor& indices, const Tensor& weight) {
  const std::string shapes = "embedding: indices " + str(indices.shape()) + " into a weight " + str(weight.shape());
  SG_CHECK(weight.rank() == 2, shapes + ", which must be [rows, width]");
  SG_CHECK(indices.rank() < kMaxRank, shapes + ": the result would have too many axes");
  SG_CHECK(weight.shape()[0] <= kMostRows, shapes + ": a float does not tell so many rows apart");
  std::vector<int> sizes;
  for (int i = 0; i < indices.rank(); ++i) sizes.push_back(indices.shape()[i]);
  sizes.push_back(weight.shape()[1]);
  const params::gather p{.outer = 1,
                         .size = weight.shape()[0],
                         .count = static_cast<int>(indices.size()),
                         .inner = weight.shape()[1],
                         .rows = 1};
  return record(run(p, {weight, indices}, Shape(sizes)), {weight},
                [p, indices, shape = weight.shape()](const Tensor& dy) -> Grads {
                  return {run(back(p), {dy, indices}, shape)};  // dweight[k] = Σ dy over the places that picked k
                });
}

std::array<float, 2> halves_of(uint32_t row) { return {static_cast<float>(row >> 12), static_cast<float>(row & 4095)}; }

Tensor windows(const Tensor& x, const Tensor& starts, int first, int time) {
  const std::string shapes = "windows: " + str(x.shape()) + " at " + str(starts.shape());
  SG_CHECK(x.rank() == 2, shapes + ": the series must be [rows, features]");
  SG_CHECK(starts.rank() == 2 && starts.dim(1) == 2, shapes + ": the starts must be [windows, 2]");
  SG_CHECK(first >= 0 && time >= 1 && time <= x.dim(0),
           shapes + ": there is no window of " + std::to_string(time) + " rows, " + std::to_string(first) + " on");
  SG_CHECK(!x.requires_grad(), shapes + ": a series is data and gets no gradient");
  const params::windows p{.rows = x.dim(0), .width = x.dim(1), .count = starts.dim(0), .first = first, .time = time};
  return run(p, {x, starts}, Shape{p.count, p.time, p.width});
}

}  // namespace sg::ops
