// On which device a run trains, and why: what a race has found, or why none was run. It is stored with the run, so that
// a resume goes on where the run was and never races.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "train/config.h"
#include "train/devices.h"

namespace sg::train {

/// What a race has measured of one device.
struct Timing {
  double ms = 0;            // a step; 0: not even one was finished
  int steps = 0;            // that were timed; 0: it did not finish two in its time, and `ms` is an estimate
  double preparing_ms = 0;  // what its first step took beyond that
};

enum class How {
  raced,
  forced,    // by the person
  no_gpu,    // `detail`: why
  software,  // `detail`: the renderer's name
  resumed,   // the device that the run was on
  moved,     // the run was on a graphics card, and here is none; `detail`: why
  lost       // the graphics card was taken away for good
};

struct Choice {
  std::string device = "cpu";
  How how = How::forced;
  std::string detail;  // of a race: the graphics card's name
  std::optional<Timing> cpu, webgl;

  /// {device, how, detail, cpu: null|{ms, steps, preparingMs}, webgl: the same}
  nlohmann::json to_json() const;
  /// Throws checkpoint.corrupt.
  static Choice from_json(const nlohmann::json& json);
};

/// The choice where there is nothing to race for: the person has made it, or there is no graphics card.
std::optional<Choice> choose_without_race(const Devices& devices, const TrainConfig& config);

/// The choice of a run that goes on: the device that it was on, and where that is not to be had the cpu. A run of a
/// version that stored none is on the cpu unless its configuration names another.
Choice choose_for_resume(const Devices& devices, const TrainConfig& config, const std::optional<Choice>& stored);

}  // namespace sg::train
