#include "optim/gradients.h"

#include <algorithm>
#include <array>

#include "ops/ops.h"

namespace sg::optim {
namespace {

constexpr int kFew = 256, kMost = 4096;
constexpr size_t kAtOnce = 8;

/// As many sums as keep the device busy with the largest gradient, and no more.
int sums_for(std::span<const Tensor> gradients) {
  int64_t largest = 0;
  for (const Tensor& g : gradients) largest = std::max(largest, g.size());
  const int64_t unit = largest > kFew ? kFew : 4;
  return static_cast<int>(std::min<int64_t>(kMost, (largest + unit - 1) / unit * unit));
}

}  // namespace

Tensor partial_squares(std::span<const Tensor> gradients) {
  const int sums = sums_for(gradients);
  Tensor y;
  for (size_t first = 0; first < gradients.size(); first += kAtOnce) {
    const auto part = gradients.subspan(first, std::min(kAtOnce, gradients.size() - first));
    std::array<int, kAtOnce> n{};
    for (size_t i = 0; i < part.size(); ++i) n[i] = static_cast<int>(part[i].size());
    const auto x = [&](size_t i) { return i < part.size() ? part[i] : part[0]; };
    const params::sum_squares p{.first = first == 0,
                                .n0 = n[0],
                                .n1 = n[1],
                                .n2 = n[2],
                                .n3 = n[3],
                                .n4 = n[4],
                                .n5 = n[5],
                                .n6 = n[6],
                                .n7 = n[7]};
    y = run(p, {first == 0 ? part[0] : y, x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7)}, Shape{sums});
  }
  if (sums <= kFew) return y;
  return run(params::sum{.outer = 1, .reduce = sums / kFew, .inner = kFew, .scale = 1}, {y}, Shape{kFew});
}

Tensor orthogonalized(const Tensor& x) {
  constexpr float a = 3.4445f, b = -4.7750f, c = 2.0315f, kEps = 1e-7f;
  constexpr int kSteps = 5;
  const bool wide = x.dim(0) <= x.dim(1);
  const int size = std::min(x.dim(0), x.dim(1));
  const std::array<Tensor, 1> all{x};
  const Tensor norm = ops::sqrt(ops::sum(partial_squares(all)));
  Tensor y = ops::div(x, ops::add_scalar(norm, kEps));
  for (int i = 0; i < kSteps; ++i) {
    // Y' = a Y + (b G + c G²) Y with G = Y Yᵀ; where Y is tall, with G = Yᵀ Y and the product from the right.
    const Tensor g = ops::matmul(y, y, !wide, wide);
    const Tensor polynomial = run(params::combine{.a = b, .b = c}, {g, ops::matmul(g, g)}, Shape{size, size});
    const Tensor product = wide ? ops::matmul(polynomial, y) : ops::matmul(y, polynomial);
    y = run(params::combine{.a = a, .b = 1}, {y, product}, x.shape());
  }
  return y;
}

}  // namespace sg::optim
