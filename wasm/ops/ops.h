// Every op: PyTorch's name and meaning, one sentence and its shapes. An op checks shapes, runs kernels and records its
// backward beside its forward. Errors are sg::Error with the op's name and the shapes.
#pragma once
#include <array>
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

/// C[..., m, n] = A[..., m, k] · B[..., k, n], the leading sizes broadcast; with transpose_a the last two axes of a are
/// [k, m], with transpose_b those of b [n, k].
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);
/// y[..., out] = x[..., in] · weight[out, in]ᵀ + bias[out]; no bias where it is undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// torch.addmm, over leading axes of a: a[..., k] · b[k, n] + bias[n]; b is [n, k] where transpose_b.
Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, bool transpose_b = false);

/// Reductions over one axis, or over several; an axis is kept with size 1 where keepdim.
Tensor sum(const Tensor& x, int axis, bool keepdim = false);
Tensor sum(const Tensor& x, std::span<const int> axes, bool keepdim = false);
Tensor mean(const Tensor& x, int axis, bool keepdim = false);
Tensor mean(const Tensor& x, std::span<const int> axes, bool keepdim = false);
/// torch.amax, torch.amin: the gradient is shared evenly among equal extremes.
Tensor amax(const Tensor& x, int axis, bool keepdim = false);
Tensor amax(const Tensor& x, std::span<const int> axes, bool keepdim = false);
Tensor amin(const Tensor& x, int axis, bool keepdim = false);
Tensor amin(const Tensor& x, std::span<const int> axes, bool keepdim = false);
/// The variance: squared distances from the mean over (count - correction).
Tensor var(const Tensor& x, std::span<const int> axes, int correction = 1, bool keepdim = false);
/// The index of the first maximum along an axis, as a float; no gradient.
Tensor argmax(const Tensor& x, int axis, bool keepdim = false);
/// The sum (mean) of all elements, a scalar.
Tensor sum(const Tensor& x);
Tensor mean(const Tensor& x);
/// Running sums along an axis.
Tensor cumsum(const Tensor& x, int axis);

/// a where condition is not 0, else b; all broadcast. The side that is not chosen gets no gradient, NaN or not.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

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
/// Elements start, start + step, ... below stop along an axis; step >= 1, ends counted from the end where negative.
Tensor slice(const Tensor& x, int axis, int start, int stop, int step = 1);
/// The axes' elements in reverse order.
Tensor flip(const Tensor& x, std::span<const int> axes);
/// torch.nn.functional.pad, constant: sizes are (before, after) pairs from the last axis backwards; >= 0.
Tensor pad(const Tensor& x, std::span<const int> sizes, float value = 0);
/// One element along an axis, which goes away.
Tensor select(const Tensor& x, int axis, int index);
/// Tensors side by side along an existing axis.
Tensor cat(std::span<const Tensor> parts, int axis);
/// Tensors of one shape side by side along a new axis.
Tensor stack(std::span<const Tensor> parts, int axis);

/// torch.gather: y[i][j][k] = x[i][index[i][j][k]][k] for axis 1; index holds whole numbers and has x's rank.
Tensor gather(const Tensor& x, int axis, const Tensor& index);
/// Windows of a series x[rows, F]: y[n] are its rows from start n + first on, [N, time, F]. starts[N, 2] holds the
/// numbers n as 4096 times the first and the second, see halves_of. For data: x gets no gradient.
Tensor windows(const Tensor& x, const Tensor& starts, int first, int time);
/// A row's number as `windows` takes it.
std::array<float, 2> halves_of(uint32_t row);
/// y[..., D] = weight[indices[...], D]; indices are whole numbers below weight's first size. The gradient adds up rows
/// that are used more than once, always in the same order.
Tensor embedding(const Tensor& indices, const Tensor& weight);

/// Each element is 0 with probability p, else scaled by 1 / (1 - p). `draw` numbers the use: the same draw, the same
/// mask. With `step`, floats of core/step_values.h, it is counted from the draws made before the step.
Tensor dropout(const Tensor& x, float p, const Generator& generator, uint32_t draw, const Tensor& step = {});
/// Uniform numbers in [low, high).
Tensor uniform(Device& device, const Shape& shape, float low, float high, const Generator& generator, Stream stream,
               uint32_t draw);

}  // namespace sg::ops

// The other ops, a topic each.
#include "ops/attention.h"
#include "ops/convolution.h"
#include "ops/loss.h"
#include "ops/norm.h"
#include "ops/recurrent.h"
