// Where a run stands: all that a checkpoint or a copy in memory keeps beside tensors.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "optim/schedule.h"

namespace sg::train {

/// The validation that no later one was better than.
struct Best {
  double loss = 0;
  int epoch = 0;  // finished epochs then, its own included
};

struct State {
  int64_t step = 0;
  int epoch = 0;  // finished epochs
  int step_in_epoch = 0;
  uint32_t draws = 0;   // dropout masks used
  double loss_sum = 0;  // of this epoch, weighted by batch size
  int64_t loss_count = 0;
  std::optional<double> validation_loss;  // of the weights as they are, as last measured
  std::optional<Best> best;               // where the run has patience
  bool stopped_early = false;             // it had no more
  int judged = 0;                         // epochs whose validation has had its say on the best and on the rate
  optim::ReduceOnPlateau::State plateau;

  /// The run goes on for more epochs.
  void renew_patience();

  nlohmann::json to_json() const;
  /// Throws checkpoint.corrupt naming the field.
  static State from_json(const nlohmann::json& json);
};

}  // namespace sg::train
