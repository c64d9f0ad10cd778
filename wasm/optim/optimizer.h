// Optimisers: one fused kernel a parameter. State stays on the device; parameters take the new floats over.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parameter.h"

namespace sg::optim {

enum class Kind { sgd, adam, adamw };

/// SGD with momentum (Sutskever et al. 2013, torch.optim.SGD), Adam (Kingma and Ba 2015), AdamW (Loshchilov and Hutter
/// 2019). The learning rate comes with each step.
struct Config {
  Kind kind = Kind::adam;
  float momentum = 0;  // sgd
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;
  float weight_decay = 0;
  float clip_norm = 0;  // gradients are scaled down to this norm over all parameters (Pascanu et al. 2013); 0: never
};

class Optimizer {
 public:
  Optimizer(std::vector<Parameter> parameters, const Config& config);
  /// Applies and clears the gradients. The squared norm of all gradients before clipping is a scalar on the device;
  /// undefined where nothing is clipped.
  Tensor step(float learning_rate);

  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }
  /// The state by name ("exp_avg.lstm.weight_ih_l0"), zeros before the first step; for checkpoints.
  std::vector<Parameter> state() const;
  /// Gives every state tensor to `take` with its name, to be set from a checkpoint.
  void load(const std::function<void(const std::string& name, Tensor& tensor)>& take);

 private:
  struct Slot {
    std::string name;
    Tensor parameter;
    Tensor first, second;  // sgd: momentum buffer, none; adam: exp_avg, exp_avg_sq
  };
  Tensor squared_norm() const;
  void update(Slot& slot, const Tensor& norm, float learning_rate);

  Config config_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
};

}  // namespace sg::optim
