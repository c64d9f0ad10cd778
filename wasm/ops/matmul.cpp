#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {

Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  SG_CHECK(a.rank() == 2 && b.rank() == 2,
           "matmul: " + str(a.shape()) + " · " + str(b.shape()) + ", both must be matrices");
  const int m = a.shape()[transpose_a], k = a.shape()[!transpose_a], n = b.shape()[!transpose_b];
  SG_CHECK(k == b.shape()[transpose_b], "matmul: " + str(a.shape()) + (transpose_a ? "ᵀ" : "") + " · " +
                                            str(b.shape()) + (transpose_b ? "ᵀ" : "") + ", the inner sizes differ");
  const params::matmul p{.m = m, .n = n, .k = k, .trans_a = transpose_a, .trans_b = transpose_b};
  const Tensor c = run(p, {a, b}, Shape{m, n});
  return record(c, {a, b}, [a, b, ta = transpose_a, tb = transpose_b](const Tensor& dc) -> Grads {
    // dA = dC · Bᵀ and dB = Aᵀ · dC, each transposed where its input was.
    return {a.requires_grad() ? (ta ? matmul(b, dc, tb, true) : matmul(dc, b, false, !tb)) : Tensor(),
            b.requires_grad() ? (tb ? matmul(dc, a, true, ta) : matmul(a, dc, !ta, false)) : Tensor()};
  });
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  SG_CHECK(x.rank() >= 1 && weight.rank() == 2 && x.dim(-1) == weight.dim(1),
           "linear: x " + str(x.shape()) + " needs a last axis of " + str(weight.shape()) + "'s second size");
  const int in = weight.dim(1), out = weight.dim(0);
  SG_CHECK(!bias.defined() || bias.shape() == Shape{out},
           "linear: bias " + str(bias.shape()) + " for weight " + str(weight.shape()));
  Shape shape = x.shape();
  shape[shape.rank() - 1] = out;
  const Tensor rows = reshape(x, Shape{static_cast<int>(x.size() / in), in});
  const Tensor y = matmul(rows, weight, false, true);
  return reshape(bias.defined() ? add(y, bias) : y, shape);
}

}  // namespace sg::ops
