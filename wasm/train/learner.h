// What of a run lives on a device: the model, its optimiser and the running average of its weights. After a lost
// context another one is made and filled from a copy; nothing here knows of epochs.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "forecast/windows.h"
#include "nn/module.h"
#include "optim/ema.h"
#include "optim/optimizer.h"
#include "train/config.h"
#include "train/copy.h"

namespace sg::train {

/// What comes back of a step: its loss, the squared norm of its gradients before clipping, and 1 where it was applied.
struct StepNumbers {
  static constexpr int64_t kCount = 3;
  float loss = 0, squared_norm = 0, applied = 0;
};

struct Forecast {
  std::vector<float> values, truth;  // scaled, [windows, outputs]; of classes: logits, and their numbers [windows]
  double loss = 0;
};

/// A series up to this size lies on the device as a whole, and steps gather their windows there; of a larger one each
/// batch is uploaded.
inline constexpr uint64_t kMostResidentBytes = uint64_t{256} << 20;

class Learner {
 public:
  /// `data` outlives it.
  Learner(std::unique_ptr<Device> device, const ForecastData& data, const TrainConfig& config,
          uint64_t most_resident_bytes = kMostResidentBytes);
  /// With another model than the configuration's, on the same device.
  Learner(std::unique_ptr<Device> device, std::unique_ptr<nn::Module> model, const ForecastData& data,
          const TrainConfig& config, uint64_t most_resident_bytes = kMostResidentBytes);

  /// One step on these windows, config.batch_size of them at a time, and the reading of its StepNumbers. A step whose
  /// loss or gradient is not finite changes nothing, and neither does any after it.
  uint32_t step(std::span<const uint32_t> starts, float learning_rate);
  /// Records the step of so many windows and goes on with making it ready, without waiting; a step does so itself and
  /// waits.
  Progress prepare(size_t windows);
  /// Memory of all that steps need, once one is recorded.
  uint64_t bytes() const;
  /// The data's series is another one of the same size: what lies on the device is renewed, in place.
  void reload();
  /// Waits for the device. With the averaged weights where there are.
  Forecast forecast(std::span<const uint32_t> starts) { return forecast(data_, starts); }
  /// Of windows of other data with the same columns.
  Forecast forecast(const ForecastData& data, std::span<const uint32_t> starts);
  /// Of windows as gather gives them.
  Forecast forecast(std::span<const float> x, std::vector<float> truth);

  /// The forward pass of a training step and its loss, on the tape.
  struct Pass {
    Tensor forecast, loss;
  };
  Pass pass(std::span<const uint32_t> starts);

  Device& device() const { return *device_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::vector<Parameter> buffers() const { return model_->buffers(); }
  /// What forecasts are made with, under the weights' own names: averages where there are, and buffers.
  std::vector<Parameter> weights() const;
  /// Everything that a step depends on: weights, buffers, "optimizer.", "ema.".
  std::vector<Parameter> tensors() const;
  /// The place that tensors() belong to.
  void set_place(int64_t steps, uint32_t draws);
  uint32_t draws() const { return context_.generator.draws; }
  /// The weights, and their averages, become those that `weights` gave once.
  void set_weights(const Tensors& values);

 private:
  struct Batch {
    Tensor x, y;
  };
  /// What a step is given for a part of its windows: their first rows, where the series lies on the device, else the
  /// batch itself.
  struct Part {
    int windows;
    Tensor starts;
    Batch batch;
  };
  /// A step of so many windows: what it is given, and how many random draws it makes.
  struct Planned {
    std::vector<Part> parts;
    std::unique_ptr<RecordedStep> step;
    uint32_t draws = 0;
  };
  Tensor loss(const Tensor& forecast, const Tensor& truth) const;
  Batch make_batch(int windows) const;
  Part make_part(int windows) const;
  void fill(const Batch& batch, std::span<const uint32_t> starts);
  void fill(const Part& part, std::span<const uint32_t> starts);
  Batch batch_of(const Part& part) const;
  Pass forward(const Batch& batch);
  /// The step itself, recorded: its StepNumbers.
  Tensor make_step(const std::vector<Part>& parts);
  void begin_planning();
  Planned plan(size_t windows);
  const Planned& planned(size_t windows);

  std::unique_ptr<Device> device_;  // first: it outlives every tensor
  const ForecastData& data_;
  TrainConfig config_;
  std::unique_ptr<nn::Module> model_;
  std::vector<Parameter> parameters_;
  optim::Optimizer optimizer_;
  std::optional<optim::Ema> ema_;
  nn::Context context_;
  Tensor class_weights_;  // where they differ
  Tensor step_values_;
  uint64_t most_resident_;
  Batch series_;                      // the scaled series, on the device: undefined where it is not
  std::unique_ptr<Carried> carried_;  // from the first step on
  std::map<size_t, Planned> planned_;
  std::vector<float> x_, y_, starts_;
};

}  // namespace sg::train
