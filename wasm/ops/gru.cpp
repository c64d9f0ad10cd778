// GRU over a whole sequence, as recurrent.cpp does the LSTM: one kernel per time step, forward and backward, and one
// matmul over all steps for the weights' gradient.
#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// What a step leaves for its gradient, each [N, H].
struct GruStep {
  Tensor h, r, u, n, q;
};

struct GruRun {
  Tensor weight, h0;
  std::vector<GruStep> steps;
  Shape z;  // [N, T, 3H]
  bool h0_needed = false;

  int batch() const { return z[0]; }
  int time() const { return z[1]; }
  int hidden() const { return z[2] / 3; }
  const Tensor& h_before(int t) const { return t > 0 ? steps[static_cast<size_t>(t - 1)].h : h0; }
};

/// Gate gradients of a step, before the nonlinearity: of n's two summands, dn goes to the input's and dq to the
/// state's.
struct GruGates {
  Tensor r, u, n, q;
};

/// The gradients to z, weight_hh, bias_hh and h0. z's gates get (dr, du, dn), those of the state D = (dr, du, dq):
///   dW = Σ over n and t of Dᵀ · h[t-1]    db = Σ D    dh0 = D[:, 0] · W + the way around the first step's gates
Grads gru_backward_steps(const GruRun& r, const Tensor& dy) {
  const int batch = r.batch(), time = r.time(), hidden = r.hidden();
  const Shape state{batch, hidden};
  const Tensor zero = Tensor::full(dy.device(), state, 0);
  std::vector<GruGates> grads(r.steps.size());
  GruGates next{zero, zero, zero, zero};
  Tensor dh = zero;
  for (int t = time - 1; t >= 0; --t) {
    const GruStep& s = r.steps[static_cast<size_t>(t)];
    const params::gru_step_backward p{.batch = batch, .steps = time, .t = t, .hidden = hidden};
    const auto out = run_all(p, {dy, dh, s.r, s.u, s.n, s.q, r.h_before(t), r.weight, next.r, next.u, next.q}, state);
    next = grads[static_cast<size_t>(t)] = {out[0], out[1], out[2], out[3]};
    dh = out[4];
  }

  std::vector<Tensor> of_z, of_state, before;
  for (int t = 0; t < time; ++t) {
    const GruGates& d = grads[static_cast<size_t>(t)];
    of_z.insert(of_z.end(), {d.r, d.u, d.n});
    of_state.insert(of_state.end(), {d.r, d.u, d.q});
    before.push_back(r.h_before(t));
  }
  const Tensor dz = cat(of_z, 1).view(r.z), d = cat(of_state, 1).view(Shape{batch * time, 3 * hidden});
  const Tensor h_before = stack(before, 1).view(Shape{batch * time, hidden});
  Tensor dh0;
  if (r.h0_needed) dh0 = add(dh, matmul(cat(std::vector{next.r, next.u, next.q}, 1), r.weight));
  return {dz, matmul(d, h_before, true, false), sum(d, 0), dh0};
}

}  // namespace

Tensor gru(const Tensor& z, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& h0) {
  SG_CHECK(z.rank() == 3 && weight_hh.rank() == 2 && weight_hh.dim(0) == 3 * weight_hh.dim(1) &&
               z.dim(2) == weight_hh.dim(0) && bias_hh.shape() == Shape{z.dim(2)},
           "gru: z " + str(z.shape()) + " must be [N, T, 3H] for weight_hh " + str(weight_hh.shape()) +
               " = [3H, H] and bias_hh " + str(bias_hh.shape()) + " = [3H]");
  const Shape state{z.dim(0), weight_hh.dim(1)};
  SG_CHECK(!h0.defined() || h0.shape() == state,
           "gru: h0 " + str(h0.shape()) + " must be " + str(state) + " for z " + str(z.shape()));
  GruRun r{.weight = weight_hh, .h0 = h0, .steps = {}, .z = z.shape(), .h0_needed = h0.requires_grad()};
  if (!h0.defined()) r.h0 = Tensor::full(z.device(), state, 0);
  std::vector<Tensor> outputs;
  for (int t = 0; t < r.time(); ++t) {
    const params::gru_step p{.batch = r.batch(), .steps = r.time(), .t = t, .hidden = r.hidden()};
    const auto s = run_all(p, {z, r.h_before(t), weight_hh, bias_hh}, state);
    r.steps.push_back({s[0], s[1], s[2], s[3], s[4]});
    outputs.push_back(s[0]);
  }
  return record(stack(outputs, 1), {z, weight_hh, bias_hh, h0},
                [r](const Tensor& dy) -> Grads { return gru_backward_steps(r, dy); });
}

}  // namespace sg::ops
