// LSTM over a whole sequence: one kernel per time step, forward and backward. What does not depend on the step before
// (the input projection, the weight gradients) is one matmul over all steps and stands outside.
#include <algorithm>

#include "core/check.h"
#include "ops/internal.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// What a step leaves for its gradient, each [N, H].
struct LstmStep {
  Tensor h, c, i, f, g, o;
};

/// A run over all steps, from the state h0, c0. The backward goes through it from the last step on.
struct LstmRun {
  Tensor weight, h0, c0;
  std::vector<LstmStep> steps;
  Shape z;                                    // [N, T, 4H]
  bool h0_needed = false, c0_needed = false;  // their gradients

  int batch() const { return z[0]; }
  int time() const { return z[1]; }
  int hidden() const { return z[2] / 4; }
  Shape state() const { return {batch(), hidden()}; }
  const Tensor& h_before(int t) const { return t > 0 ? steps[static_cast<size_t>(t - 1)].h : h0; }
  const Tensor& c_before(int t) const { return t > 0 ? steps[static_cast<size_t>(t - 1)].c : c0; }
};

LstmRun forward_steps(const std::string& op, const Tensor& z, const Tensor& weight, const Tensor& h0,
                      const Tensor& c0) {
  SG_CHECK(z.rank() == 3 && weight.rank() == 2 && weight.dim(0) == 4 * weight.dim(1) && z.dim(2) == weight.dim(0),
           op + ": z " + str(z.shape()) + " must be [N, T, 4H] for weight_hh " + str(weight.shape()) + " = [4H, H]");
  LstmRun r{.weight = weight, .h0 = h0, .c0 = c0, .steps = {}, .z = z.shape()};
  const Shape state = r.state();
  for (const auto& [name, given] : {std::pair("h0 ", &h0), std::pair("c0 ", &c0)})
    SG_CHECK(!given->defined() || given->shape() == state,
             op + ": " + name + str(given->shape()) + " must be " + str(state) + " for z " + str(z.shape()));
  r.h0_needed = h0.requires_grad(), r.c0_needed = c0.requires_grad();
  if (!h0.defined()) r.h0 = Tensor::full(z.device(), state, 0);
  if (!c0.defined()) r.c0 = h0.defined() ? Tensor::full(z.device(), state, 0) : r.h0;
  for (int t = 0; t < r.time(); ++t) {
    const params::lstm_step p{.batch = r.batch(), .steps = r.time(), .t = t, .hidden = r.hidden()};
    const auto s = run_all(p, {z, r.h_before(t), r.c_before(t), weight}, state);
    r.steps.push_back({s[0], s[1], s[2], s[3], s[4], s[5]});
  }
  return r;
}

/// Gate gradients of a step, before the nonlinearity.
struct LstmGates {
  Tensor i, f, g, o;
};

/// The gradients to z, weight_hh, h0 and c0 from dy[N, T, H], or from dy[N, T, 2, H] of hidden and cell states alike.
/// Step t's gate gradients follow from dy[:, t], those of t+1 and dc[t]; then
///   dW = Σ over n and t of dzᵀ · h[t-1]    dh0 = dz[:, 0] · W    dc0 = dc before the first step
Grads lstm_backward_steps(const LstmRun& r, const Tensor& dy) {
  const int batch = r.batch(), time = r.time(), hidden = r.hidden(), per_step = dy.rank() == 4 ? 2 : 1;
  const Shape state = r.state();
  const Tensor zero = Tensor::full(dy.device(), state, 0);
  std::vector<LstmGates> grads(r.steps.size());
  LstmGates next{zero, zero, zero, zero};
  Tensor dc = zero;
  for (int t = time - 1; t >= 0; --t) {
    const LstmStep& s = r.steps[static_cast<size_t>(t)];
    if (per_step == 2) {  // the step's own cell state was given out as well
      const Axes rows{0, 0, 0, 0, 2 * time * hidden, 1};
      dc = add(dc, strided_copy(dy, state, rows, (2 * t + 1) * hidden));
    }
    const params::lstm_step_backward p{.batch = batch, .steps = per_step * time, .t = per_step * t, .hidden = hidden};
    const auto out =
        run_all(p, {dy, dc, s.i, s.f, s.g, s.o, s.c, r.c_before(t), r.weight, next.i, next.f, next.g, next.o}, state);
    next = grads[static_cast<size_t>(t)] = {out[0], out[1], out[2], out[3]};
    dc = out[4];
  }

  std::vector<Tensor> columns, before;
  for (int t = 0; t < time; ++t) {
    const LstmGates& d = grads[static_cast<size_t>(t)];
    columns.insert(columns.end(), {d.i, d.f, d.g, d.o});
    before.push_back(r.h_before(t));
  }
  const Shape rows{batch * time, 4 * hidden};
  const Tensor dz = cat(columns, 1).view(rows);
  const Tensor h_before = stack(before, 1).view(Shape{batch * time, hidden});
  Tensor dh0;
  if (r.h0_needed) dh0 = matmul(cat(std::vector{next.i, next.f, next.g, next.o}, 1), r.weight);
  return {dz.view(r.z), matmul(dz, h_before, true, false), dh0, r.c0_needed ? dc : Tensor()};
}

}  // namespace

Tensor lstm(const Tensor& z, const Tensor& weight_hh, const Tensor& h0, const Tensor& c0) {
  const LstmRun r = forward_steps("lstm", z, weight_hh, h0, c0);
  std::vector<Tensor> outputs;
  for (const LstmStep& s : r.steps) outputs.push_back(s.h);
  return record(stack(outputs, 1), {z, weight_hh, h0, c0},
                [r](const Tensor& dy) -> Grads { return lstm_backward_steps(r, dy); });
}

Tensor lstm_states(const Tensor& z, const Tensor& weight_hh, const Tensor& h0, const Tensor& c0) {
  const LstmRun r = forward_steps("lstm_states", z, weight_hh, h0, c0);
  std::vector<Tensor> outputs;
  for (const LstmStep& s : r.steps) outputs.insert(outputs.end(), {s.h, s.c});
  const Tensor y = stack(outputs, 1).view(Shape{r.batch(), r.time(), 2, r.hidden()});
  return record(y, {z, weight_hh, h0, c0}, [r](const Tensor& dy) -> Grads { return lstm_backward_steps(r, dy); });
}

}  // namespace sg::ops
