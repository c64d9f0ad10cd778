// Softmax and the normalisations, in double.
#pragma once
#include <cstddef>

#include "tests/reference/array.h"

namespace sg::reference {

Array softmax(const Array& x, int axis);
Array log_softmax(const Array& x, int axis);
Array logsumexp(const Array& x, int axis, bool keepdim);

/// weight and bias may be null.
Array layer_norm(const Array& x, const Array* weight, const Array* bias, double eps);
Array rms_norm(const Array& x, const Array* weight, double eps);
Array batch_norm(const Array& x, const Array* weight, const Array* bias, double eps);
Array batch_norm_with(const Array& x, const Array& mean, const Array& variance, const Array* weight, const Array* bias,
                      double eps);
Array group_norm(const Array& x, int groups, const Array* weight, const Array* bias, double eps);

}  // namespace sg::reference
