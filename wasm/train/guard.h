// Finds out why a step could not be applied: the optimiser has refused it on the device, so that the weights are still
// those before it, and the same batch can be gone through again, layer by layer.
#pragma once
#include <span>
#include <string>

#include "forecast/windows.h"
#include "train/learner.h"

namespace sg::train {

struct Refused {
  int64_t step = 0;  // from 0
  int epoch = 0;
  uint32_t draws = 0;  // before the step
  std::span<const uint32_t> starts;
  float learning_rate = 0;
  StepNumbers numbers;
};

/// Which number was not finite at which step, in which layer or gradient it arose first, which rows look like the
/// cause, and what to do next, as one text. The learner is left as it was.
std::string explain(Learner& learner, const ForecastData& data, const TrainConfig& config, const Refused& refused);

}  // namespace sg::train
