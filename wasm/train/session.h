// A training run: data, model, optimiser and the place it has reached. step() does what the story says: gather a batch,
// forward, loss, backward, optimiser; losses come back when they come, and nothing waits for the device inside a step.
// Where it stands is a function of (configuration, step, draws), so that a resumed run continues bit for bit on the
// cpu.
#pragma once
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/device.h"
#include "forecast/baselines.h"
#include "forecast/windows.h"
#include "nn/module.h"
#include "train/batches.h"
#include "train/config.h"

namespace sg::train {

/// What a checkpoint keeps beside tensors.
struct State {
  int64_t step = 0;
  int epoch = 0;  // finished epochs
  int step_in_epoch = 0;
  uint32_t draws = 0;   // dropout masks used
  double loss_sum = 0;  // of this epoch, weighted by batch size
  int64_t loss_count = 0;
  std::optional<double> validation_loss;  // the last one measured
  nlohmann::json to_json() const;
  static State from_json(const nlohmann::json& json);
};

struct Validation {
  double loss = 0;       // the run's loss, scaled units
  Metrics scaled, data;  // data: in the target's own units
};

struct Forecasts {
  std::vector<uint32_t> rows;          // row of the first forecast value of each window
  std::vector<float> truth, forecast;  // [count, horizon], in the target's own units
};

class Session {
 public:
  Session(std::unique_ptr<Device> device, ForecastData data, const TrainConfig& config);

  /// Trains up to `max_steps` steps, fewer at the end of an epoch, of the run, or when enough losses are on their way.
  void step(int max_steps);
  /// Takes the losses that have arrived. Throws train.diverged on one that is not finite.
  void poll();

  const State& state() const { return state_; }
  int steps_per_epoch() const { return batches_.count(); }
  size_t pending() const { return pending_.size(); }
  /// True once, when an epoch's steps are done and all of its losses are here; next_epoch() goes on.
  bool epoch_done() const { return state_.step_in_epoch == batches_.count() && pending_.empty(); }
  void next_epoch();
  bool finished() const { return state_.epoch >= config_.epochs; }
  /// A loss was not finite: what the run holds now is worth nothing.
  bool diverged() const { return diverged_; }
  /// Mean over this epoch's losses so far.
  std::optional<double> train_loss() const;
  /// (step, loss) since the last call.
  std::vector<std::pair<int64_t, float>> take_recent();
  float learning_rate() const;
  std::optional<float> gradient_norm() const { return gradient_norm_; }

  /// Works through at most `max_windows` validation windows; true when all are done and validation() is new.
  bool validate(size_t max_windows);
  double validation_fraction() const;
  const Validation& validation() const { return validation_; }
  Forecasts predict(size_t first, size_t count) const;

  const TrainConfig& config() const { return config_; }
  const ForecastData& data() const { return data_; }
  Device& device() const { return *device_; }
  int64_t parameter_count() const;
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The model's state that is not trained, such as running statistics.
  std::vector<Parameter> buffers() const { return model_->buffers(); }
  optim::Optimizer& optimizer() { return optimizer_; }
  const optim::Optimizer& optimizer() const { return optimizer_; }
  /// Takes the place of a checkpoint over; the tensors are set by the caller.
  void resume(const State& state);

 private:
  struct Pending {
    uint32_t reading;
    int64_t step;
    int size;
  };
  void train_batch();
  Tensor loss(const Tensor& forecast, const Tensor& truth) const;
  /// Scaled forecasts and truths of windows, and their loss.
  double forecast(std::span<const uint32_t> starts, std::vector<float>& y, std::vector<float>& truth) const;

  std::unique_ptr<Device> device_;  // first: it outlives every tensor
  ForecastData data_;
  TrainConfig config_;
  Batches batches_;
  std::unique_ptr<nn::Module> model_;
  std::vector<Parameter> parameters_;
  optim::Optimizer optimizer_;
  nn::Context context_;
  State state_;
  bool diverged_ = false;
  std::deque<Pending> pending_;
  std::vector<std::pair<int64_t, float>> recent_;
  std::optional<float> gradient_norm_;
  std::vector<float> x_, y_;
  size_t validated_ = 0;
  double validation_loss_ = 0;
  MetricSum scaled_sum_, data_sum_;
  Validation validation_;
};

}  // namespace sg::train
