#include "train/race.h"

#include <chrono>
#include <cstdio>

#include "train/session.h"

namespace sg::train {
namespace {

/// Milliseconds a step: a few to warm up (shaders, pools), then at most 0.3 s, ended by a reading that waits.
double time_steps(std::unique_ptr<Device> device, const TrainConfig& config, const ForecastData& data) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
  };
  Session session(std::move(device), data, config);
  session.step(3);
  (void)session.parameters().front().value.values();
  int steps = 0;
  const auto start = Clock::now();
  do {
    // It stops at an epoch's end and where enough losses are in flight: fewer steps are timed then.
    const auto before = session.state().step;
    session.step(1);
    (void)session.parameters().front().value.values();
    if (session.state().step == before) break;
    ++steps;
  } while (ms(start) < 300 && steps < 64);
  return ms(start) / std::max(steps, 1);
}

std::string in_ms(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ms", value);
  return text;
}

}  // namespace

Choice choose_device(const Devices& devices, const TrainConfig& config, const ForecastData& data) {
  if (config.device != "auto") return {config.device, "chosen by you"};
  const Gpu gpu = devices.gpu();
  if (!gpu.available) return {"cpu", "no GPU: " + gpu.reason};
  if (gpu.software) return {"cpu", "no GPU: " + gpu.renderer + " draws on the processor"};
  const double cpu = time_steps(devices.make("cpu"), config, data),
               webgl = time_steps(devices.make("webgl"), config, data);
  const bool gpu_wins = webgl < cpu;
  return {gpu_wins ? "webgl" : "cpu", in_ms(gpu_wins ? webgl : cpu) + " a step against " +
                                          in_ms(gpu_wins ? cpu : webgl) +
                                          (gpu_wins ? " on the processor (" : " on the GPU (") + gpu.renderer + ")"};
}

}  // namespace sg::train
