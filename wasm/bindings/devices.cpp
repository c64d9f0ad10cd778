#include "bindings/devices.h"

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "webgl/webgl_device.h"

namespace sg::bindings {
namespace {

train::Gpu find_gpu() {
  static const train::Gpu found = [] {
    try {
      const WebglInfo info = webgl_info();
      return train::Gpu{true, info.software, info.renderer, ""};
    } catch (const Error& e) {
      return train::Gpu{false, false, "", e.what()};
    }
  }();
  return found;
}

std::unique_ptr<Device> make(const std::string& name) {
  if (name == "cpu") return make_cpu_device();
  if (name == "webgl") return make_webgl_device();
  throw Error("config.bad_field", "there is no device '" + name + "': choose auto, cpu or webgl");
}

}  // namespace

const train::Devices& devices() {
  static const train::Devices all{make, find_gpu};
  return all;
}

}  // namespace sg::bindings
