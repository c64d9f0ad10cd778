// The kernel of one product of matrices, or of many whose operands are found by strides.
#include "cpu/axes.h"
#include "cpu/gemm.h"

namespace sg::cpu {
namespace kernels {

void matmul(const params::matmul& p, const Args& args) {
  const int64_t a_size = args.count({p.m, p.k}), b_size = args.count({p.k, p.n}), c_size = args.count({p.m, p.n});
  const ptrdiff_t a_row = p.trans_a ? 1 : p.k, a_column = p.trans_a ? p.m : 1;
  const ptrdiff_t b_row = p.trans_b ? 1 : p.n, b_column = p.trans_b ? p.k : 1;
  if (!p.batched) {
    gemm(p.m, p.n, p.k, View{args.in(0, a_size), a_row, a_column}, View{args.in(1, b_size), b_row, b_column},
         args.out(0, c_size), p.n, false, args.scratch());
    return;
  }
  const Six sizes{1, 1, p.d0, p.d1, p.d2, p.d3};
  const Six a_steps{0, 0, p.a0, p.a1, p.a2, p.a3}, b_steps{0, 0, p.b0, p.b1, p.b2, p.b3};
  const Reach a_reach(sizes, a_steps), b_reach(sizes, b_steps);
  if (a_reach.lowest < 0 || b_reach.lowest < 0) args.fail("reads before the start of a or b");
  const float* const a = args.in(0, a_reach.end - 1 + a_size);
  const float* const b = args.in(1, b_reach.end - 1 + b_size);
  float* c = args.out(0, args.count({p.d0, p.d1, p.d2, p.d3, p.m, p.n}));
  const Axes<2> products(sizes, {a_steps, b_steps});
  products.each_block([&](const auto& at) {
    for (ptrdiff_t i = 0; i < products.rows() * products.columns(); ++i, c += c_size) {
      const ptrdiff_t row = i / products.columns(), column = i % products.columns();
      const auto offset = [&](size_t n) {
        return at[n] + row * products.row_stride(n) + column * products.column_stride(n);
      };
      gemm(p.m, p.n, p.k, View{a + offset(0), a_row, a_column}, View{b + offset(1), b_row, b_column}, c, p.n, false,
           args.scratch());
    }
  });
}

void addmm(const params::addmm& p, const Args& args) {
  const View a{args.in(0, args.count({p.m, p.k})), p.k, 1};
  const View b{args.in(1, args.count({p.k, p.n})), p.trans_b ? 1 : p.n, p.trans_b ? p.k : 1};
  gemm(p.m, p.n, p.k, a, b, args.out(0, args.count({p.m, p.n})), p.n, false, args.scratch(), {.bias = args.in(2, p.n)});
}

}  // namespace kernels
}  // namespace sg::cpu
