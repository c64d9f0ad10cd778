// Convolutions: the sizes that PyTorch's formula gives, checked, and the gradients. One axis is two of height 1.
#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

std::string by(Pair p) { return std::to_string(p.h) + " x " + std::to_string(p.w); }

std::string shapes(const Tensor& x, const Tensor& weight) {
  return "x " + str(x.shape()) + " and weight " + str(weight.shape());
}

/// What the caller gave, for messages: conv1d hands on tensors of another rank than it was given.
struct Given {
  const char* op;
  const Tensor &x, &weight;
  std::string text() const { return std::string(op) + ": " + shapes(x, weight); }
};

/// floor((size + padding - dilation (kernel - 1) - 1) / stride) + 1, `padding` on both sides together.
int output_size(const Given& given, int size, int64_t padding, int kernel, int stride, int dilation) {
  const int64_t padded = size + padding, reach = int64_t{dilation} * (kernel - 1) + 1;
  SG_CHECK(padded <= INT32_MAX, given.text() + ", a padding of " + std::to_string(padding) + " is too much");
  SG_CHECK(reach <= padded, given.text() + ", the kernel reaches over " + std::to_string(reach) +
                                " of a padded size of " + std::to_string(padded));
  return static_cast<int>((padded - reach) / stride) + 1;
}

void check_settings(const Given& given, const Convolution& how, const Tensor& bias) {
  const auto at_least = [](Pair p, int least) { return p.h >= least && p.w >= least; };
  SG_CHECK(at_least(how.stride, 1), given.text() + ", a stride of " + by(how.stride) + " is below 1");
  SG_CHECK(at_least(how.dilation, 1), given.text() + ", a dilation of " + by(how.dilation) + " is below 1");
  SG_CHECK(at_least(how.padding, 0), given.text() + ", a padding of " + by(how.padding) + " is below 0");
  const int channels = given.x.dim(1), outputs = given.weight.dim(0);
  SG_CHECK(how.groups >= 1 && channels % how.groups == 0 && outputs % how.groups == 0,
           given.text() + ", the channels do not divide into " + std::to_string(how.groups) + " groups");
  SG_CHECK(given.weight.dim(1) == channels / how.groups, given.text() + ", the weight's second size must be " +
                                                             std::to_string(channels / how.groups) + ", for " +
                                                             std::to_string(how.groups) + " groups");
  SG_CHECK(!bias.defined() || bias.shape() == Shape{outputs}, given.text() + ", a bias " +
                                                                  (bias.defined() ? str(bias.shape()) : "") +
                                                                  " is not [" + std::to_string(outputs) + "]");
}

template <class Params>
Params parameters(const Tensor& x, const Tensor& weight, const Shape& y, const Convolution& how) {
  return {.batch = x.dim(0),
          .channels = x.dim(1),
          .height = x.dim(2),
          .width = x.dim(3),
          .out_channels = y[1],
          .out_height = y[2],
          .out_width = y[3],
          .kernel_h = weight.dim(2),
          .kernel_w = weight.dim(3),
          .stride_h = how.stride.h,
          .stride_w = how.stride.w,
          .pad_h = how.padding.h,
          .pad_w = how.padding.w,
          .dilation_h = how.dilation.h,
          .dilation_w = how.dilation.w,
          .groups = how.groups};
}

/// y[N, O, H', W'] of given H' and W'; the padding is what lies before x.
Tensor convolve(const Tensor& x, const Tensor& weight, const Tensor& bias, Convolution how, Pair out) {
  // Where there is one output, the stride leads nowhere, and may be larger than what kernels can add to a place.
  if (out.h == 1) how.stride.h = 1;
  if (out.w == 1) how.stride.w = 1;
  const Shape shape{x.dim(0), weight.dim(0), out.h, out.w};
  auto p = parameters<params::conv2d>(x, weight, shape, how);
  p.has_bias = bias.defined();
  const Tensor y = run(p, {x, weight, bias.defined() ? bias : weight}, shape);
  std::vector<Tensor> inputs{x, weight};
  if (bias.defined()) inputs.push_back(bias);
  return record(y, std::move(inputs), [x, weight, bias, how](const Tensor& dy) -> Grads {
    Grads grads(bias.defined() ? 3 : 2);
    // dx[i] = Σ w[tap] dy[o] over the taps and outputs that read x[i]; dw[tap] = Σ dy[o] x[what o reads at the tap]
    if (x.requires_grad())
      grads[0] = run(parameters<params::conv2d_backward_input>(x, weight, dy.shape(), how), {dy, weight}, x.shape());
    if (weight.requires_grad())
      grads[1] = run(parameters<params::conv2d_backward_weight>(x, weight, dy.shape(), how), {x, dy}, weight.shape());
    if (bias.requires_grad())  // db = Σ dy over samples and places
      grads[2] = sum(sum(dy.view(Shape{dy.dim(0), dy.dim(1), dy.dim(2) * dy.dim(3)}), 2), 0);
    return grads;
  });
}

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Convolution& how) {
  const Given given{"conv2d", x, weight};
  SG_CHECK(x.rank() == 4 && weight.rank() == 4,
           given.text() + ", they must be [N, C, H, W] and [O, C / groups, kh, kw]");
  check_settings(given, how, bias);
  const Pair out{output_size(given, x.dim(2), 2 * int64_t{how.padding.h}, weight.dim(2), how.stride.h, how.dilation.h),
                 output_size(given, x.dim(3), 2 * int64_t{how.padding.w}, weight.dim(3), how.stride.w, how.dilation.w)};
  return convolve(x, weight, bias, how, out);
}

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, int stride, int padding, int dilation,
              int groups, bool causal) {
  const Given given{"conv1d", x, weight};
  SG_CHECK(x.rank() == 3 && weight.rank() == 3, given.text() + ", they must be [N, C, L] and [O, C / groups, k]");
  SG_CHECK(!causal || padding == 0,
           given.text() + ", causal has a padding of its own and takes no " + std::to_string(padding));
  Convolution how{.stride = {1, stride}, .padding = {0, padding}, .dilation = {1, dilation}, .groups = groups};
  check_settings(given, how, bias);
  const int kernel = weight.dim(2);
  const int64_t before = int64_t{dilation} * (kernel - 1);
  const int length = output_size(given, x.dim(2), causal ? before : 2 * int64_t{padding}, kernel, stride, dilation);
  if (causal) how.padding.w = static_cast<int>(before);
  const Tensor y = convolve(reshape(x, Shape{x.dim(0), x.dim(1), 1, x.dim(2)}),
                            reshape(weight, Shape{weight.dim(0), weight.dim(1), 1, kernel}), bias, how, {1, length});
  return reshape(y, Shape{y.dim(0), y.dim(1), length});
}

}  // namespace sg::ops
