// Pooling as its definition: the elements of a window are collected, then their maximum or mean is taken.
#include <cmath>
#include <functional>

#include "tests/reference/convolution.h"

namespace sg::reference {
namespace {

/// From `start` up to `stop`, either of which may lie outside of the axis.
struct Window {
  int start, stop;
};
using WindowOf = std::function<Window(int)>;
using Fold = std::function<double(const std::vector<double>& inside, int places)>;

Array pool(const Array& x, int height, int width, const WindowOf& down, const WindowOf& across, const Fold& fold) {
  Array y({x.sizes[0], x.sizes[1], height, width});
  each(y.sizes, [&](const Index& at) {
    const Window rows = down(at[2]), columns = across(at[3]);
    std::vector<double> inside;
    for (int r = rows.start; r < rows.stop; ++r) {
      for (int c = columns.start; c < columns.stop; ++c) {
        if (r >= 0 && r < x.sizes[2] && c >= 0 && c < x.sizes[3]) inside.push_back(x.at({at[0], at[1], r, c}));
      }
    }
    y.at(at) = fold(inside, (rows.stop - rows.start) * (columns.stop - columns.start));
  });
  return y;
}

double maximum(const std::vector<double>& inside, int) {
  double best = inside.front();
  for (const double v : inside) {
    if (std::isnan(v)) return v;
    if (v > best) best = v;
  }
  return best;
}

double average(const std::vector<double>& inside, int places) {
  double sum = 0;
  for (const double v : inside) sum += v;
  return sum / places;
}

Array fixed(const Array& x, const Pooling& how, const Fold& fold) {
  const int height = (x.sizes[2] + 2 * how.pad_h - how.kernel_h) / how.stride_h + 1;
  const int width = (x.sizes[3] + 2 * how.pad_w - how.kernel_w) / how.stride_w + 1;
  const auto windows = [](int kernel, int stride, int pad) {
    return [=](int o) { return Window{o * stride - pad, o * stride - pad + kernel}; };
  };
  return pool(x, height, width, windows(how.kernel_h, how.stride_h, how.pad_h),
              windows(how.kernel_w, how.stride_w, how.pad_w), fold);
}

Array adaptive(const Array& x, int height, int width, const Fold& fold) {
  const auto windows = [](double size, double count) {
    return [=](int o) {
      return Window{static_cast<int>(std::floor(o * size / count)),
                    static_cast<int>(std::ceil((o + 1) * size / count))};
    };
  };
  return pool(x, height, width, windows(x.sizes[2], height), windows(x.sizes[3], width), fold);
}

}  // namespace

Array max_pool2d(const Array& x, const Pooling& how) { return fixed(x, how, maximum); }
Array avg_pool2d(const Array& x, const Pooling& how) { return fixed(x, how, average); }
Array adaptive_max_pool2d(const Array& x, int height, int width) { return adaptive(x, height, width, maximum); }
Array adaptive_avg_pool2d(const Array& x, int height, int width) { return adaptive(x, height, width, average); }

}  // namespace sg::reference
