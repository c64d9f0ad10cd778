#include "nn/recurrent.h"

#include <array>
#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {
namespace {

/// x[N, T, F] in reverse order of time, each sequence within its length.
Tensor reversed(const Tensor& x, const Tensor& lengths) {
  return lengths.defined() ? ops::reverse_sequence(x, lengths) : ops::flip(x, std::array{1});
}

/// The last step [N, H] of states [N, T, H].
Tensor last(const Tensor& states, const Tensor& lengths) {
  return lengths.defined() ? ops::last_of_sequence(states, lengths) : ops::select(states, 1, -1);
}

Tensor part(const Tensor& states, size_t index) {
  return states.defined() ? ops::select(states, 0, static_cast<int>(index)) : Tensor();
}

}  // namespace

Recurrent::Recurrent(const char* name, Init& init, int gates, int features, int hidden, const RecurrentOptions& options)
    : name_(name),
      features_(features),
      hidden_(hidden),
      directions_(options.bidirectional ? 2 : 1),
      orthogonal_(options.orthogonal),
      dropout_(options.dropout) {
  SG_CHECK(features > 0 && hidden > 0 && options.layers > 0, name_ + ": sizes must be above 0");
  for (int l = 0; l < options.layers; ++l) {
    for (int direction = 0; direction < directions_; ++direction) {
      const std::string suffix = "_l" + std::to_string(l) + (direction == 1 ? "_reverse" : "");
      add_weights(init, gates, l == 0 ? features : hidden * directions_, suffix);
    }
  }
}

void Recurrent::add_weights(Init& init, int gates, int features, const std::string& suffix) {
  const float bound = 1.0f / std::sqrt(static_cast<float>(hidden_));
  const Shape recurrent{gates * hidden_, hidden_}, bias{gates * hidden_};
  Weights w;
  w.weight_ih = parameter("weight_ih" + suffix, init.uniform({gates * hidden_, features}, bound));
  w.weight_hh = parameter("weight_hh" + suffix,
                          orthogonal_ ? init.orthogonal(recurrent, 1, gates) : init.uniform(recurrent, bound));
  w.bias_ih = parameter("bias_ih" + suffix, init.uniform(bias, bound));
  w.bias_hh = parameter("bias_hh" + suffix, init.uniform(bias, bound));
  weights_.push_back(w);
}

void Recurrent::check(const Tensor& x, const Tensor& lengths, const RecurrentState& initial) const {
  SG_CHECK(x.rank() == 3 && x.dim(2) == features_,
           name_ + ": x " + str(x.shape()) + " must be [N, T, " + std::to_string(features_) + "]");
  SG_CHECK(!lengths.defined() || lengths.shape() == Shape{x.dim(0)},
           name_ + ": lengths " + str(lengths.shape()) + " must be [N] for x " + str(x.shape()));
  const Shape state{static_cast<int>(weights_.size()), x.dim(0), hidden_};
  for (const Tensor* given : {&initial.h, &initial.c})
    SG_CHECK(!given->defined() || given->shape() == state, name_ + ": an initial state " + str(given->shape()) +
                                                               " must be " + str(state) + " for x " + str(x.shape()));
  SG_CHECK(has_cells() || !initial.c.defined(), name_ + ": there are no cells that could have an initial state");
}

RecurrentOutput Recurrent::run(const Tensor& x, Context& context, const Tensor& lengths, const RecurrentState& initial,
                               bool states_wanted) const {
  check(x, lengths, initial);
  const bool cells = states_wanted && has_cells();
  std::vector<Tensor> h, c;
  Tensor y = lengths.defined() ? ops::mask_sequence(x, lengths) : x;
  for (size_t at = 0; at < weights_.size();) {
    if (at > 0) y = dropout_.forward(y, context);
    std::vector<Tensor> outputs;
    for (int direction = 0; direction < directions_; ++direction, ++at) {
      const Tensor from = direction == 0 ? y : reversed(y, lengths);
      const Steps s = steps(weights_[at], from, {part(initial.h, at), part(initial.c, at)}, cells);
      outputs.push_back(direction == 0 ? s.h : reversed(s.h, lengths));
      if (states_wanted) h.push_back(last(s.h, lengths));
      if (cells) c.push_back(last(s.c, lengths));
    }
    y = directions_ == 1 ? outputs[0] : ops::cat(outputs, 2);
    if (lengths.defined()) y = ops::mask_sequence(y, lengths);
  }
  RecurrentOutput out{y, {}};
  if (states_wanted) out.state.h = ops::stack(h, 0);
  if (cells) out.state.c = ops::stack(c, 0);
  return out;
}

Tensor Recurrent::forward(const Tensor& x, Context& context) const { return run(x, context, {}, {}, false).y; }

Tensor Recurrent::forward(const Tensor& x, Context& context, const Tensor& lengths) const {
  return run(x, context, lengths, {}, false).y;
}

RecurrentOutput Recurrent::forward_states(const Tensor& x, Context& context, const Tensor& lengths,
                                          const RecurrentState& initial) const {
  return run(x, context, lengths, initial, true);
}

LSTM::LSTM(Init& init, int features, int hidden, const RecurrentOptions& options)
    : Recurrent("LSTM", init, 4, features, hidden, options) {}

Recurrent::Steps LSTM::steps(const Weights& w, const Tensor& x, const RecurrentState& initial, bool cells) const {
  const Tensor z = ops::linear(x, w.weight_ih, ops::add(w.bias_ih, w.bias_hh));
  if (!cells) return {ops::lstm(z, w.weight_hh, initial.h, initial.c)};
  const Tensor states = ops::lstm_states(z, w.weight_hh, initial.h, initial.c);
  return {ops::select(states, 2, 0), ops::select(states, 2, 1)};
}

GRU::GRU(Init& init, int features, int hidden, const RecurrentOptions& options)
    : Recurrent("GRU", init, 3, features, hidden, options) {}

Recurrent::Steps GRU::steps(const Weights& w, const Tensor& x, const RecurrentState& initial, bool) const {
  return {ops::gru(ops::linear(x, w.weight_ih, w.bias_ih), w.weight_hh, w.bias_hh, initial.h)};
}

}  // namespace sg::nn
