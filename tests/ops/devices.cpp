#include "tests/ops/devices.h"

#include <algorithm>
#include <map>

#include "core/schedule.h"
#include "cpu/cpu_device.h"
#include "tests/webgl/kernel_runner.h"
#include "webgl/webgl_device.h"

namespace sg::tests {

Buffer RecordingDevice::allocate(int64_t floats) {
  const Buffer buffer = inner_->allocate(floats);
  counters_ = inner_->counters();
  peak_bytes_ = std::max(peak_bytes_, counters_.live_bytes);
  return buffer;
}

void RecordingDevice::release(Buffer buffer) {
  inner_->release(buffer);
  counters_ = inner_->counters();
}

void RecordingDevice::upload(Buffer buffer, std::span<const float> values) { inner_->upload(buffer, values); }
void RecordingDevice::download(Buffer buffer, std::span<float> values) { inner_->download(buffer, values); }

void RecordingDevice::run(const Call& call) {
  kernels_.insert(call.kernel);
  inner_->run(call);
  counters_ = inner_->counters();
}

uint32_t RecordingDevice::begin_read(Buffer buffer, int64_t floats) { return inner_->begin_read(buffer, floats); }
bool RecordingDevice::finish_read(uint32_t reading, std::span<float> values) {
  return inner_->finish_read(reading, values);
}

/// The device's own replay, whose kernels are noted before they run.
std::unique_ptr<Replay> RecordingDevice::prepare(const Schedule& schedule) {
  for (const TracedCall& call : schedule.calls) kernels_.insert(call.kernel);
  auto replay = inner_->prepare(schedule);
  counters_ = inner_->counters();
  return replay;
}

RecordingDevice& device(const std::string& name) {
  static std::map<std::string, std::unique_ptr<RecordingDevice>> made;
  std::unique_ptr<RecordingDevice>& entry = made[name];
  if (!entry || test::is_lost(*entry)) {
    const WebglOptions checked{.check_errors = true};
    entry = std::make_unique<RecordingDevice>(name == "webgl" ? make_webgl_device(checked) : make_cpu_device());
  }
  return *entry;
}

}  // namespace sg::tests
