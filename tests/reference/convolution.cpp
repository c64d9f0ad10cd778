// Convolutions as their definition: x is put between zeros as an array of its own, then every output sums its window.
#include "tests/reference/convolution.h"

namespace sg::reference {
namespace {

Array between_zeros(const Array& x, const Convolution& how) {
  Array wide({x.sizes[0], x.sizes[1], x.sizes[2] + how.top + how.bottom, x.sizes[3] + how.left + how.right});
  each(x.sizes, [&](const Index& i) { wide.at({i[0], i[1], i[2] + how.top, i[3] + how.left}) = x.at(i); });
  return wide;
}

}  // namespace

Array conv2d(const Array& x, const Array& weight, const Array* bias, const Convolution& how) {
  const Array wide = between_zeros(x, how);
  const int kh = weight.sizes[2], kw = weight.sizes[3], depth = weight.sizes[1];
  const int height = (wide.sizes[2] - how.dilation_h * (kh - 1) - 1) / how.stride_h + 1;
  const int width = (wide.sizes[3] - how.dilation_w * (kw - 1) - 1) / how.stride_w + 1;
  Array y({x.sizes[0], weight.sizes[0], height, width});
  const int outputs_a_group = weight.sizes[0] / how.groups;
  each(y.sizes, [&](const Index& at) {
    const int first = at[1] / outputs_a_group * depth;
    double sum = bias ? bias->values[static_cast<size_t>(at[1])] : 0;
    for (int c = 0; c < depth; ++c) {
      for (int h = 0; h < kh; ++h) {
        const size_t row = wide.position({at[0], first + c, at[2] * how.stride_h + h * how.dilation_h, 0});
        const double *from = wide.values.data() + row,
                     *filter = weight.values.data() + weight.position({at[1], c, h, 0});
        for (int w = 0; w < kw; ++w) sum += filter[w] * from[at[3] * how.stride_w + w * how.dilation_w];
      }
    }
    y.at(at) = sum;
  });
  return y;
}

}  // namespace sg::reference
