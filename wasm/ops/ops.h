// Every op: PyTorch's name and meaning, one sentence and its shapes. An op checks shapes, runs kernels and records its
// backward beside its forward. Errors are sg::Error with the op's name and the shapes.
#pragma once
#include <span>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::ops {

/// The rows of pointwise.def by name, for enumeration.
enum class Unary : int {
#define UNARY(name, forward, backward) name,
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
  count
};
enum class Binary : int {
#define UNARY(...)
#define BINARY(name, forward, da, db) name,
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
  count
};
const char* name(Unary op);
const char* name(Binary op);

/// y[...] = op(x[...]).
Tensor unary(Unary op, const Tensor& x, float p = 0);
/// c[...] = op(a[...], b[...]), broadcasting.
Tensor binary(Binary op, const Tensor& a, const Tensor& b, float p = 0);

// A function for each row: sigmoid(x), mul(a, b), ...; `p` where the row uses it.
#define UNARY(name, forward, backward) \
  inline Tensor name(const Tensor& x, float p = 0) { return unary(Unary::name, x, p); }
#define BINARY(name, forward, da, db) \
  inline Tensor name(const Tensor& a, const Tensor& b, float p = 0) { return binary(Binary::name, a, b, p); }
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY

/// C[m, n] = A[m, k] · B[k, n]; with transpose_a, a is [k, m]; with transpose_b, b is [n, k].
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);
/// y[..., out] = x[..., in] · weight[out, in]ᵀ + bias[out]; no bias where it is undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// The sum (mean, maximum) over one axis, kept with size 1 where keepdim.
Tensor sum(const Tensor& x, int axis, bool keepdim = false);
Tensor mean(const Tensor& x, int axis, bool keepdim = false);
/// torch.amax: the gradient is shared evenly among equal maxima.
Tensor amax(const Tensor& x, int axis, bool keepdim = false);
/// The sum (mean) of all elements, a scalar.
Tensor sum(const Tensor& x);
Tensor mean(const Tensor& x);

/// The same floats under another shape of the same size; among sizes given one by one, one may be -1: what is left.
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor reshape(const Tensor& x, std::span<const int> sizes);
/// Axis i of the result is axis axes[i] of x.
Tensor permute(const Tensor& x, std::span<const int> axes);
/// Swaps two axes.
Tensor transpose(const Tensor& x, int first, int second);
/// x broadcast to `shape`.
Tensor expand(const Tensor& x, const Shape& shape);
/// Elements start .. start + length - 1 along an axis (torch.narrow).
Tensor narrow(const Tensor& x, int axis, int start, int length);
/// One element along an axis, which goes away.
Tensor select(const Tensor& x, int axis, int index);
/// Tensors side by side along an existing axis.
Tensor cat(std::span<const Tensor> parts, int axis);
/// Tensors of one shape side by side along a new axis.
Tensor stack(std::span<const Tensor> parts, int axis);

/// A whole LSTM layer over time, batch first: z[N, T, 4H] are the projected inputs with both biases, weight_hh[4H, H];
/// gates i, f, g, o. -> the hidden states [N, T, H]; the state starts at zero.
Tensor lstm(const Tensor& z, const Tensor& weight_hh);

/// Each element is 0 with probability p, else scaled by 1 / (1 - p). `draw` numbers the use: the same draw, the same
/// mask.
Tensor dropout(const Tensor& x, float p, const Generator& generator, uint32_t draw);
/// Uniform numbers in [low, high).
Tensor uniform(Device& device, const Shape& shape, float low, float high, const Generator& generator, Stream stream,
               uint32_t draw);

/// Mean losses over all elements (torch.nn.functional.mse_loss, l1_loss, huber_loss).
Tensor mse_loss(const Tensor& input, const Tensor& target);
Tensor l1_loss(const Tensor& input, const Tensor& target);
Tensor huber_loss(const Tensor& input, const Tensor& target, float delta = 1);

}  // namespace sg::ops
