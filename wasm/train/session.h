// A training run: data, model, optimiser and the place it has reached. step() does what the story says: gather a batch,
// forward, loss, backward, optimiser; losses come back when they come, and nothing waits for the device inside a step.
// Where it stands is a function of (configuration, step, draws), so that a resumed run continues bit for bit on the
// cpu, and a run whose device was lost goes through the lost steps again to the same losses.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/device.h"
#include "forecast/baselines.h"
#include "tables/metrics.h"
#include "train/config.h"
#include "train/copy.h"
#include "train/learner.h"
#include "train/recovery.h"
#include "train/supply.h"

namespace sg::train {

struct Validation {
  double loss = 0;       // the run's loss, scaled units
  Metrics scaled, data;  // data: in the target's own units; of classes: nothing is counted
  std::optional<ClassScores> classes;
};

struct Forecasts {
  std::vector<uint64_t> rows;          // row of the first forecast value of each window
  std::vector<float> truth, forecast;  // [count, horizon], in the target's own units
};

class Session {
 public:
  /// On devices.make(device); from a checkpoint's copy where one is given, else from the beginning. Throws checkpoint.*
  /// where the copy's tensors are not the model's.
  Session(const Devices& devices, const std::string& device, std::unique_ptr<Supply> supply, const TrainConfig& config,
          const Copy* from = nullptr, const RecoveryPolicy& policy = {});
  /// On a series that lies in memory.
  Session(const Devices& devices, const std::string& device, ForecastData data, const TrainConfig& config,
          const Copy* from = nullptr, const RecoveryPolicy& policy = {});

  /// A batch that no device could hold is refused before anything is allocated, with config.too_large: on 32 bits its
  /// size would wrap around.
  static void check(const Supply& supply, const TrainConfig& config);

  /// Trains up to `max_steps` steps, fewer at the end of an epoch, of the run, or when enough losses are on their way;
  /// steps that a lost device took with it are made again first, and do not count. Where the next step's rows are not
  /// here it ends, and once no loss is on its way need() says what is to be fed. Throws train.diverged when a step
  /// could not be applied, and from then on.
  void step(int max_steps);

  /// Rows without which no step can be made; see Supply.
  std::optional<RowFeed::Need> need() const { return supply_->need(); }
  void fed() { supply_->fed(); }

  /// Goes on with making the steps ready, without waiting for it: until done is total, step() would wait.
  Progress prepare();

  const State& state() const { return state_; }
  int steps_per_epoch() const { return supply_->steps(); }
  /// Losses on their way, and steps to be made again.
  size_t pending() const;
  /// True once, when an epoch's steps are done, all of its losses are here and, where the device can be lost, a copy;
  /// next_epoch() goes on.
  bool epoch_done() const;
  void next_epoch();
  bool finished() const { return state_.stopped_early || state_.epoch >= config_.epochs; }
  /// Mean over this epoch's losses so far.
  std::optional<double> train_loss() const;
  /// (step, loss) since the last call; each step once, in order.
  std::vector<std::pair<int64_t, float>> take_recent() { return std::exchange(recent_, {}); }
  std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }
  float learning_rate() const;
  /// Before clipping.
  std::optional<float> gradient_norm() const { return gradient_norm_; }

  /// Works through at most `max_windows` validation windows; true when all are done and validation() is new.
  bool validate(size_t max_windows);
  double validation_fraction() const;
  const Validation& validation() const { return validation_; }
  /// Of classes: the truth is their numbers, the forecast a probability for each.
  Forecasts predict(size_t first, size_t count);
  /// What the model gives for windows as ForecastData::gather gives them, scaled.
  Forecast outputs(std::span<const float> x, const std::vector<float>& truth);

  const TrainConfig& config() const { return config_; }
  void set_effort(Effort effort) { config_.effort = effort; }
  const Supply& supply() const { return *supply_; }
  /// What steps gather their windows from.
  const ForecastData& data() const { return supply_->training(); }
  Device& device() const { return learner().device(); }
  int64_t parameter_count() const;
  /// Memory of all that steps need, once one is prepared.
  uint64_t step_bytes() const { return learner().bytes(); }
  const std::vector<Parameter>& parameters() const { return learner().parameters(); }
  /// All that a checkpoint holds. Throws train.pending while pending() is not 0.
  Copy copy();

 private:
  struct Pending {
    uint32_t reading;
    State before;  // its step; without what losses add to it
    int size;
    float learning_rate;
  };
  /// Does `work`, again on another device where the one it was on is lost.
  template <class Work>
  auto surviving(Work&& work);
  void recover();
  std::unique_ptr<Learner> rebuilt(std::unique_ptr<Device> device, const State& at);
  void tell_of_loss(const std::string& why, int64_t lost, int64_t reached);
  Progress prepare(Learner& learner);
  /// Throws what broke the session, where it is broken.
  Learner& learner() const {
    if (broken_) throw *broken_;
    return *learner_;
  }
  void begin(const Copy* from);
  bool has_rows();
  void train_batch();
  void poll();
  void take(const Pending& p, const StepNumbers& numbers);
  [[noreturn]] void refuse(const Pending& p, const StepNumbers& numbers);
  bool epoch_trained() const { return state_.step_in_epoch == supply_->steps(); }
  void add_validated(const ForecastData& data, Forecast& f);
  void judge_validation();
  void restore_best();

  std::unique_ptr<Supply> supply_;
  TrainConfig config_;
  Recovery recovery_;
  std::unique_ptr<Learner> learner_;
  uint64_t version_ = 0;         // of the rows that lie on the device
  std::optional<Error> broken_;  // why there is no learner
  std::string device_name_;
  State state_;
  Tensors best_;
  int64_t reported_ = 0;    // steps whose losses were given out
  int64_t lost_until_ = 0;  // steps that were made before the device was lost
  std::string refused_;     // why the run cannot go on; empty while it can
  std::deque<Pending> pending_;
  std::vector<uint32_t> idle_;  // readings that nobody waits for any more
  std::vector<std::pair<int64_t, float>> recent_;
  std::vector<Notice> notices_;
  std::optional<float> gradient_norm_;
  size_t validated_ = 0;
  double validation_loss_ = 0;
  MetricSum scaled_sum_, data_sum_;
  std::optional<ClassSum> class_sum_;
  Validation validation_;
};

}  // namespace sg::train
