#include <algorithm>
#include <numeric>
#include <vector>

#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {

int axis_of(const char* op, const Tensor& x, int index) {
  SG_CHECK(index >= -x.rank() && index < x.rank(),
           std::string(op) + ": axis " + std::to_string(index) + " does not exist in " + str(x.shape()));
  return x.shape().axis(index);
}

Axes aligned_sizes(const Shape& shape) {
  Axes d{1, 1, 1, 1, 1, 1};
  for (int i = 0; i < shape.rank(); ++i) d[static_cast<size_t>(kMaxRank - shape.rank() + i)] = shape[i];
  return d;
}

Axes aligned_strides(const Shape& shape) {
  const auto s = strides(shape);
  Axes out{};
  for (int i = 0; i < shape.rank(); ++i)
    out[static_cast<size_t>(kMaxRank - shape.rank() + i)] = s[static_cast<size_t>(i)];
  return out;
}

Tensor strided_copy(const Tensor& x, const Shape& shape, const Axes& s, int offset, float scale) {
  const Axes d = aligned_sizes(shape);
  return run(params::strided_copy{.scale = scale,
                                  .offset = offset,
                                  .d0 = d[0],
                                  .d1 = d[1],
                                  .d2 = d[2],
                                  .d3 = d[3],
                                  .d4 = d[4],
                                  .d5 = d[5],
                                  .s0 = s[0],
                                  .s1 = s[1],
                                  .s2 = s[2],
                                  .s3 = s[3],
                                  .s4 = s[4],
                                  .s5 = s[5]},
             {x}, shape);
}

Tensor reshape(const Tensor& x, const Shape& shape) {
  SG_CHECK(shape.size() == x.size(), "reshape: " + str(x.shape()) + " as " + str(shape));
  return record(x.view(shape), {x}, [before = x.shape()](const Tensor& dy) -> Grads { return {dy.view(before)}; });
}

Tensor reshape(const Tensor& x, std::span<const int> wanted) {
  std::vector<int> sizes(wanted.begin(), wanted.end());
  const auto open = std::find(sizes.begin(), sizes.end(), -1);
  if (open == sizes.end()) return reshape(x, Shape(sizes));
  *open = 1;
  const int64_t known = Shape(sizes).size();  // throws where a second size is -1
  SG_CHECK(known > 0 && x.size() % known == 0,
           "reshape: " + str(x.shape()) + " does not divide by the sizes beside -1, " + str(Shape(sizes)));
  *open = static_cast<int>(x.size() / known);
  return reshape(x, Shape(sizes));
}

Tensor permute(const Tensor& x, std::span<const int> order) {
  SG_CHECK(static_cast<int>(order.size()) == x.rank(), "permute: " + str(x.shape()) + " needs an order of its axes");
  const auto from = strides(x.shape());
  Shape shape = x.shape();
  Axes steps{}, inverse{};
  std::array<bool, kMaxRank> seen{};
  int i = 0;
  for (const int given : order) {
    const auto axis = static_cast<size_t>(axis_of("permute", x, given));
    SG_CHECK(!seen[axis], "permute: axis " + std::to_string(given) + " is named twice");
    seen[axis] = true;
    shape[i] = x.shape()[static_cast<int>(axis)];
    steps[static_cast<size_t>(kMaxRank - x.rank() + i)] = from[axis];
    inverse[axis] = i++;
  }
  const Tensor y = strided_copy(x, shape, steps);
  return record(y, {x}, [inverse, shape, before = x.shape()](const Tensor& dy) -> Grads {
    const auto s = strides(shape);
    Axes back{};
    for (int k = 0; k < before.rank(); ++k)
      back[static_cast<size_t>(kMaxRank - before.rank() + k)] = s[static_cast<size_t>(inverse[static_cast<size_t>(k)])];
    return {strided_copy(dy, before, back)};
  });
}

Tensor transpose(const Tensor& x, int first, int second) {
  std::array<int, kMaxRank> order{0, 1, 2, 3, 4, 5};
  std::swap(order[static_cast<size_t>(axis_of("transpose", x, first))],
            order[static_cast<size_t>(axis_of("transpose", x, second))]);
  return permute(x, std::span<const int>(order.data(), static_cast<size_t>(x.rank())));
}

Tensor expand(const Tensor& x, const Shape& shape) {
  SG_CHECK(broadcast(x.shape(), shape, "expand") == shape,
           "expand: " + str(x.shape()) + " does not broadcast to " + str(shape));
  const Tensor y = strided_copy(x, shape, aligned_strides(x.shape()));
  return record(y, {x}, [before = x.shape()](const Tensor& dy) -> Grads { return {sum_to(dy, before)}; });
}

namespace {

/// Elements start, start + step, ... of an axis, `length` of them.
Tensor every(const Tensor& x, int axis, int start, int length, int step) {
  Shape shape = x.shape();
  shape[axis] = length;
  const int inner = static_cast<int>(x.shape().product(axis + 1, x.rank()));
  Axes steps = aligned_strides(x.shape());
  if (length == 1) step = 1;  // it leads nowhere, and may be larger than what kernels can add to a place
  steps[static_cast<size_t>(kMaxRank - x.rank() + axis)] *= step;
  const Tensor y = strided_copy(x, shape, steps, start * inner);
  const params::pad back{.outer = static_cast<int>(x.shape().product(0, axis)),
                         .size = x.shape()[axis],
                         .inner = inner,
                         .start = start,
                         .length = length,
                         .step = step};
  return record(y, {x}, [back, before = x.shape()](const Tensor& dy) -> Grads { return {run(back, {dy}, before)}; });
}

}  // namespace

Tensor narrow(const Tensor& x, int index, int start, int length) {
  const int axis = axis_of("narrow", x, index), size = x.shape()[axis];
  SG_CHECK(start >= 0 && length > 0 && length <= size - start, "narrow: " + std::to_string(start) + " and " +
                                                                   std::to_string(length) + " more reach beyond axis " +
                                                                   std::to_string(axis) + " of " + str(x.shape()));
  return every(x, axis, start, length, 1);
}

Tensor slice(const Tensor& x, int index, int start, int stop, int step) {
  const int axis = axis_of("slice", x, index), size = x.shape()[axis];
  SG_CHECK(step >= 1, "slice: a step of " + std::to_string(step) + " is below 1");
  const auto end = [size](int at) { return std::clamp(at < 0 ? at + size : at, 0, size); };
  const int first = end(start), last = end(stop);
  SG_CHECK(first < last, "slice: nothing lies between " + std::to_string(start) + " and " + std::to_string(stop) +
                             " along axis " + std::to_string(axis) + " of " + str(x.shape()));
  return every(x, axis, first, (last - first - 1) / step + 1, step);
}

namespace {

Tensor flipped(const Tensor& x, const std::array<bool, kMaxRank>& turned) {
  Axes steps = aligned_strides(x.shape());
  int offset = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!turned[static_cast<size_t>(axis)]) continue;
    int& step = steps[static_cast<size_t>(kMaxRank - x.rank() + axis)];
    offset += (x.shape()[axis] - 1) * step;
    step = -step;
  }
  return strided_copy(x, x.shape(), steps, offset);
}

}  // namespace

Tensor flip(const Tensor& x, std::span<const int> axes) {
  std::array<bool, kMaxRank> turned{};
  for (const int given : axes) {
    bool& is_turned = turned[static_cast<size_t>(axis_of("flip", x, given))];
    SG_CHECK(!is_turned, "flip: axis " + std::to_string(given) + " is named twice");
    is_turned = true;
  }
  return record(flipped(x, turned), {x}, [turned](const Tensor& dy) -> Grads { return {flipped(dy, turned)}; });
}

Tensor pad(const Tensor& x, std::span<const int> sizes, float value) {
  SG_CHECK(sizes.size() % 2 == 0 && static_cast<int>(sizes.size()) <= 2 * x.rank(),
           "pad: " + std::to_string(sizes.size()) + " sizes are no pairs of axes of " + str(x.shape()));
  Tensor y = x;
  for (size_t pair = 0; 2 * pair < sizes.size(); ++pair) {
    const int before = sizes[2 * pair], after = sizes[2 * pair + 1], axis = x.rank() - 1 - static_cast<int>(pair);
    SG_CHECK(before >= 0 && after >= 0, "pad: " + std::to_string(before) + " before and " + std::to_string(after) +
                                            " after axis " + std::to_string(axis) + " of " + str(x.shape()));
    if (before == 0 && after == 0) continue;
    Shape shape = y.shape();
    const int length = shape[axis];
    SG_CHECK(int64_t{length} + before + after <= INT32_MAX, "pad: an axis of " + str(shape) + " would be too long");
    shape[axis] += before + after;
    const params::pad p{.outer = static_cast<int>(shape.product(0, axis)),
                        .size = shape[axis],
                        .inner = static_cast<int>(shape.product(axis + 1, shape.rank())),
                        .start = before,
                        .length = length,
                        .step = 1,
                        .value = value};
    const Tensor inside = y;
    y = record(run(p, {inside}, shape), {inside},
               [axis, before, length](const Tensor& dy) -> Grads { return {narrow(dy, axis, before, length)}; });
  }
  return y;
}

Tensor select(const Tensor& x, int index, int element) {
  const int axis = axis_of("select", x, index), size = x.shape()[axis];
  SG_CHECK(element >= -size && element < size, "select: element " + std::to_string(element) +
                                                   " does not exist along axis " + std::to_string(axis) + " of " +
                                                   str(x.shape()));
  std::vector<int> rest;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) rest.push_back(x.shape()[i]);
  return reshape(narrow(x, axis, element < 0 ? element + size : element, 1), Shape(rest));
}

namespace {

/// Up to eight parts [outer, w_i] side by side; more are joined in groups of eight, and the groups again.
Tensor join(std::vector<Tensor> parts, int outer) {
  while (parts.size() > 1) {
    std::vector<Tensor> joined;
    for (size_t first = 0; first < parts.size(); first += 8) {
      std::array<int, 8> w{};
      int width = 0;
      for (size_t i = 0; i < 8 && first + i < parts.size(); ++i) {
        w[i] = static_cast<int>(parts[first + i].size() / outer);
        width += w[i];
      }
      const auto part = [&](size_t i) { return first + i < parts.size() ? parts[first + i] : parts[first]; };
      joined.push_back(run(params::concat{.outer = outer,
                                          .w0 = w[0],
                                          .w1 = w[1],
                                          .w2 = w[2],
                                          .w3 = w[3],
                                          .w4 = w[4],
                                          .w5 = w[5],
                                          .w6 = w[6],
                                          .w7 = w[7]},
                           {part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)},
                           Shape{outer, width}));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

}  // namespace

Tensor cat(std::span<const Tensor> parts, int index) {
  SG_CHECK(!parts.empty(), "cat: no tensors");
  const int axis = axis_of("cat", parts[0], index);
  Shape shape = parts[0].shape();
  shape[axis] = 0;
  check_elements(std::accumulate(parts.begin(), parts.end(), int64_t{0},
                                 [](int64_t all, const Tensor& part) { return all + part.size(); }));
  for (const Tensor& part : parts) {
    Shape same = part.shape();
    SG_CHECK(same.rank() == shape.rank(), "cat: " + str(parts[0].shape()) + " and " + str(part.shape()));
    shape[axis] += same[axis];
    same[axis] = parts[0].shape()[axis];
    SG_CHECK(same == parts[0].shape(),
             "cat: " + str(parts[0].shape()) + " and " + str(part.shape()) + " along axis " + std::to_string(axis));
  }
  std::vector<Tensor> inputs(parts.begin(), parts.end());
  const Tensor y = join(inputs, static_cast<int>(shape.product(0, axis))).view(shape);
  std::vector<int> lengths;
  for (const Tensor& part : parts) lengths.push_back(part.shape()[axis]);
  return record(y, std::move(inputs), [lengths, axis](const Tensor& dy) -> Grads {
    Grads grads;
    int start = 0;
    for (const int length : lengths) {
      grads.push_back(narrow(dy, axis, start, length));
      start += length;
    }
    return grads;
  });
}

Tensor stack(std::span<const Tensor> parts, int index) {
  SG_CHECK(!parts.empty(), "stack: no tensors");
  const Shape& shape = parts[0].shape();
  const int axis = index < 0 ? index + shape.rank() + 1 : index;
  SG_CHECK(axis >= 0 && axis <= shape.rank() && shape.rank() < kMaxRank,
           "stack: axis " + std::to_string(index) + " of " + str(shape));
  std::vector<int> sizes;
  for (int i = 0; i < shape.rank(); ++i) sizes.push_back(shape[i]);
  sizes.insert(sizes.begin() + axis, 1);
  std::vector<Tensor> rows;
  for (const Tensor& part : parts) {
    SG_CHECK(part.shape() == shape, "stack: " + str(shape) + " and " + str(part.shape()));
    rows.push_back(reshape(part, Shape(sizes)));
  }
  return cat(rows, axis);
}

}  // namespace sg::ops
