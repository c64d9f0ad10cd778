// Exponential moving averages of the weights (Polyak and Juditsky 1992): a smoother model than the last step's, for
// validation and for the file that is saved. Averages stay on the device, one kernel a parameter and step.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parameter.h"
#include "core/step_values.h"

namespace sg::optim {

class Ema {
 public:
  /// The averages begin as the weights are now. What is not a parameter (running statistics of norms) is not averaged.
  Ema(const std::vector<Parameter>& parameters, float decay);
  /// Before step number `steps`, counted from 1: fills in its d = min(decay, (1 + steps) / (10 + steps)), so that the
  /// first weights fade quickly.
  void begin_step(int64_t steps, StepValues& values) const;
  /// After the step: average = d average + (1 - d) weight, d in the floats `values` of a StepValues. A refused step
  /// (Step::applied is 0) changes nothing. Nothing that this runs depends on the step's number.
  void update(const Tensor& applied, const Tensor& values);
  /// Both at once.
  void update(const Tensor& applied, int64_t steps);
  /// Exchanges weights and averages: before validation, and once more after it. Not while a step is being made.
  void swap();
  bool swapped() const { return swapped_; }

  /// The averages by name ("ema.lstm.weight_ih_l0"), for checkpoints, whichever way they are exchanged.
  std::vector<Parameter> state() const;
  /// Gives every average to `take` with its name, to be set from a checkpoint.
  void load(const std::function<void(const std::string& name, Tensor& tensor)>& take);

 private:
  struct Slot {
    Parameter parameter;
    Tensor average;
  };
  float decay_;
  std::vector<Slot> slots_;
  bool swapped_ = false;
};

/// The averages in the weights' place for as long as this lives.
class Averaged {
 public:
  explicit Averaged(Ema& ema) : ema_(ema) { ema_.swap(); }
  ~Averaged() { ema_.swap(); }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  Ema& ema_;
};

}  // namespace sg::optim
