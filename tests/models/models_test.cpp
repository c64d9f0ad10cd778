// Every model of models.def: it builds, its output has the shape of its task, every parameter learns, it learns one
// batch by heart on either device, and training takes no more memory after hundreds of steps than after two.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/models/trial.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

const char* const kDevices[]{"cpu", "webgl"};

Trial small_trial(const models::ModelInfo& model, Device& device) {
  return Trial(model, device, small_sizes(model.task), small_values(model));
}

TEST_CASE("a model with its default fields gives the output of its task", "[models]") {
  for (const models::ModelInfo* model : models::all()) {
    INFO(model->name);
    Trial trial(*model, device("cpu"), small_sizes(model->task, 24), models::validated(*model, {}));
    const Tensor y = trial.forward();
    CHECK(y.shape() == trial.output_shape());
    for (const float v : y.values()) REQUIRE(std::isfinite(v));
  }
}

TEST_CASE("every parameter of a model gets a gradient", "[models]") {
  for (const models::ModelInfo* model : models::all()) {
    Trial trial = small_trial(*model, device("cpu"));
    trial.loss().backward();
    for (const Parameter& p : trial.parameters()) {
      INFO(model->name << " " << p.name);
      REQUIRE(p.value.grad().defined());
      bool zero = true;
      for (const float v : p.value.grad().values()) {
        REQUIRE(std::isfinite(v));
        zero = zero && v == 0;
      }
      CHECK_FALSE(zero);
    }
  }
}

/// Trains on one batch: it must be learnt by heart, and memory must be the same from step 2 on.
void check_training(const models::ModelInfo& model, Device& device, int steps) {
  Trial trial = small_trial(model, device);
  const float start = trial.step(0.02f).item();
  float best = start;
  Counters before;
  for (int i = 1; i < steps; ++i) {
    if (Tensor l = trial.step(0.02f); i % 20 == 19) best = std::min(best, l.item());
    if (i == 1) before = device.counters();
  }
  INFO(model.name << " on " << device.name() << ": " << start << " -> " << best);
  CHECK(best < 0.05f * start);
  const Counters& after = device.counters();
  CHECK(after.live_buffers == before.live_buffers);
  CHECK(after.live_bytes == before.live_bytes);
  CHECK(after.allocations == before.allocations);
  CHECK(after.programs == before.programs);
  CHECK(after.kernels > before.kernels);
}

TEST_CASE("a model learns one batch by heart in 500 steps, which take the memory of two", "[models]") {
  for (const char* name : kDevices)
    for (const models::ModelInfo* model : models::all()) check_training(*model, device(name), 500);
}

TEST_CASE("10,000 steps take the memory of two", "[models][.full]") {
  for (const models::ModelInfo* model : models::all()) check_training(*model, device("cpu"), 10000);
}

}  // namespace
}  // namespace sg::tests
