// Everything that decides a run, and nothing else: a run is repeated from its configuration and its data. Each field
// stands once in config.cpp, with default, limits and where it lives in the JSON.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace sg::train {

enum class Loss { mse, mae, huber };

struct TrainConfig {
  // data
  std::vector<std::string> features;  // column names; empty: every number column
  std::string target;
  int look_back = 24;
  int horizon = 1;
  double validation_fraction = 0.2;
  int season = 0;  // rows; 0: find it
  // model
  std::string model = "lstm";
  models::Values values;
  // training
  int epochs = 20;
  int batch_size = 32;
  float learning_rate = 0.001f;
  optim::Kind optimizer = optim::Kind::adam;
  float weight_decay = 0;
  float momentum = 0;
  Loss loss = Loss::mse;
  float clip_norm = 1;
  optim::Schedule schedule = optim::Schedule::constant;
  int warmup_steps = 0;
  uint64_t seed = 1;
  std::string device = "auto";

  /// Throws config.bad_field naming the field, its value and its limits; unknown fields are refused.
  static TrainConfig from_json(const nlohmann::json& json);
  nlohmann::json to_json() const;
};

}  // namespace sg::train
