#include "core/device.h"

#include <algorithm>

#include "core/schedule.h"
#include "io/error.h"

namespace sg {

void check(const Device& device, const Call& call) {
  if (call.kernel >= Kernel::count) throw Error("device.arguments", "there is no such kernel");
  const KernelInfo& kernel = info(call.kernel);
  const auto fail = [&](const std::string& what) {
    throw Error("device.arguments", "kernel " + std::string(kernel.name) + ": " + what);
  };
  if (call.inputs.size() != kernel.inputs.size() || call.outputs.size() != kernel.outputs.size())
    fail("takes " + std::to_string(kernel.inputs.size()) + " inputs and " + std::to_string(kernel.outputs.size()) +
         " outputs, not " + std::to_string(call.inputs.size()) + " and " + std::to_string(call.outputs.size()));
  if (call.parameters.size() != kernel.parameter_bytes)
    fail("takes " + std::to_string(kernel.parameter_bytes) + " bytes of parameters, not " +
         std::to_string(call.parameters.size()));
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const std::string name(kernel.outputs[i]);
    const Buffer output = call.outputs[i];
    if (device.size(output) != device.size(call.outputs[0])) fail("its outputs differ in size: " + name);
    // WebGL drops a draw that reads its target; a native driver draws something undefined.
    const auto earlier = call.outputs.first(i);
    if (std::count(call.inputs.begin(), call.inputs.end(), output) ||
        std::count(earlier.begin(), earlier.end(), output))
      fail("buffer " + name + " is written and used as another one as well");
  }
}

std::unique_ptr<Replay> Device::prepare(const Schedule& schedule) { return replay_calls(*this, schedule); }

}  // namespace sg
