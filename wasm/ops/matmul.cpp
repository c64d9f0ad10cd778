// Products of matrices: alone, over leading axes that broadcast, and the affine map that layers are made of.
#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// The sizes before the last two.
Shape leading(const Shape& s) {
  std::array<int, kMaxRank> sizes{};
  for (int i = 0; i < s.rank() - 2; ++i) sizes[static_cast<size_t>(i)] = s[i];
  return Shape(std::span<const int>(sizes.data(), static_cast<size_t>(s.rank() - 2)));
}

Shape with_matrix(const Shape& leading, int rows, int columns) {
  std::array<int, kMaxRank> sizes{};
  for (int i = 0; i < leading.rank(); ++i) sizes[static_cast<size_t>(i)] = leading[i];
  sizes[static_cast<size_t>(leading.rank())] = rows;
  sizes[static_cast<size_t>(leading.rank() + 1)] = columns;
  return Shape(std::span<const int>(sizes.data(), static_cast<size_t>(leading.rank() + 2)));
}

/// What x's leading axes [...] step by, in elements, aligned at the last of four.
std::array<int, 4> batch_strides(const Shape& x) {
  const Axes all = aligned_strides(x);
  return {all[0], all[1], all[2], all[3]};
}

struct Product {
  int m, n, k;
  bool transpose_a, transpose_b;
};

Tensor run_product(const Tensor& a, const Tensor& b, const Product& p, const Shape& batch) {
  params::matmul kernel{.m = p.m, .n = p.n, .k = p.k, .trans_a = p.transpose_a, .trans_b = p.transpose_b};
  if (batch.size() > 1) {
    const Axes d = aligned_sizes(with_matrix(batch, 1, 1));
    const auto sa = batch_strides(a.shape()), sb = batch_strides(b.shape());
    kernel.batched = 1;
    kernel.d0 = d[0], kernel.d1 = d[1], kernel.d2 = d[2], kernel.d3 = d[3];
    kernel.a0 = sa[0], kernel.a1 = sa[1], kernel.a2 = sa[2], kernel.a3 = sa[3];
    kernel.b0 = sb[0], kernel.b1 = sb[1], kernel.b2 = sb[2], kernel.b3 = sb[3];
  }
  return run(kernel, {a, b}, with_matrix(batch, p.m, p.n));
}

std::string described(const Tensor& a, const Tensor& b, const Product& p) {
  return "matmul: " + str(a.shape()) + (p.transpose_a ? "ᵀ" : "") + " · " + str(b.shape()) + (p.transpose_b ? "ᵀ" : "");
}

Shape broadcast_leading(const Tensor& a, const Tensor& b, const Product& p) {
  for (int i = 3; i <= std::min(a.rank(), b.rank()); ++i) {
    const int x = a.dim(-i), y = b.dim(-i);
    SG_CHECK(x == y || x == 1 || y == 1, described(a, b, p) + ", the leading sizes do not broadcast");
  }
  return broadcast(leading(a.shape()), leading(b.shape()), "matmul");
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  SG_CHECK(a.rank() >= 2 && b.rank() >= 2,
           "matmul: " + str(a.shape()) + " · " + str(b.shape()) + ", both need two axes or more");
  const Product p{.m = a.dim(transpose_a ? -1 : -2),
                  .n = b.dim(transpose_b ? -2 : -1),
                  .k = a.dim(transpose_a ? -2 : -1),
                  .transpose_a = transpose_a,
                  .transpose_b = transpose_b};
  SG_CHECK(p.k == b.dim(transpose_b ? -1 : -2), described(a, b, p) + ", the inner sizes differ");
  const Shape batch = broadcast_leading(a, b, p);
  const int b_rows = b.dim(-2), b_columns = b.dim(-1);
  if (a.rank() > 2 && !transpose_a && b.size() == int64_t{b_rows} * b_columns) {  // one b for all rows of all a
    const Tensor rows = reshape(a, Shape{static_cast<int>(a.size() / p.k), p.k});
    return reshape(matmul(rows, reshape(b, Shape{b_rows, b_columns}), false, transpose_b),
                   with_matrix(batch, p.m, p.n));
  }
  const Tensor c = run_product(a, b, p, batch);
  return record(c, {a, b}, [a, b, ta = transpose_a, tb = transpose_b](const Tensor& dc) -> Grads {
    // dA = dC · Bᵀ and dB = Aᵀ · dC, each transposed where its input was, and summed where it was broadcast.
    const auto da = [&] { return sum_to(ta ? matmul(b, dc, tb, true) : matmul(dc, b, false, !tb), a.shape()); };
    const auto db = [&] { return sum_to(tb ? matmul(dc, a, true, ta) : matmul(a, dc, !ta, false), b.shape()); };
    return {a.requires_grad() ? da() : Tensor(), b.requires_grad() ? db() : Tensor()};
  });
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  SG_CHECK(x.rank() >= 1 && weight.rank() == 2 && x.dim(-1) == weight.dim(1),
           "linear: x " + str(x.shape()) + " needs a last axis of " + str(weight.shape()) + "'s second size");
  const int in = weight.dim(1), out = weight.dim(0);
  SG_CHECK(!bias.defined() || bias.shape() == Shape{out},
           "linear: bias " + str(bias.shape()) + " for weight " + str(weight.shape()));
  if (bias.defined()) return addmm(bias, x, weight, true);
  Shape shape = x.shape();
  shape[shape.rank() - 1] = out;
  return reshape(matmul(reshape(x, Shape{static_cast<int>(x.size() / in), in}), weight, false, true), shape);
}

Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, bool transpose_b) {
  SG_CHECK(a.rank() >= 1 && b.rank() == 2 && bias.rank() == 1 && a.dim(-1) == b.dim(transpose_b ? 1 : 0) &&
               bias.dim(0) == b.dim(transpose_b ? 0 : 1),
           "addmm: " + str(a.shape()) + " · " + str(b.shape()) + (transpose_b ? "ᵀ" : "") + " + " + str(bias.shape()) +
               " do not fit together");
  const int k = a.dim(-1), n = bias.dim(0), m = static_cast<int>(a.size() / k);
  const Tensor rows = reshape(a, Shape{m, k});
  Shape shape = a.shape();
  shape[shape.rank() - 1] = n;
  const params::addmm p{.m = m, .n = n, .k = k, .trans_b = transpose_b};
  const Tensor c = record(
      run(p, {rows, b, bias}, Shape{m, n}), {bias, rows, b}, [rows, b, bias, transpose_b](const Tensor& dc) -> Grads {
        // dbias = Σ dC over the rows    dA = dC · Bᵀ    dB = Aᵀ · dC, or dCᵀ · A
        const auto da = [&] { return matmul(dc, b, false, !transpose_b); };
        const auto db = [&] { return transpose_b ? matmul(dc, rows, true) : matmul(rows, dc, true); };
        return {bias.requires_grad() ? sum_to(dc, bias.shape()) : Tensor(), rows.requires_grad() ? da() : Tensor(),
                b.requires_grad() ? db() : Tensor()};
      });
  return reshape(c, shape);
}

}  // namespace sg::ops
