// A workload in training, as a session trains: the step is recorded once, when the first one is asked for, so that the
// time of the first step tells what that takes, and replayed.
#pragma once
#include <memory>

#include "core/plan.h"
#include "optim/optimizer.h"
#include "tests/bench/bench_nets.h"

namespace sg::bench {

struct Rates {
  float learning_rate = 0, beta1 = 0, beta2 = 0, eps = 0;  // Adam, or SGD where beta1 is 0
};

class Training {
 public:
  Training(std::unique_ptr<Device> device, const Workload& workload, const float* weights, const Rates& rates);
  /// One step on a batch, x and y as the workload gives them; its loss is then on its way: the reading.
  uint32_t step(const float* x, const float* y);
  Device& device() const { return *device_; }
  /// Memory of all that a step needs, from the first step on: nothing more is taken later.
  uint64_t bytes() const;

 private:
  void record();

  std::unique_ptr<Device> device_;  // first: it outlives every tensor
  float learning_rate_;
  std::unique_ptr<Net> net_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  Tensor values_;
  std::unique_ptr<Carried> carried_;
  std::unique_ptr<RecordedStep> step_;
};

}  // namespace sg::bench
