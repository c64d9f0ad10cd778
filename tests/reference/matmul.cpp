// Products of matrices.
#include <algorithm>

#include "tests/reference/reference.h"

namespace sg::reference {

Array matmul(const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
  const size_t rank = std::max(a.sizes.size(), b.sizes.size()), ra = a.sizes.size(), rb = b.sizes.size();
  const int k = a.sizes[transpose_a ? ra - 2 : ra - 1];
  Sizes sizes(rank);
  for (size_t i = 2; i < rank; ++i) {
    const int in_a = i < ra ? a.sizes[ra - 1 - i] : 1, in_b = i < rb ? b.sizes[rb - 1 - i] : 1;
    sizes[rank - 1 - i] = in_a == 1 ? in_b : in_a;
  }
  sizes[rank - 2] = a.sizes[transpose_a ? ra - 1 : ra - 2];
  sizes[rank - 1] = b.sizes[transpose_b ? rb - 2 : rb - 1];
  /// Where the matrix of x begins that the result's index `at` belongs to.
  const auto start = [rank](const Array& x, const Index& at) {
    Index index(x.sizes.size(), 0);
    for (size_t i = 0; i + 2 < index.size(); ++i) index[i] = x.sizes[i] == 1 ? 0 : at[rank - index.size() + i];
    return x.position(index);
  };
  Array c(sizes);
  const int m = sizes[rank - 2], n = sizes[rank - 1];
  each(c.sizes, [&](const Index& at) {
    const double *matrix_a = a.values.data() + start(a, at), *matrix_b = b.values.data() + start(b, at);
    double sum = 0;
    for (int l = 0; l < k; ++l) {
      const int i = transpose_a ? l * m + at[rank - 2] : at[rank - 2] * k + l;
      const int j = transpose_b ? at[rank - 1] * k + l : l * n + at[rank - 1];
      sum += matrix_a[i] * matrix_b[j];
    }
    c.at(at) = sum;
  });
  return c;
}

Array addmm(const Array& bias, const Array& a, const Array& b, bool transpose_b) {
  if (transpose_b) return linear(a, b, &bias);
  Array turned({b.sizes[1], b.sizes[0]});
  for (int i = 0; i < b.sizes[0]; ++i)
    for (int j = 0; j < b.sizes[1]; ++j) turned.at({j, i}) = b.at({i, j});
  return linear(a, turned, &bias);
}

Array linear(const Array& x, const Array& weight, const Array* bias) {
  const int out = weight.sizes[0], in = weight.sizes[1];
  Sizes sizes = x.sizes;
  sizes.back() = out;
  Array y(sizes);
  for (int row = 0; row < x.size() / in; ++row) {
    for (int o = 0; o < out; ++o) {
      double sum = bias ? bias->values[static_cast<size_t>(o)] : 0;
      for (int i = 0; i < in; ++i) {
        sum += weight.at({o, i}) * x.values[static_cast<size_t>(row * in + i)];
      }
      y.values[static_cast<size_t>(row * out + o)] = sum;
    }
  }
  return y;
}

}  // namespace sg::reference
