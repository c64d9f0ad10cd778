// Pooling over windows of a size, or of as many as are asked for. One axis is two of height 1.
#include <algorithm>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

constexpr int kLargeWindow = 4096;     // places from which its two axes are pooled one after the other
constexpr int kLongestKernel = 16000;  // what a fragment of a shader can walk for four outputs

/// What the windows of a pooling are along its two axes.
struct Windows {
  Pair size, outputs, kernel{1, 1}, stride{1, 1}, padding{0, 0};
  Pair holders{1, 1};  // the most windows that hold one element, which its gradient goes through
  bool adaptive = false;

  Pair longest() const { return {std::max(kernel.h, holders.h), std::max(kernel.w, holders.w)}; }
};

std::string by(Pair p, bool flat) { return (flat ? "" : std::to_string(p.h) + " x ") + std::to_string(p.w); }

void check_rank(const char* op, const Tensor& x, bool flat) {
  SG_CHECK(x.rank() == (flat ? 3 : 4),
           std::string(op) + ": x " + str(x.shape()) + " must be " + (flat ? "[N, C, L]" : "[N, C, H, W]"));
}

/// The op, and x's shape as it was given.
std::string described(const char* op, const Tensor& x, bool flat) {
  return std::string(op) + ": x " + str(flat ? Shape{x.dim(0), x.dim(1), x.dim(3)} : x.shape());
}

/// x with a height of 1.
Tensor raised(const char* op, const Tensor& x) {
  check_rank(op, x, true);
  return reshape(x, Shape{x.dim(0), x.dim(1), 1, x.dim(2)});
}
Tensor flattened(const Tensor& y) { return reshape(y, Shape{y.dim(0), y.dim(1), y.dim(3)}); }

/// Windows of `kernel`, PyTorch's sizes: floor((size + 2 padding - kernel) / stride) + 1.
Windows fixed(const char* op, const Tensor& x, Pair kernel, Pair stride, Pair padding, bool flat) {
  check_rank(op, x, false);
  const std::string text = described(op, x, flat) + ", kernel " + by(kernel, flat);
  const auto outputs = [&](int size, int k, int s, int pad) {
    SG_CHECK(k >= 1, text + ", a size below 1");
    SG_CHECK(s >= 1, text + ", a stride of " + by(stride, flat) + " is below 1");
    SG_CHECK(pad >= 0 && pad <= k / 2,
             text + ", a padding of " + by(padding, flat) + " must be 0 to half of the kernel");
    SG_CHECK(k <= int64_t{size} + 2 * pad, text + ", larger than x padded by " + by(padding, flat));
    return static_cast<int>((int64_t{size} + 2 * pad - k) / s) + 1;
  };
  const Pair size{x.dim(2), x.dim(3)};
  const Pair count{outputs(size.h, kernel.h, stride.h, padding.h), outputs(size.w, kernel.w, stride.w, padding.w)};
  // Where there is one window, the stride leads nowhere, and may be larger than what kernels can add to a place.
  const Pair apart{count.h == 1 ? 1 : stride.h, count.w == 1 ? 1 : stride.w};
  return {size, count, kernel, apart, padding, kernel};
}

Windows adaptive(const char* op, const Tensor& x, Pair outputs, bool flat) {
  check_rank(op, x, false);
  const std::string text = described(op, x, flat) + " to " + by(outputs, flat);
  const auto longest = [&](int size, int count) {
    SG_CHECK(count >= 1, text + ", a size below 1");
    SG_CHECK((int64_t{size} + 1) * (int64_t{count} + 1) <= INT32_MAX, text + ", more than can be counted");
    return (size + count - 1) / count + 1;
  };
  const Pair size{x.dim(2), x.dim(3)};
  return {.size = size,
          .outputs = outputs,
          .kernel = {longest(size.h, outputs.h), longest(size.w, outputs.w)},
          .holders = {longest(outputs.h, size.h), longest(outputs.w, size.w)},
          .adaptive = true};
}

template <class Params>
Params parameters(const Tensor& x, const Windows& w) {
  return {.planes = x.dim(0) * x.dim(1),
          .height = w.size.h,
          .width = w.size.w,
          .out_height = w.outputs.h,
          .out_width = w.outputs.w,
          .kernel_h = w.kernel.h,
          .kernel_w = w.kernel.w,
          .stride_h = w.stride.h,
          .stride_w = w.stride.w,
          .pad_h = w.padding.h,
          .pad_w = w.padding.w,
          .adaptive = w.adaptive};
}

Shape outputs_of(const Tensor& x, const Windows& w) { return {x.dim(0), x.dim(1), w.outputs.h, w.outputs.w}; }

/// Both axes at once where windows are small, else the last axis first: the first maximum of the first row that holds
/// the maximum is the window's first.
template <class PoolOnce>
Tensor pool(const char* op, const Tensor& x, const Windows& w, PoolOnce once) {
  const Pair longest = w.longest();
  SG_CHECK(longest.h <= kLongestKernel && longest.w <= kLongestKernel,
           std::string(op) + ": x " + str(x.shape()) + ", a window of " + by(longest, false) + " is longer than " +
               std::to_string(kLongestKernel) + ", or so many windows hold one element");
  if (longest.h == 1 || longest.w == 1 || int64_t{longest.h} * longest.w <= kLargeWindow) return once(x, w);
  const auto countable = [](int n) { return (int64_t{n} + 1) * (n + 1) <= INT32_MAX; };
  SG_CHECK(!w.adaptive || (countable(w.size.h) && countable(w.outputs.w)),
           std::string(op) + ": x " + str(x.shape()) + " to " + by(w.outputs, false) + ", more than can be counted");
  Windows across = w, down = w;
  across.outputs.h = w.size.h;
  across.kernel.h = across.holders.h = across.stride.h = 1;
  across.padding.h = 0;
  down.size.w = w.outputs.w;
  down.kernel.w = down.holders.w = down.stride.w = 1;
  down.padding.w = 0;
  return once(once(x, across), down);
}

/// dx = Σ dy over the windows whose first maximum x is.
Tensor max_pool_once(const Tensor& x, const Windows& w) {
  const auto out = run_all(parameters<params::max_pool2d>(x, w), {x}, outputs_of(x, w));
  return record(out[0], {x}, [w, where = out[1], shape = x.shape()](const Tensor& dy) -> Grads {
    return {run(parameters<params::max_pool2d_backward>(dy, w), {dy, where}, shape)};
  });
}

/// dx = Σ dy / count over the windows that hold x, count the size of each.
Tensor avg_pool_once(const Tensor& x, const Windows& w) {
  const Tensor y = run(parameters<params::avg_pool2d>(x, w), {x}, outputs_of(x, w));
  return record(y, {x}, [w, shape = x.shape()](const Tensor& dy) -> Grads {
    return {run(parameters<params::avg_pool2d_backward>(dy, w), {dy}, shape)};
  });
}

Tensor max_pool(const char* op, const Tensor& x, const Windows& w) { return pool(op, x, w, max_pool_once); }

Tensor avg_pool(const char* op, const Tensor& x, const Windows& w) {
  if (w.adaptive && w.outputs.h == 1 && w.outputs.w == 1) {  // one window for all: a mean, which devices know to cut
    return reshape(mean(reshape(x, Shape{x.dim(0), x.dim(1), w.size.h * w.size.w}), 2), outputs_of(x, w));
  }
  return pool(op, x, w, avg_pool_once);
}

}  // namespace

Tensor max_pool2d(const Tensor& x, Pair kernel, Pair stride, Pair padding) {
  return max_pool("max_pool2d", x, fixed("max_pool2d", x, kernel, stride, padding, false));
}

Tensor max_pool1d(const Tensor& x, int kernel, int stride, int padding) {
  const Tensor up = raised("max_pool1d", x);
  return flattened(max_pool("max_pool1d", up, fixed("max_pool1d", up, {1, kernel}, {1, stride}, {0, padding}, true)));
}

Tensor avg_pool2d(const Tensor& x, Pair kernel, Pair stride, Pair padding) {
  return avg_pool("avg_pool2d", x, fixed("avg_pool2d", x, kernel, stride, padding, false));
}

Tensor avg_pool1d(const Tensor& x, int kernel, int stride, int padding) {
  const Tensor up = raised("avg_pool1d", x);
  return flattened(avg_pool("avg_pool1d", up, fixed("avg_pool1d", up, {1, kernel}, {1, stride}, {0, padding}, true)));
}

Tensor adaptive_avg_pool2d(const Tensor& x, Pair size) {
  return avg_pool("adaptive_avg_pool2d", x, adaptive("adaptive_avg_pool2d", x, size, false));
}

Tensor adaptive_avg_pool1d(const Tensor& x, int size) {
  const Tensor up = raised("adaptive_avg_pool1d", x);
  return flattened(avg_pool("adaptive_avg_pool1d", up, adaptive("adaptive_avg_pool1d", up, {1, size}, true)));
}

Tensor adaptive_max_pool2d(const Tensor& x, Pair size) {
  return max_pool("adaptive_max_pool2d", x, adaptive("adaptive_max_pool2d", x, size, false));
}

Tensor adaptive_max_pool1d(const Tensor& x, int size) {
  const Tensor up = raised("adaptive_max_pool1d", x);
  return flattened(max_pool("adaptive_max_pool1d", up, adaptive("adaptive_max_pool1d", up, {1, size}, true)));
}

}  // namespace sg::ops
