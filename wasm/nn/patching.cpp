#include "nn/patching.h"

#include <numeric>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {

Patching::Patching(int length, int stride, bool padding) : length_(length), stride_(stride), padding_(padding) {
  SG_CHECK(length > 0 && stride > 0, "Patching: length and stride must be above 0");
}

int Patching::count(int time) const { return time < length_ ? 0 : (time - length_) / stride_ + 1 + (padding_ ? 1 : 0); }

Tensor Patching::forward(const Tensor& x, Context&) const {
  SG_CHECK(x.rank() == 3 && x.dim(1) >= length_, "Patching: x " + str(x.shape()) + " must be [N, T, C] with T from " +
                                                     std::to_string(length_) + ", the length of a patch, on");
  const int batch = x.dim(0), time = x.dim(1), columns = x.dim(2), patches = count(time);
  const int used = (patches - 1) * stride_ + length_;
  Tensor series = x;
  if (used > time) {
    const Tensor last = ops::expand(ops::narrow(x, 1, time - 1, 1), {batch, used - time, columns});
    const std::vector<Tensor> parts{x, last};
    series = ops::cat(parts, 1);
  } else if (used < time) {
    series = ops::narrow(x, 1, 0, used);
  }
  series = ops::transpose(series, 1, 2);
  // Length and stride are whole numbers of units: patch p is the units p · step .. p · step + units - 1. A copy for
  // each unit of a patch takes it out of all patches at once.
  const int unit = std::gcd(length_, stride_), units = length_ / unit, step = stride_ / unit;
  series = ops::reshape(series, Shape{batch, columns, used / unit, unit});
  std::vector<Tensor> parts;
  for (int u = 0; u < units; ++u) parts.push_back(ops::slice(series, 2, u, u + (patches - 1) * step + 1, step));
  return ops::cat(parts, 3);
}

}  // namespace sg::nn
