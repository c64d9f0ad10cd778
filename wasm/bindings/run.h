// A run as the module keeps it: the race for its device, then its session, and what is told of both in JSON.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "forecast/baselines.h"
#include "io/csv.h"
#include "train/checkpoint.h"
#include "train/race.h"
#include "train/session.h"

namespace sg::bindings {

/// What a session will be made of when the race is over.
struct Waiting {
  train::Devices devices;
  ForecastData data;
  train::TrainConfig config;
};

struct Run {
  std::unique_ptr<Waiting> waiting;  // before the race, which reads its data
  std::unique_ptr<train::Race> race;
  std::unique_ptr<train::Session> session;  // none while there is a race
  train::Choice choice;                     // of the device that it began on here
  std::optional<train::Choice> origin;      // where a checkpoint brought it along
  std::string dataset_name;
  BaselineResult naive, seasonal;
  size_t season = 0;
  uint64_t peak_bytes = 0;
  std::optional<Progress> preparing;   // while there is something to prepare
  std::vector<train::Notice> notices;  // of the run's start
};

/// Begins with a race where the device is left open and there is a graphics card.
Run start_run(const train::Devices& devices, const Table& table, const std::string& name, train::TrainConfig config);
/// A turn of the race, where there is one; the session begins when it is decided.
void race(Run& run);

/// Steps of the session, once they are ready: until then what is on its way is taken, and `preparing` says how far it
/// is.
void step(Run& run, int max_steps);

struct Resumed {
  Run run;
  std::string notice;  // as train::Restored's
};
/// `patch` as sg_session_restore says; never races.
Resumed resume_run(const train::Devices& devices, const Table& table, const std::string& name,
                   train::Checkpoint& checkpoint, const nlohmann::json& patch);

/// How the run came to the device that it is on now.
train::Choice choice(const Run& run);
/// What its checkpoints keep: the device that it was begun on, wherever it goes on, until that is lost.
train::Choice stored_choice(const Run& run);
nlohmann::json state_json(Run& run);
nlohmann::json session_json(Run& run);
nlohmann::json metrics_json(const Metrics& metrics);
nlohmann::json baselines_json(const Run& run);

}  // namespace sg::bindings
