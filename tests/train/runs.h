// Small runs for the tests of training: their data, their configuration, and a driver that does what the worker does.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cpu/cpu_device.h"
#include "forecast/windows.h"
#include "tests/train/series.h"
#include "train/session.h"

namespace sg::test {

inline ForecastData wave_data(int rows = 120, int look_back = 8, int horizon = 2) {
  const Table table = read_csv(std::string_view(wave_csv(rows)));
  return ForecastData(series_from_table(table, {1, 2}, {1}),
                      {static_cast<size_t>(look_back), static_cast<size_t>(horizon), 0.2});
}

/// Fields of "training", and a model of 4 numbers.
inline train::TrainConfig small_config(nlohmann::json training = {}) {
  nlohmann::json all = {{"epochs", 2}, {"batchSize", 16}, {"learningRate", 0.01}, {"seed", 5}, {"device", "cpu"}};
  all.merge_patch(training.is_null() ? nlohmann::json::object() : training);
  return train::TrainConfig::from_json(
      {{"model", {{"name", "lstm"}, {"hidden", 4}, {"dropout", 0.2}}},
       {"data", {{"features", {"load", "temperature"}}, {"target", "load"}, {"lookBack", 8}, {"horizon", 2}}},
       {"training", all}});
}

inline const train::Devices& cpu_devices() {
  static const train::Devices all{[](const std::string&) { return make_cpu_device(); }, [] { return train::Gpu{}; }};
  return all;
}

using Losses = std::vector<std::pair<int64_t, float>>;

struct Curve {
  Losses losses;
  std::vector<double> validation;
  std::vector<train::Notice> notices;
  train::Copy end;

  bool has_notice(const std::string& code, const std::string& part = "") const {
    for (const train::Notice& n : notices)
      if (n.code == code && n.message.find(part) != std::string::npos) return true;
    return false;
  }
};

inline void collect(train::Session& session, Curve& curve) {
  for (const auto& loss : session.take_recent()) curve.losses.push_back(loss);
  for (const auto& notice : session.take_notices()) curve.notices.push_back(notice);
}

/// Trains to the end, a few steps a call, validating every epoch.
inline Curve run_to_end(train::Session& session, int steps_a_call = 3) {
  Curve curve;
  for (int calls = 0; !session.finished(); ++calls) {
    if (calls > 100'000) throw Error("test", "the run does not end");
    session.step(steps_a_call);
    collect(session, curve);
    if (!session.epoch_done()) continue;
    while (!session.validate(16)) {
    }
    curve.validation.push_back(session.validation().loss);
    session.next_epoch();
    collect(session, curve);
  }
  curve.end = session.copy();
  collect(session, curve);
  return curve;
}

inline bool same(train::Tensors a, train::Tensors b) {
  const auto by_name = [](const train::Values& x, const train::Values& y) { return x.name < y.name; };
  std::sort(a.begin(), a.end(), by_name);
  std::sort(b.begin(), b.end(), by_name);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const train::Values& x, const train::Values& y) {
    return x.name == y.name && x.shape == y.shape && x.values == y.values;
  });
}

}  // namespace sg::test
