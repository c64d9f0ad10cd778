// What the time steps of recurrent layers share: their sizes, which a step and the gradient of it check alike, and the
// product through which the gradient of a step reaches the one before.
#pragma once
#include <string>

#include "cpu/gemm.h"
#include "cpu/simd.h"

namespace sg::cpu {

/// `gates` rows of hidden floats a unit: 4 in an LSTM, 3 in a GRU.
struct Step {
  ptrdiff_t batch, steps, t, hidden;
  int64_t state, weights;

  template <class P>
  Step(const P& p, int gates, const Args& args)
      : batch(p.batch),
        steps(p.steps),
        t(p.t),
        hidden(p.hidden),
        state(args.count({p.batch, p.hidden})),
        weights(args.count({gates, p.hidden, p.hidden})) {
    if (p.t < 0 || p.t >= p.steps)
      args.fail("there is no step " + std::to_string(p.t) + " of " + std::to_string(p.steps));
  }
};

/// to[batch, hidden] = Σ over the gates of d_next[batch, hidden] · W_gate[hidden, hidden]: one product of all gates
/// side by side.
template <size_t Gates>
void multiply_gates(const Step& s, const std::array<const float*, Gates>& d_next, const float* w, float* to,
                    Scratch& scratch) {
  constexpr ptrdiff_t kGates = Gates;
  float* const beside = scratch.take(s.batch * kGates * s.hidden);
  for (ptrdiff_t b = 0; b < s.batch; ++b) {
    for (ptrdiff_t gate = 0; gate < kGates; ++gate)
      copy(beside + (b * kGates + gate) * s.hidden, d_next[static_cast<size_t>(gate)] + b * s.hidden, s.hidden);
  }
  const ptrdiff_t k = kGates * s.hidden;
  gemm(s.batch, s.hidden, k, View{beside, k, 1}, View{w, s.hidden, 1}, to, s.hidden, false, scratch);
}

}  // namespace sg::cpu
