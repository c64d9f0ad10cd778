// A run as the module keeps it: the race for its device, then its session, and what is told of both in JSON.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "forecast/baselines.h"
#include "io/table.h"
#include "train/checkpoint.h"
#include "train/evaluation.h"
#include "train/opening.h"
#include "train/race.h"
#include "train/session.h"

namespace sg::bindings {

/// What a session will be made of when the race is over.
struct Waiting {
  train::Devices devices;
  std::unique_ptr<train::Supply> supply;
  train::TrainConfig config;
};

/// A run whose data is still being read.
struct Loading {
  train::Devices devices;
  train::TrainConfig config;
  train::Opening opening;
  std::vector<uint8_t> bytes;                   // that a checkpoint lies in
  std::optional<train::Checkpoint> checkpoint;  // of a run that goes on
  bool device_asked = false;                    // whether it is to go on on another device
};

struct Run {
  std::unique_ptr<Loading> loading;  // before anything else, of data that lies elsewhere
  std::optional<Error> failed;       // why it will never begin
  std::unique_ptr<Waiting> waiting;  // before the race, which reads its data
  std::unique_ptr<train::Race> race;
  std::unique_ptr<train::Session> session;  // none while there is a race
  train::Choice choice;                     // of the device that it began on here
  std::optional<train::Choice> origin;      // where a checkpoint brought it along
  std::string dataset_name;
  std::string notice;  // of a run that goes on: "" or what has changed since, as train::Restored's
  BaselineResult naive, seasonal;
  size_t season = 0;
  uint64_t peak_bytes = 0;
  std::optional<Progress> preparing;              // while there is something to prepare
  std::vector<train::Notice> notices;             // of the run's start
  std::unique_ptr<train::Evaluation> evaluation;  // under way
};

/// A table with its values, or, with `source` (a manifest's), one whose values are to be fed to the run. `file` is for
/// one with its values what `source` is for the other; null: unknown.
struct DataSet {
  const Table& table;
  std::string name;
  nlohmann::json source = nullptr;
  nlohmann::json file = nullptr;
};

/// Those that are open, by their handles.
inline std::map<int, Run> runs;
Run& find_run(int handle);
/// Its session; throws session.loading while its data is still read, session.racing while the race for its device goes
/// on.
Run& find_session(int handle);

/// `bounds`: none: the configuration's. Begins with reading where values are to be fed, and with a race where the
/// device is left open and there is a graphics card.
Run start_run(const train::Devices& devices, const DataSet& data, train::TrainConfig config,
              const std::optional<train::Bounds>& bounds = {});
/// `patch` as sg_session_restore says; never races. `checkpoint`'s bytes are read until the session begins.
Run resume_run(const train::Devices& devices, const DataSet& data, train::Checkpoint checkpoint,
               const nlohmann::json& patch, const std::optional<train::Bounds>& bounds = {});

/// Rows that the run waits for. Throws what keeps it from ever beginning.
std::optional<RowFeed::Need> need(const Run& run);
/// They are there. True where that was what the run waited for to begin.
bool fed(Run& run);

/// A turn of the race, where there is one; the session begins when it is decided.
void race(Run& run);

/// Steps of the session, once they are ready: until then what is on its way is taken, and `preparing` says how far it
/// is.
void step(Run& run, int max_steps);

/// How the run came to the device that it is on now.
train::Choice choice(const Run& run);
/// What its checkpoints keep: the device that it was begun on, wherever it goes on, until that is lost.
train::Choice stored_choice(const Run& run);
/// null or {first, rows, columns, pointer, done, total}
nlohmann::json needs_json(const Run& run);
nlohmann::json needs_json(const RowFeed::Need& need);
nlohmann::json state_json(Run& run);
nlohmann::json session_json(Run& run);
nlohmann::json metrics_json(const Metrics& metrics);
nlohmann::json baselines_json(const Run& run);

}  // namespace sg::bindings
