// One time step of an LSTM and its gradient: one product of matrices, then one pass over the gates. The gates' numbers
// lie side by side in a row of four times hidden floats, in PyTorch's order i, f, g, o.
#include <algorithm>

#include "cpu/gemm.h"
#include "cpu/recurrent_step.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace kernels {

void lstm_step(const params::lstm_step& p, const Args& args) {
  const Step s(p, 4, args);
  const ptrdiff_t hidden = s.hidden, row = 4 * hidden;
  const float* const z = args.in(0, args.count({p.batch, p.steps, 4, p.hidden}));
  const float *const h = args.in(1, s.state), *const c = args.in(2, s.state), *const w = args.in(3, s.weights);
  std::array<float*, 6> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = args.out(i, s.state);
  const auto [h_next, c_next, i_gate, f_gate, g_gate, o_gate] = out;

  float* const gates = args.scratch().take(args.count({p.batch, 4, p.hidden}));
  for (ptrdiff_t b = 0; b < s.batch; ++b) std::copy_n(z + (b * s.steps + s.t) * row, row, gates + b * row);
  gemm(s.batch, row, hidden, View{h, hidden, 1}, View{w, 1, hidden}, gates, row, true, args.scratch());

  for (ptrdiff_t b = 0; b < s.batch; ++b) {
    const float* const from = gates + b * row;
    for (ptrdiff_t j = 0; j < hidden; j += 4) {
      const ptrdiff_t at = b * hidden + j;
      const vf i = sigmoid(load(from + j)), f = sigmoid(load(from + hidden + j));
      const vf g = tanh(load(from + 2 * hidden + j)), o = sigmoid(load(from + 3 * hidden + j));
      const vf next = f * load(c + at) + i * g;
      store(i_gate + at, i), store(f_gate + at, f), store(g_gate + at, g), store(o_gate + at, o);
      store(c_next + at, next);
      store(h_next + at, o * tanh(next));
    }
  }
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
  const auto [dc, i_gate, f_gate, g_gate, o_gate, c, c_prev] = in;
  const float* const w = args.in(8, s.weights);
  std::array<float*, 5> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = args.out(i, s.state);
  const auto [di, df, dg, do_, dc_prev] = out;

  float* const dh = args.scratch().take(s.state);
  for (ptrdiff_t b = 0; b < s.batch; ++b) std::copy_n(dy + (b * s.steps + s.t) * hidden, hidden, dh + b * hidden);
  for (ptrdiff_t gate = 0; gate < 4; ++gate) {
    const float* const d_next = args.in(static_cast<size_t>(9 + gate), s.state);
    gemm(s.batch, hidden, hidden, View{d_next, hidden, 1}, View{w + gate * hidden * hidden, hidden, 1}, dh, hidden,
         true, args.scratch());
  }

  for (ptrdiff_t n = 0; n < static_cast<ptrdiff_t>(s.state); n += 4) {
    const vf i = load(i_gate + n), f = load(f_gate + n), g = load(g_gate + n), o = load(o_gate + n);
    const vf d = load(dh + n), tanh_c = tanh(load(c + n));
    const vf dc_all = load(dc + n) + d * o * (1.0f - tanh_c * tanh_c);
    store(di + n, flush(dc_all * g * i * (1.0f - i)));
    store(df + n, flush(dc_all * load(c_prev + n) * f * (1.0f - f)));
    store(dg + n, flush(dc_all * i * (1.0f - g * g)));
    store(do_ + n, flush(d * tanh_c * o * (1.0f - o)));
    store(dc_prev + n, flush(dc_all * f));
  }
}

}  // namespace kernels
}  // namespace sg::cpu
