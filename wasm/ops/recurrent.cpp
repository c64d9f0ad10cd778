// LSTM over a whole sequence: one kernel per time step, forward and backward. What does not depend on the step before
// (the input projection, the weight gradients) is one matmul over all steps and stands outside.
#include <algorithm>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// What a step leaves for its gradient, each [N, H].
struct Step {
  Tensor h, c, i, f, g, o;
};

struct Gates {
  Tensor i, f, g, o;
};

/// Gate gradients of every step, from the last one back. dz[t] and dc[t-1] follow from dy[:, t], dz[t+1] and dc[t].
std::vector<Gates> backward_steps(const Tensor& dy, const Tensor& weight, const std::vector<Step>& steps) {
  const int batch = dy.dim(0), time = dy.dim(1), hidden = dy.dim(2);
  const Shape state{batch, hidden};
  const Tensor zero = Tensor::full(dy.device(), state, 0);
  std::vector<Gates> grads(steps.size());
  Gates next{zero, zero, zero, zero};
  Tensor dc = zero;
  for (int t = time - 1; t >= 0; --t) {
    const Step& s = steps[static_cast<size_t>(t)];
    const Tensor& c_before = t > 0 ? steps[static_cast<size_t>(t - 1)].c : zero;
    const params::lstm_step_backward p{.batch = batch, .steps = time, .t = t, .hidden = hidden};
    const auto out =
        run_all(p, {dy, dc, s.i, s.f, s.g, s.o, s.c, c_before, weight, next.i, next.f, next.g, next.o}, state);
    next = grads[static_cast<size_t>(t)] = {out[0], out[1], out[2], out[3]};
    dc = out[4];
  }
  return grads;
}

}  // namespace

Tensor lstm(const Tensor& z, const Tensor& weight_hh, const Tensor& h0, const Tensor& c0) {
  SG_CHECK(!h0.defined() && !c0.defined(), "lstm: a given state is not written yet");
  SG_CHECK(z.rank() == 3 && weight_hh.rank() == 2 && weight_hh.dim(0) == 4 * weight_hh.dim(1) &&
               z.dim(2) == weight_hh.dim(0),
           "lstm: z " + str(z.shape()) + " must be [N, T, 4H] for weight_hh " + str(weight_hh.shape()) + " = [4H, H]");
  const int batch = z.dim(0), time = z.dim(1), hidden = weight_hh.dim(1);
  const Shape state{batch, hidden};
  const Tensor zero = Tensor::full(z.device(), state, 0);
  std::vector<Step> steps;
  std::vector<Tensor> outputs;
  for (int t = 0; t < time; ++t) {
    const Tensor &h = t > 0 ? steps.back().h : zero, &c = t > 0 ? steps.back().c : zero;
    const auto s = run_all(params::lstm_step{.batch = batch, .steps = time, .t = t, .hidden = hidden},
                           {z, h, c, weight_hh}, state);
    steps.push_back({s[0], s[1], s[2], s[3], s[4], s[5]});
    outputs.push_back(s[0]);
  }
  const Tensor y = stack(outputs, 1);
  return record(y, {z, weight_hh}, [steps, weight_hh, zero, shape = z.shape()](const Tensor& dy) -> Grads {
    std::vector<Tensor> columns, before{zero};
    for (const Gates& d : backward_steps(dy, weight_hh, steps)) columns.insert(columns.end(), {d.i, d.f, d.g, d.o});
    for (size_t t = 0; t + 1 < steps.size(); ++t) before.push_back(steps[t].h);
    const int rows = shape[0] * shape[1], hidden4 = shape[2];
    const Tensor dz = cat(columns, 1).view(Shape{rows, hidden4});
    const Tensor h_before = stack(before, 1).view(Shape{rows, hidden4 / 4});
    return {dz.view(shape), matmul(dz, h_before, true, false)};  // dW = dZᵀ · H[t-1] over all n and t at once
  });
}

}  // namespace sg::ops
