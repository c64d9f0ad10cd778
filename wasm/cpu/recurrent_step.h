// The sizes of one time step of a recurrent layer, which its step and the gradient of that check alike.
#pragma once
#include <string>

#include "cpu/kernel.h"

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

}  // namespace sg::cpu
