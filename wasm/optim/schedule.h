// Learning rate schedules, those of torch.optim.lr_scheduler: pure functions of the step, so that a checkpoint keeps
// only the step. One, reduce_on_plateau, depends on losses: its state is a struct of numbers for the checkpoint.
#pragma once
#include <cstdint>
#include <limits>

namespace sg::optim {

enum class Schedule { constant, step, cosine, one_cycle, exponential, reduce_on_plateau };

/// What decides a rate beside the step. With t = step - warmup and T = total - warmup, after the warm-up:
///   constant     base
///   step         base gamma^(t div step_size)                                             (StepLR)
///   exponential  base gamma^t                                                             (ExponentialLR)
///   cosine       from base to final_rate along half a wave in T steps, then final_rate    (CosineAnnealingLR)
///   one_cycle    from base / div_factor along half a wave to base at t = pct_start T - 1, and along another to
///                base / (div_factor final_div_factor) at t = T - 1        (OneCycleLR, cos, two phases; its cycling of
///                the momentum is left out)
///   reduce_on_plateau  base, times ReduceOnPlateau's scale                                (ReduceLROnPlateau)
/// The first `warmup` steps rise in a line to the schedule's first rate, which the last of them reaches (LinearLR with
/// start_factor = 1 / warmup).
struct ScheduleConfig {
  Schedule kind = Schedule::constant;
  float base = 0.001f;
  int64_t total = 1;  // steps of the run, warm-up included
  int64_t warmup = 0;
  float final_rate = 0;           // cosine
  int64_t step_size = 1;          // step
  float gamma = 0.1f;             // step, exponential
  float pct_start = 0.3f;         // one_cycle
  float div_factor = 25;          // one_cycle
  float final_div_factor = 1e4f;  // one_cycle
};

/// The rate of a step, counted from 0; beyond `total` that of the last one where the schedule has an end.
float learning_rate(const ScheduleConfig& config, int64_t step);

/// torch.optim.lr_scheduler.ReduceLROnPlateau, mode min, relative threshold: when a loss has not become better than
/// (1 - threshold) times the best for more than `patience` losses, the rate is multiplied by `factor`.
class ReduceOnPlateau {
 public:
  struct Config {
    double factor = 0.1;
    int64_t patience = 10;
    double threshold = 1e-4;
    int64_t cooldown = 0;  // losses after a reduction that do not count
    double min_rate = 0;
  };
  struct State {
    double scale = 1;  // what the base rate is multiplied by
    double best = std::numeric_limits<double>::infinity();
    int64_t bad = 0;  // losses since the best one
    int64_t cooldown = 0;
  };

  ReduceOnPlateau(float base, const Config& config) : base_(static_cast<double>(base)), config_(config) {}
  /// Takes the loss of an epoch; one that is not a number counts as not better. True where the rate was reduced.
  bool step(double loss);
  double scale() const { return state_.scale; }
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  double base_;
  Config config_;
  State state_;
};

}  // namespace sg::optim
