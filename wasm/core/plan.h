// A training step is the same kernels on the same sizes thousands of times. It is recorded once, on a device that only
// writes down what is asked for (core/trace.h), and from then on replayed: no op, no tape and no allocation.
//
// What a step leaves behind lies in the tensors that it carries over: weights, an optimiser's state, running
// statistics. A kernel never writes what it reads, so each of them has two homes, and a step reads one and writes the
// other.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "core/schedule.h"
#include "core/tensor.h"

namespace sg {

class RecordedStep;

class Carried {
 public:
  /// `tensors` are all that steps read beside their inputs. Between steps they can be used and set like any others.
  Carried(Device& device, std::vector<Tensor> tensors);
  Carried(const Carried&) = delete;
  Carried& operator=(const Carried&) = delete;

  /// Calls `step`, on which nothing is computed and which must do the same at every call: it reads the carried tensors
  /// and `inputs`, sets carried tensors to what it computes, and returns its result. What is in `inputs` may be
  /// uploaded anew before each run. Throws plan.* where a step cannot be recorded.
  std::unique_ptr<RecordedStep> record(std::vector<Tensor> inputs, const std::function<Tensor()>& step);
  /// Memory of the tensors in all of their homes.
  uint64_t bytes() const;

 private:
  friend class RecordedStep;
  struct Home {
    Tensor now, next;  // next: undefined while no step changes the tensor
  };
  struct Recording;
  Recording trace(std::vector<Tensor>& inputs, const std::function<Tensor()>& step);
  void settle();
  void turn(const std::vector<bool>& written);

  Tracer tracer_;  // first: it outlives every tensor that a step has left by mistake
  Device& device_;
  std::vector<Tensor> tensors_;
  std::vector<Home> homes_;
  size_t turn_ = 0;
  bool recorded_ = false;
};

/// A step ready to be run again and again, of `Carried::record`.
class RecordedStep {
 public:
  /// Makes ready what a run needs, a little at a time; see Replay.
  Progress prepare() { return replay_->prepare(); }
  /// One step. The carried tensors have their new values, and the result is that of this step.
  void run();
  const Tensor& result() const { return result_; }
  size_t calls() const { return calls_; }
  /// Memory of what the step makes on the way, its constants and its result included.
  uint64_t bytes() const { return bytes_; }

 private:
  friend class Carried;
  explicit RecordedStep(Carried& carried) : carried_(carried) {}
  static std::vector<Tensor> make_constants(Device& device, const Trace& trace, const std::vector<TracedCall>& calls);
  void finish(Device& device, const Schedule& schedule);

  Carried& carried_;
  std::vector<Tensor> inputs_, constants_;  // constants by value
  Tensor result_;
  std::vector<bool> written_;  // which of the carried tensors
  std::unique_ptr<Replay> replay_;
  size_t calls_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace sg
