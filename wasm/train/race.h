// Which device trains this run: where a person leaves it open, the same few steps are timed on each, and the answer
// comes with its reason. A software renderer is a processor pretending to be a GPU and is not raced.
#pragma once
#include <string>

#include "forecast/windows.h"
#include "train/config.h"
#include "train/devices.h"

namespace sg::train {

struct Choice {
  std::string device;
  std::string reason;
};

/// For config.device "auto"; any other is returned as it is ("chosen by you").
Choice choose_device(const Devices& devices, const TrainConfig& config, const ForecastData& data);

}  // namespace sg::train
