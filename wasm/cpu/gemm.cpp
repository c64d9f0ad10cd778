#include "cpu/gemm.h"

#include "cpu/gemm_paths.h"

namespace sg::cpu {

void gemm(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, View a, View b, float* c, ptrdiff_t c_row, bool accumulate,
          Scratch& scratch, const Epilogue& epilogue) {
  if (m == 0 || n == 0) return;
  const size_t taken = scratch.taken();
  Product p{m, n, k, a, b, c, c_row, accumulate, epilogue};
  if (n == 1 && c_row == 1 && !epilogue.bias && !epilogue.finish) {  // a column is a row of the transposed product
    p = p.turned();
    p.across = false;
  }
  multiply<kTileRows>(p, scratch);
  scratch.return_to(taken);
}

}  // namespace sg::cpu
