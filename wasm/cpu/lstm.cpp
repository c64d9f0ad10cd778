// One time step of an LSTM and its gradient: one product of matrices, then one pass over the gates. The gates' numbers
// lie side by side in a row of four times hidden floats, in PyTorch's order i, f, g, o.
#include "cpu/gemm.h"
#include "cpu/ranges.h"
#include "cpu/recurrent_step.h"

namespace sg::cpu {
namespace kernels {

void lstm_step(const params::lstm_step& p, const Args& args) {
  const Step s(p, 4, args);
  const ptrdiff_t hidden = s.hidden, row = 4 * hidden;
  const float* const z = args.in(0, args.count({p.batch, p.steps, 4, p.hidden}));
  const float *const h = args.in(1, s.state), *const c = args.in(2, s.state), *const w = args.in(3, s.weights);
  std::array<float*, 6> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = args.out(i, s.state);
  float *const h_next = out[0], *const c_next = out[1], *const i_gate = out[2], *const f_gate = out[3],
               *const g_gate = out[4], *const o_gate = out[5];

  float* const gates = args.scratch().take(args.count({p.batch, 4, p.hidden}));
  gemm(s.batch, row, hidden, View{h, hidden, 1}, View{w, 1, hidden}, gates, row, false, args.scratch());
  over_rows(s.batch, hidden, 5 * kExponential, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t b = begin; b < end; ++b) {
      const float *const products = gates + b * row, *const projected = z + (b * s.steps + s.t) * row;
      const auto sum = [=](ptrdiff_t j) { return load(projected + j) + load(products + j); };
      for (ptrdiff_t j = 0; j < hidden; j += 4) {
        const ptrdiff_t at = b * hidden + j;
        const vf i = sigmoid(sum(j)), f = sigmoid(sum(hidden + j));
        const vf g = tanh(sum(2 * hidden + j)), o = sigmoid(sum(3 * hidden + j));
        const vf next = f * load(c + at) + i * g;
        store(i_gate + at, i), store(f_gate + at, f), store(g_gate + at, g), store(o_gate + at, o);
        store(c_next + at, next);
        store(h_next + at, o * tanh(next));
      }
    }
  });
}

/// dh = dy[:, t] + Σ over the gates of d_next · W_gate, and then
///   do = dh tanh(c) o (1 - o)    dc' = dc + dh o (1 - tanh²(c))    dc_prev = dc' f
///   di = dc' g i (1 - i)         df = dc' c_prev f (1 - f)         dg = dc' i (1 - g²)
/// Gradients fade with the number of steps, so what has become too small is made zero.
void lstm_step_backward(const params::lstm_step_backward& p, const Args& args) {
  const Step s(p, 4, args);
  const ptrdiff_t hidden = s.hidden;
  const float* const dy = args.in(0, args.count({p.batch, p.steps, p.hidden}));
  std::array<const float*, 7> in;
  for (size_t i = 0; i < in.size(); ++i) in[i] = args.in(i + 1, s.state);
  const float *const dc = in[0], *const i_gate = in[1], *const f_gate = in[2], *const g_gate = in[3],
                     *const o_gate = in[4], *const c = in[5], *const c_prev = in[6];
  const float* const w = args.in(8, s.weights);
  std::array<float*, 5> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = args.out(i, s.state);
  float *const di = out[0], *const df = out[1], *const dg = out[2], *const do_ = out[3], *const dc_prev = out[4];

  float* const products = args.scratch().take(s.state);
  std::array<const float*, 4> next;
  for (size_t gate = 0; gate < 4; ++gate) next[gate] = args.in(9 + gate, s.state);
  multiply_gates(s, next, w, products, args.scratch());
  over_rows(s.batch, hidden, 2 * kExponential, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t b = begin; b < end; ++b) {
      const float* const own = dy + (b * s.steps + s.t) * hidden;
      for (ptrdiff_t j = 0; j < hidden; j += 4) {
        const ptrdiff_t n = b * hidden + j;
        const vf i = load(i_gate + n), f = load(f_gate + n), g = load(g_gate + n), o = load(o_gate + n);
        const vf d = load(own + j) + load(products + n), tanh_c = tanh(load(c + n));
        const vf dc_all = load(dc + n) + d * o * (1.0f - tanh_c * tanh_c);
        store(di + n, flush(dc_all * g * i * (1.0f - i)));
        store(df + n, flush(dc_all * load(c_prev + n) * f * (1.0f - f)));
        store(dg + n, flush(dc_all * i * (1.0f - g * g)));
        store(do_ + n, flush(d * tanh_c * o * (1.0f - o)));
        store(dc_prev + n, flush(dc_all * f));
      }
    }
  });
}

}  // namespace kernels
}  // namespace sg::cpu
