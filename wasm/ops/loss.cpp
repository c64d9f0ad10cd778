// Losses that are means over elements. An error is one kernel or two; with sample weights the mean is one product more.
#include <algorithm>
#include <array>

#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

void same_shapes(const char* op, const Tensor& input, const Tensor& target) {
  SG_CHECK(input.shape() == target.shape(), std::string(op) + ": input " + str(input.shape()) + " and target " +
                                                str(target.shape()) + " must have one shape");
}

/// The mean of errors[N, ...], or Σ w[n] mean(errors[n]) / Σ w, which is 0 where the weights sum to 0. With the share
/// s[n] = w[n] / Σ w: derrors[n] = s[n] dy / (elements a sample).
Tensor mean_of(const char* op, const Tensor& errors, const Tensor& weight) {
  if (!weight.defined()) return mean(errors);
  SG_CHECK(errors.rank() > 0 && weight.shape() == Shape{errors.dim(0)},
           std::string(op) + ": sample weights " + str(weight.shape()) + " must be [N] for errors of " +
               str(errors.shape()));
  const int samples = errors.dim(0), each = static_cast<int>(errors.size() / samples);
  Tensor share, y;
  {
    const NoGrad off;
    share = div_or_zero(weight.view(Shape{1, samples}), sum(weight));
    y = mean(matmul(share, errors.view(Shape{samples, each})));
  }
  return record(y, {errors}, [share, each, shape = errors.shape()](const Tensor& dy) -> Grads {
    const Tensor row = strided_copy(dy, Shape{1, each}, Axes{}, 0, 1.0f / static_cast<float>(each));
    return {matmul(share, row, true).view(shape)};
  });
}

/// x under the shape of the target, which it must broadcast to.
Tensor like_target(const char* op, const char* name, const Tensor& x, const Tensor& target) {
  if (x.shape() == target.shape()) return x;
  SG_CHECK(x.rank() <= target.rank() && broadcast(x.shape(), target.shape(), op) == target.shape(),
           std::string(op) + ": " + name + " " + str(x.shape()) + " does not broadcast to the target " +
               str(target.shape()));
  return expand(x, target.shape());
}

Tensor if_needed(const Tensor& x, const Tensor& slope, const Tensor& dy) {
  return x.requires_grad() ? mul(dy, slope) : Tensor();
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, const Tensor& sample_weight) {
  same_shapes("mse_loss", input, target);
  return mean_of("mse_loss", squared_error(input, target), sample_weight);
}

Tensor l1_loss(const Tensor& input, const Tensor& target, const Tensor& sample_weight) {
  same_shapes("l1_loss", input, target);
  return mean_of("l1_loss", absolute_error(input, target), sample_weight);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, float delta, const Tensor& sample_weight) {
  same_shapes("huber_loss", input, target);
  SG_CHECK(delta > 0, "huber_loss: delta = " + std::to_string(delta) + " must be above 0");
  return mean_of("huber_loss", huber_error(input, target, delta), sample_weight);
}

Tensor quantile_loss(const Tensor& input, const Tensor& target, std::span<const float> quantiles,
                     const Tensor& sample_weight) {
  const int count = static_cast<int>(quantiles.size());
  SG_CHECK(count >= 1 && count <= kMostQuantiles, "quantile_loss: " + std::to_string(count) +
                                                      " quantiles, where 1 to " + std::to_string(kMostQuantiles) +
                                                      " can be had at once");
  for (const float q : quantiles)
    SG_CHECK(q > 0 && q < 1, "quantile_loss: the quantile " + std::to_string(q) + " must lie between 0 and 1");
  bool fits = input.rank() == target.rank() + 1 && input.dim(-1) == count;
  for (int i = 0; fits && i < target.rank(); ++i) fits = input.dim(i) == target.dim(i);
  SG_CHECK(fits, "quantile_loss: input " + str(input.shape()) + " must be the target's shape " + str(target.shape()) +
                     " with an axis of the " + std::to_string(count) + " quantiles behind");
  std::array<float, kMostQuantiles> q{};
  std::copy(quantiles.begin(), quantiles.end(), q.begin());
  const params::quantile_error p{.count = count,
                                 .q0 = q[0],
                                 .q1 = q[1],
                                 .q2 = q[2],
                                 .q3 = q[3],
                                 .q4 = q[4],
                                 .q5 = q[5],
                                 .q6 = q[6],
                                 .q7 = q[7],
                                 .q8 = q[8],
                                 .q9 = q[9],
                                 .q10 = q[10],
                                 .q11 = q[11],
                                 .q12 = q[12],
                                 .q13 = q[13],
                                 .q14 = q[14],
                                 .q15 = q[15]};
  const auto out = run_all(p, {input, target}, input.shape());
  // dinput = dy · slope, and the target gets the opposite of all its quantiles
  const Tensor errors = record(out[0], {input, target}, [slope = out[1], target](const Tensor& dy) -> Grads {
    const Tensor dinput = mul(dy, slope);
    return {dinput, target.requires_grad() ? neg(sum(dinput, -1)) : Tensor()};
  });
  return mean_of("quantile_loss", errors, sample_weight);
}

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, float eps,
                         const Tensor& sample_weight) {
  same_shapes("gaussian_nll_loss", input, target);
  SG_CHECK(eps > 0, "gaussian_nll_loss: eps = " + std::to_string(eps) + " must be above 0");
  SG_CHECK(var.rank() <= input.rank() && broadcast(var.shape(), input.shape(), "gaussian_nll_loss") == input.shape(),
           "gaussian_nll_loss: var " + str(var.shape()) + " does not broadcast to the input " + str(input.shape()));
  return mean_of("gaussian_nll_loss", gaussian_error(sub(input, target), var, eps), sample_weight);
}

Tensor student_t_nll_loss(const Tensor& loc, const Tensor& scale, const Tensor& df, const Tensor& target,
                          const Tensor& sample_weight) {
  const char* const op = "student_t_nll_loss";
  const Tensor l = like_target(op, "loc", loc, target), s = like_target(op, "scale", scale, target);
  const Tensor f = like_target(op, "df", df, target);
  const auto out =
      run_all(params::student_t_error{.size = static_cast<int>(target.size())}, {l, s, f, target}, target.shape());
  // dloc = dy · out[1], dscale = dy · out[2], ddf = dy · out[3]; the target's is -dloc
  const Tensor errors = record(out[0], {l, s, f, target}, [out, l, s, f, target](const Tensor& dy) -> Grads {
    return {if_needed(l, out[1], dy), if_needed(s, out[2], dy), if_needed(f, out[3], dy),
            target.requires_grad() ? neg(mul(dy, out[1])) : Tensor()};
  });
  return mean_of(op, errors, sample_weight);
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, float pos_weight,
                                        const Tensor& sample_weight) {
  same_shapes("binary_cross_entropy_with_logits", logits, target);
  SG_CHECK(pos_weight >= 0,
           "binary_cross_entropy_with_logits: pos_weight = " + std::to_string(pos_weight) + " must not be below 0");
  return mean_of("binary_cross_entropy_with_logits", logistic_error(logits, target, pos_weight), sample_weight);
}

}  // namespace sg::ops
