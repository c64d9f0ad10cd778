// Optimisers: one fused kernel a parameter (Muon: two, and products of matrices between them). State stays on the
// device; parameters take the new floats over.
//
// The guard: the norm of all gradients is formed at every step. From the first loss or norm on that is not finite no
// step is applied, until reset_guard(): parameters and state keep their bits. The device decides this itself, in the
// same step and without a wait; the host learns of it when it reads `applied`.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parameter.h"
#include "core/step_values.h"

namespace sg::optim {

enum class Kind { sgd, adam, adamw, rmsprop, adagrad, lion, muon };

/// SGD (Sutskever et al. 2013, torch.optim.SGD), Adam (Kingma and Ba 2015), AdamW (Loshchilov and Hutter 2019), RMSprop
/// (torch.optim.RMSprop, not centred), Adagrad (Duchi et al. 2011, torch.optim.Adagrad), Lion (Chen et al. 2023) and
/// Muon (Jordan 2024). The learning rate comes with each step.
struct Config {
  Kind kind = Kind::adam;
  float momentum = 0;                  // sgd, rmsprop, muon
  bool nesterov = false;               // sgd, muon
  float alpha = 0.99f;                 // rmsprop
  float beta1 = 0.9f, beta2 = 0.999f;  // adam, adamw, lion, and muon's AdamW
  float eps = 1e-8f;                   // all but sgd and lion
  float rate_decay = 0;                // adagrad: step t has the rate / (1 + (t - 1) rate_decay)
  /// Decoupled for adamw, lion and muon, else added to the gradient. Biases, the weights of norms and all other tensors
  /// of less than two axes do not decay, unless `decay_all`.
  float weight_decay = 0;
  bool decay_all = false;
  /// Gradients are scaled down to this norm over all parameters (Pascanu et al. 2013), and then each of their elements
  /// is held within ± clip_value; 0: never.
  float clip_norm = 0, clip_value = 0;

  /// Muon takes the parameters for which this holds, AdamW the others; without it, `is_hidden` decides.
  std::function<bool(const Parameter&)> hidden = {};
  /// Muon's rate for a weight [m, n] is the step's times 0.2 sqrt(max(m, n)), which makes its updates as large as
  /// AdamW's, so that one rate serves both (Liu et al. 2025); else times sqrt(max(1, m / n)), as Jordan has it.
  bool match_adamw = true;
  /// AdamW's rate beside Muon is the step's times this.
  float adamw_rate = 1;
};

/// A Config with the values that PyTorch, or the paper, gives the kind where a user says nothing.
Config defaults(Kind kind);

/// Whether Muon's own rule takes a parameter: a tensor of two axes, so a weight that multiplies, and by its name no
/// embedding and no head: no part of the name (between dots, without case) holds "embed" or "position", is "token",
/// "head", "output", "wte" or "wpe", or ends in "_head". Those stay with AdamW, as Jordan advises, together with
/// vectors and convolutions.
bool is_hidden(const Parameter& parameter);

/// What a step leaves on the device, a scalar each: the squared norm of all gradients, after gradient_scale and before
/// clipping, and whether this step was applied (1) or refused (0).
struct Step {
  Tensor squared_norm;
  Tensor applied;
};

class Optimizer {
 public:
  /// A tensor that occurs twice (tied weights) is stepped once, under its first name.
  Optimizer(std::vector<Parameter> parameters, const Config& config);
  /// Counts a step and fills in what it has of its own: the rate and the bias corrections.
  void begin_step(float learning_rate, StepValues& values);
  /// Applies and clears the gradients of `loss`, one number; `values` are the floats of the step's StepValues.
  /// Gradients of n backward passes add up: with gradient_scale = 1 / n their mean is applied; `loss` is then any
  /// number that is not finite where one of the losses was not. Nothing that this runs depends on the step's number,
  /// and every tensor that lives from step to step (parameters, state, guard) keeps its identity.
  Step step(const Tensor& loss, const Tensor& values, float gradient_scale = 1);
  /// Both at once.
  Step step(float learning_rate, const Tensor& loss, float gradient_scale = 1);
  /// Steps are applied again. The step counter is the caller's to set back.
  void reset_guard();
  /// `applied` of the latest step, 1 before the first: the tensor that every step reads and sets.
  Tensor guard() const { return applied_; }

  /// Steps taken, refused ones included: they decide Adam's bias correction and Adagrad's rate.
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }
  const Config& config() const { return config_; }
  /// The state by name ("exp_avg.lstm.weight_ih_l0"), zeros before the first step; for checkpoints.
  std::vector<Parameter> state() const;
  /// Gives every state tensor to `take` with its name, to be set from a checkpoint.
  void load(const std::function<void(const std::string& name, Tensor& tensor)>& take);

 private:
  struct Slot {
    Parameter parameter;
    Kind kind;  // adamw or muon where the optimiser is Muon
    float weight_decay;
    std::vector<Tensor> state;  // in the order of state_names()
  };
  /// What all kernels of a step share.
  struct Shared {
    float scale;
    Tensor squared_norm, applied, step;
  };
  void update(Slot& slot, const Shared& with);
  void update_sgd(Slot& slot, const Shared& with);
  void update_adam(Slot& slot, const Shared& with);
  void update_rmsprop(Slot& slot, const Shared& with);
  void update_adagrad(Slot& slot, const Shared& with);
  void update_lion(Slot& slot, const Shared& with);
  void update_muon(Slot& slot, const Shared& with);

  Config config_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
  Tensor applied_;
};

}  // namespace sg::optim
