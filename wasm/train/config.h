// Everything that decides a run, and nothing else: a run is repeated from its configuration and its data. Each field
// stands once in config.cpp, with its limits, its default, where it lives in the JSON, and what a form says of it.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "tables/table_data.h"

namespace sg::train {

/// What is predicted; `automatic` until train/task.h has looked at the data.
enum class Task { automatic, forecast, regression, classification };
/// Of numbers; that of classes is the cross-entropy.
enum class Loss { mse, mae, huber };
enum class ClassWeights { equal, balanced };
enum class Effort { full, leave_room, background };

/// What a run leaves to others: the share of the time that it works in, and the steps whose losses are on their way
/// before the next one waits for another call. At full effort those are enough for a GPU to have work while the host
/// turns round, and few enough that pages are drawn in between and a pause is felt at once. Neither changes a number of
/// the run.
struct Politeness {
  double duty;
  size_t in_flight;
};
Politeness politeness(Effort effort);

/// What is proposed for a table.
inline constexpr const char* kTableModel = "residual_mlp";

struct TrainConfig {
  // data
  Task task = Task::automatic;
  std::vector<std::string> features;  // column names; empty: every number column
  std::string target;
  int look_back = 24;
  int horizon = 1;
  double validation_fraction = 0.2;
  int season = 0;                       // rows; 0: find it
  double memory = 256, block = 64;      // MiB; see bounds_of in opening.h
  Split split = Split::automatic;       // of a table
  Scaling scaling = Scaling::standard;  // of a table's numbers
  // model
  std::string model = "lstm";
  models::Values values;
  bool model_named = false;  // else the task decides which one

  bool is_table() const { return task == Task::regression || task == Task::classification; }
  // training
  int epochs = 20;
  int batch_size = 32;
  int accumulate = 1;  // batches of batch_size a step
  float learning_rate = 0.003f;
  optim::Config optimizer{.clip_norm = 1};
  Loss loss = Loss::mse;
  ClassWeights class_weights = ClassWeights::equal;
  optim::ScheduleConfig schedule;  // `base` and `total` are filled in by the run
  int step_epochs = 10;            // schedule step
  int plateau_patience = 5;        // schedule reduce_on_plateau
  float plateau_factor = 0.5f;
  float ema = 0;          // decay of the weights' running average; 0: none
  int patience = 0;       // epochs without a better validation loss before the run ends; 0: it goes through all
  int save_every = 1;     // epochs; 0: only a new best
  int save_seconds = 10;  // at least, between two saves
  int keep_last = 3;      // checkpoints beside the best one
  int keep_every = 0;     // epochs; 0: none is kept for its epoch
  uint64_t seed = 1;
  std::string device = "auto";
  Effort effort = Effort::full;  // the one field that may change while the run is under way

  /// Throws config.bad_field naming the field, its value and its limits; unknown fields are refused.
  static TrainConfig from_json(const nlohmann::json& json);
  /// An effort by its name in the configuration; throws as from_json does.
  static Effort effort_named(const std::string& name);
  nlohmann::json to_json() const;
  /// Every field but the model's: [{group, name, type: "int"|"float"|"bool"|"choice"|"text"|"texts", label, help,
  /// place: "front"|"more"|"elsewhere", default, min, max, choices: [{value, label}], when: null|{field, is: [...],
  /// initial: {choice: default}}}].
  static nlohmann::json describe();
};

}  // namespace sg::train
