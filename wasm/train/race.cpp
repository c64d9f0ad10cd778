#include "train/race.h"

#include <chrono>
#include <cstdio>

#include "io/error.h"
#include "train/batches.h"
#include "train/learner.h"

namespace sg::train {
namespace {

/// Milliseconds a step: a few to warm up (shaders, pools), then at most 0.3 s, ended by a reading that waits.
double time_steps(std::unique_ptr<Device> device, const TrainConfig& config, const ForecastData& data) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
  };
  Learner learner(std::move(device), data, config);
  Batches batches(data.windows().training, config.batch_size * config.accumulate, config.seed);
  int next = 0;
  const auto step = [&] { learner.step(batches.batch(0, next++ % batches.count()), config.learning_rate); };
  const auto wait = [&] { (void)learner.parameters().front().value.values(); };
  for (int i = 0; i < 3; ++i) step();
  wait();
  int steps = 0;
  const auto start = Clock::now();
  do {
    step();
    wait();
    ++steps;
  } while (ms(start) < 300 && steps < 64);
  return ms(start) / steps;
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
  const double cpu = time_steps(devices.make("cpu"), config, data);
  double webgl = 0;
  try {
    webgl = time_steps(devices.make("webgl"), config, data);
  } catch (const Error& e) {  // refused by its own tests, or lost
    if (e.code().rfind("webgl.", 0) != 0) throw;
    return {"cpu", std::string("no GPU: ") + e.what()};
  }
  const bool gpu_wins = webgl < cpu;
  return {gpu_wins ? "webgl" : "cpu", in_ms(gpu_wins ? webgl : cpu) + " a step against " +
                                          in_ms(gpu_wins ? cpu : webgl) +
                                          (gpu_wins ? " on the processor (" : " on the GPU (") + gpu.renderer + ")"};
}

}  // namespace sg::train
