#include "bindings/devices.h"

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "webgl/self_test.h"
#include "webgl/webgl_device.h"

namespace sg::bindings {
namespace {

/// The GPU's context may be lost and made anew, so it is asked each time; each context is tested once.
train::Gpu find_gpu() {
  try {
    const WebglInfo info = webgl_info();
    const SelfTest& test = webgl_self_test();
    return {test.ok, info.software, info.renderer, test.ok ? "" : "this GPU fails its self-test: " + test.reason()};
  } catch (const Error& e) {
    return {false, false, "", e.what()};
  }
}

std::unique_ptr<Device> make_tested_webgl_device() {
  const train::Gpu gpu = find_gpu();
  if (!gpu.available) throw Error("webgl.unavailable", gpu.reason);
  return make_webgl_device();
}

std::unique_ptr<Device> make(const std::string& name) {
  if (name == "cpu") return make_cpu_device();
  if (name == "webgl") return make_tested_webgl_device();
  throw Error("config.bad_field", "there is no device '" + name + "': choose auto, cpu or webgl");
}

}  // namespace

const train::Devices& devices() {
  static const train::Devices all{make, find_gpu};
  return all;
}

}  // namespace sg::bindings
