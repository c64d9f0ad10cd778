// What it costs to train from blocks instead of a series in memory: steps a second of whole epochs of the same data
// both ways, by turns, on the cpu device. The rows are served from memory, so that a disk has no part in the figures.
//   streamed_bench [rows, 200000 where left out]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu_device.h"
#include "tests/train/fed.h"
#include "train/blocks.h"
#include "train/session.h"

namespace {

using namespace sg;

constexpr int kEpochs = 5;
constexpr uint64_t kBlocks = 8;  // of an epoch

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Epoch {
  double seconds = 0, feeding = 0;
};

Epoch run_epoch(train::Session& session, test::Elsewhere& data) {
  Epoch epoch;
  const double began = now();
  while (!session.epoch_done()) {
    session.step(1000);
    const double from = now();
    test::feed(session, data);
    epoch.feeding += now() - from;
  }
  epoch.seconds = now() - began;
  session.next_epoch();
  return epoch;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const std::string& model, size_t rows) {
  const train::TrainConfig config = train::TrainConfig::from_json(
      {{"model", {{"name", model}}},
       {"data", {{"features", {"load", "temperature"}}, {"target", "load"}, {"lookBack", 24}, {"horizon", 4}}},
       {"training", {{"epochs", kEpochs + 1}, {"batchSize", 64}, {"device", "cpu"}}}});
  test::Elsewhere data = test::waves(rows);
  const train::Devices devices{[](const std::string&) { return make_cpu_device(); }, [] { return train::Gpu{}; }};
  const train::Bounds bounds{.resident = 0, .block = rows * 16 / kBlocks};
  train::Session streamed(devices, "cpu", test::open(data, config, bounds), config);
  train::Session resident(devices, "cpu", ForecastData(test::series_of(data), train::window_config(config)), config);
  run_epoch(streamed, data), run_epoch(resident, data);  // records the steps
  std::vector<double> slower, of_resident, of_streamed, feeding;
  for (int i = 0; i < kEpochs; ++i) {
    const Epoch a = run_epoch(resident, data), b = run_epoch(streamed, data);
    slower.push_back(b.seconds / a.seconds);
    of_resident.push_back(resident.steps_per_epoch() / a.seconds);
    of_streamed.push_back(streamed.steps_per_epoch() / b.seconds);
    feeding.push_back(b.feeding / b.seconds);
  }
  const auto& blocks = dynamic_cast<const train::Blocks&>(streamed.supply());
  std::printf(
      "%-8s %d steps an epoch, %zu blocks: %.0f steps/s in memory, %.0f in blocks; an epoch takes %.3f times as "
      "long, %.1f%% of it filling blocks\n",
      model.c_str(), streamed.steps_per_epoch(), blocks.blocks(), median(of_resident), median(of_streamed),
      median(slower), 100 * median(feeding));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rows = argc > 1 ? static_cast<size_t>(std::atoll(argv[1])) : 200'000;
  for (const char* model : {"dlinear", "lstm"}) compare(model, rows);
}
