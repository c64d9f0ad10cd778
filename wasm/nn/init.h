// Where initial weights come from. They are drawn on the host with IEEE's exact operations alone (+ - * / and the
// square root, in a fixed order) and uploaded: the same seed gives the same bits on every device and in every build.
// Each tensor is one draw of the stream `weights`, in the order of construction; every one needs a gradient.
#pragma once
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::nn {

/// A shape's inputs and outputs: weight[out, in] or weight[out, in, ...kernel], as torch.nn.init counts them.
struct Fan {
  double in, out;
};
Fan fan_of(const Shape& weight);

/// The gain of torch.nn.init.calculate_gain("relu").
inline constexpr double kReluGain = 1.4142135623730951;

struct Init {
  Device& device;
  Generator generator;
  uint32_t draw = 0;

  /// Uniform in [-bound, bound).
  Tensor uniform(const Shape& shape, float bound);
  Tensor normal(const Shape& shape, double std, double mean = 0);
  /// Variance gain² / fan_in (He et al. 2015).
  Tensor kaiming_uniform(const Shape& shape, double gain = kReluGain);
  Tensor kaiming_normal(const Shape& shape, double gain = kReluGain);
  /// Variance 2 gain² / (fan_in + fan_out) (Glorot and Bengio 2010).
  Tensor xavier_uniform(const Shape& shape, double gain = 1);
  Tensor xavier_normal(const Shape& shape, double gain = 1);
  /// gain times a random matrix with orthonormal rows or columns, whichever are fewer (Saxe et al. 2014). With `blocks`
  /// the rows are that many matrices below each other, each orthogonal by itself: one a gate of a recurrent weight.
  Tensor orthogonal(const Shape& shape, double gain = 1, int blocks = 1);
  /// Takes no draw.
  Tensor constant(const Shape& shape, float value);
  Tensor zeros(const Shape& shape) { return constant(shape, 0); }
  Tensor ones(const Shape& shape) { return constant(shape, 1); }
};

/// The quantile of the normal distribution, p in (0, 1): Wichura's algorithm AS 241 (Applied Statistics 37, 1988),
/// within 1e-15 of the true one.
double normal_quantile(double p);

}  // namespace sg::nn
