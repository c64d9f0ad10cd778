#include "forecast/cholesky.h"

#include <algorithm>
#include <cmath>

namespace sg {

void cholesky_factor(std::vector<double>& a, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    double* row = &a[i * n];
    for (size_t j = 0; j <= i; ++j) {
      const double* other = &a[j * n];
      double sum = row[j];
      for (size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / other[j];
    }
  }
}

void cholesky_solve(const std::vector<double>& factor, size_t n, std::vector<double>& columns, size_t k) {
  const auto subtract = [&](size_t i, size_t j, double times) {
    for (size_t c = 0; c < k; ++c) columns[i * k + c] -= times * columns[j * k + c];
  };
  const auto divide = [&](size_t i) {
    for (size_t c = 0; c < k; ++c) columns[i * k + c] /= factor[i * n + i];
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) subtract(i, j, factor[i * n + j]);
    divide(i);
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; ++j) subtract(i, j, factor[j * n + i]);
    divide(i);
  }
}

}  // namespace sg
