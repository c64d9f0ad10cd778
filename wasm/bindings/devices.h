// The devices that this build has, by name: the only place where one is named.
#pragma once
#include "train/devices.h"

namespace sg::bindings {

const train::Devices& devices();

}  // namespace sg::bindings
