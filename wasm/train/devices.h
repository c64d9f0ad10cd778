// Where a device's name becomes a device. Training knows devices by their interface alone; whoever links the engine
// (the bindings, the tests) says which there are.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/device.h"

namespace sg::train {

struct Gpu {
  bool available = false;
  bool software = false;
  std::string renderer;
  std::string reason;  // why there is none
};

struct Devices {
  std::function<std::unique_ptr<Device>(const std::string& name)> make;
  std::function<Gpu()> gpu;
};

}  // namespace sg::train
