// Stacks of recurrent layers, with PyTorch's names, layouts and order of states (torch.nn.LSTM and GRU, batch first):
// weight_ih_l0[gates H, F], weight_hh_l0[gates H, H], bias_ih_l0 and bias_hh_l0[gates H], then the same with _reverse
// where it is bidirectional, then _l1 and so on; all of them uniform in ±1/√H at first.
//
// Sequences of different lengths lie side by side in x[N, T, F] with lengths[N] (packed sequences in PyTorch). What
// lies beyond a length influences nothing, NaN included, and the outputs there are 0.
#pragma once
#include <string>
#include <vector>

#include "nn/layers.h"

namespace sg::nn {

struct RecurrentOptions {
  int layers = 1;
  float dropout = 0;           // between layers
  bool bidirectional = false;  // a second run from the end, its states behind those of the first
  bool orthogonal = false;     // weight_hh: an orthogonal matrix a gate (Saxe et al. 2014)
};

/// Of every layer and direction, [layers · directions, N, H], a layer's forward direction before its reverse one; c are
/// an LSTM's cells. Undefined stands for zeros.
struct RecurrentState {
  Tensor h, c = {};
};

struct RecurrentOutput {
  Tensor y;              // the last layer's hidden states [N, T, directions · H]
  RecurrentState state;  // after the last step of each sequence: in the reverse direction after its first
};

class Recurrent : public Module {
 public:
  /// x[N, T, F] -> the last layer's hidden states [N, T, directions · H].
  Tensor forward(const Tensor& x, Context& context) const override;
  Tensor forward(const Tensor& x, Context& context, const Tensor& lengths) const;
  /// The same from a state, and with the state that it ends in.
  RecurrentOutput forward_states(const Tensor& x, Context& context, const Tensor& lengths = {},
                                 const RecurrentState& initial = {}) const;

 protected:
  struct Weights {
    Tensor weight_ih, weight_hh, bias_ih, bias_hh;
  };
  /// States after each step, [N, T, H]; c only where they are asked for.
  struct Steps {
    Tensor h, c = {};
  };
  Recurrent(const char* name, Init& init, int gates, int features, int hidden, const RecurrentOptions& options);

 private:
  /// One direction of one layer over x[N, T, F] from a state [N, H], undefined for zeros.
  virtual Steps steps(const Weights& weights, const Tensor& x, const RecurrentState& initial, bool cells) const = 0;
  virtual bool has_cells() const = 0;
  void add_weights(Init& init, int gates, int features, const std::string& suffix);
  void check(const Tensor& x, const Tensor& lengths, const RecurrentState& initial) const;
  RecurrentOutput run(const Tensor& x, Context& context, const Tensor& lengths, const RecurrentState& initial,
                      bool states_wanted) const;

  std::string name_;
  int features_, hidden_, directions_;
  bool orthogonal_;
  std::vector<Weights> weights_;  // by layer and direction
  Dropout dropout_;
};

/// Gates i, f, g, o (Hochreiter and Schmidhuber 1997).
class LSTM : public Recurrent {
 public:
  LSTM(Init& init, int features, int hidden, const RecurrentOptions& options = {});

 private:
  Steps steps(const Weights& weights, const Tensor& x, const RecurrentState& initial, bool cells) const override;
  bool has_cells() const override { return true; }
};

/// Gates r, z, n (Cho et al. 2014); bias_hh counts within r's product, as in PyTorch.
class GRU : public Recurrent {
 public:
  GRU(Init& init, int features, int hidden, const RecurrentOptions& options = {});

 private:
  Steps steps(const Weights& weights, const Tensor& x, const RecurrentState& initial, bool cells) const override;
  bool has_cells() const override { return false; }
};

}  // namespace sg::nn
