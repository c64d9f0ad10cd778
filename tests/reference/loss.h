// The losses by PyTorch's documentation. A weight that is null counts as 1 everywhere.
#pragma once
#include "tests/reference/array.h"

namespace sg::reference {

Array mse_loss(const Array& input, const Array& target, const Array* weight);
Array l1_loss(const Array& input, const Array& target, const Array* weight);
Array huber_loss(const Array& input, const Array& target, double delta, const Array* weight);
Array quantile_loss(const Array& input, const Array& target, const std::vector<double>& quantiles, const Array* weight);
/// `var`, and below loc, scale and df, may have axes of size 1, or fewer axes.
Array gaussian_nll_loss(const Array& input, const Array& target, const Array& var, double eps, const Array* weight);
Array student_t_nll_loss(const Array& loc, const Array& scale, const Array& df, const Array& target,
                         const Array* weight);
Array binary_cross_entropy_with_logits(const Array& logits, const Array& target, double pos_weight,
                                       const Array* weight);

struct CrossEntropy {
  double label_smoothing = 0;
  int ignore_index = -100;
  const Array *class_weight = nullptr, *sample_weight = nullptr;
};
Array cross_entropy(const Array& logits, const Array& target, const CrossEntropy& how);

}  // namespace sg::reference
