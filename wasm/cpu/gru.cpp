// One time step of a GRU and its gradient, as lstm.cpp does an LSTM's: products of matrices, then one pass over the
// gates, which lie side by side in a row of three times hidden floats, in PyTorch's order r, z (here u), n.
#include "cpu/gemm.h"
#include "cpu/ranges.h"
#include "cpu/recurrent_step.h"

namespace sg::cpu {
namespace kernels {

/// r = σ(z_r + W_r h + b_r)    u = σ(z_u + W_u h + b_u)    q = W_n h + b_n    n = tanh(z_n + r q)
/// h' = (1 - u) n + u h
void gru_step(const params::gru_step& p, const Args& args) {
  const Step s(p, 3, args);
  const ptrdiff_t hidden = s.hidden, row = 3 * hidden;
  const float* const z = args.in(0, args.count({p.batch, p.steps, 3, p.hidden}));
  const float *const h = args.in(1, s.state), *const w = args.in(2, s.weights);
  const float* const bias = args.in(3, args.count({3, p.hidden}));
  std::array<float*, 5> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = args.out(i, s.state);
  float *const h_next = out[0], *const r_gate = out[1], *const u_gate = out[2], *const n_gate = out[3],
               *const q_out = out[4];

  float* const gates = args.scratch().take(args.count({p.batch, 3, p.hidden}));
  gemm(s.batch, row, hidden, View{h, hidden, 1}, View{w, 1, hidden}, gates, row, false, args.scratch());
  over_rows(s.batch, hidden, 3 * kExponential, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t b = begin; b < end; ++b) {
      const float *const products = gates + b * row, *const projected = z + (b * s.steps + s.t) * row;
      const auto sum = [=](ptrdiff_t j) { return load(bias + j) + load(products + j); };
      for (ptrdiff_t j = 0; j < hidden; j += 4) {
        const ptrdiff_t at = b * hidden + j;
        const vf r = sigmoid(load(projected + j) + sum(j));
        const vf u = sigmoid(load(projected + hidden + j) + sum(hidden + j));
        const vf q = sum(2 * hidden + j);
        const vf n = tanh(load(projected + 2 * hidden + j) + r * q);
        store(r_gate + at, r), store(u_gate + at, u), store(n_gate + at, n), store(q_out + at, q);
        store(h_next + at, (1.0f - u) * n + u * load(h + at));
      }
    }
  });
}

/// D = dy[:, t] + dh + Σ over the gates of d_next · W_gate, and then
///   dn = D (1 - u) (1 - n²)    du = D (h_prev - n) u (1 - u)    dq = dn r    dr = dn q r (1 - r)    dh_prev = D u
/// Gradients fade with the number of steps, so what has become too small is made zero.
void gru_step_backward(const params::gru_step_backward& p, const Args& args) {
  const Step s(p, 3, args);
  const ptrdiff_t hidden = s.hidden;
  const float* const dy = args.in(0, args.count({p.batch, p.steps, p.hidden}));
  std::array<const float*, 6> in;
  for (size_t i = 0; i < in.size(); ++i) in[i] = args.in(i + 1, s.state);
  const float *const dh = in[0], *const r_gate = in[1], *const u_gate = in[2], *const n_gate = in[3],
                     *const q_in = in[4], *const h_prev = in[5];
  const float* const w = args.in(7, s.weights);
  std::array<float*, 5> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = args.out(i, s.state);
  float *const dr = out[0], *const du = out[1], *const dn = out[2], *const dq = out[3], *const dh_prev = out[4];

  float* const products = args.scratch().take(s.state);
  std::array<const float*, 3> next;
  for (size_t gate = 0; gate < 3; ++gate) next[gate] = args.in(8 + gate, s.state);
  multiply_gates(s, next, w, products, args.scratch());
  over_rows(s.batch, hidden, kPlain, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t b = begin; b < end; ++b) {
      const float* const own = dy + (b * s.steps + s.t) * hidden;
      for (ptrdiff_t j = 0; j < hidden; j += 4) {
        const ptrdiff_t i = b * hidden + j;
        const vf d = load(own + j) + load(dh + i) + load(products + i);
        const vf r = load(r_gate + i), u = load(u_gate + i), n = load(n_gate + i);
        const vf dn4 = d * (1.0f - u) * (1.0f - n * n);
        store(dr + i, flush(dn4 * load(q_in + i) * r * (1.0f - r)));
        store(du + i, flush(d * (load(h_prev + i) - n) * u * (1.0f - u)));
        store(dn + i, flush(dn4));
        store(dq + i, flush(dn4 * r));
        store(dh_prev + i, flush(d * u));
      }
    }
  });
}

}  // namespace kernels
}  // namespace sg::cpu
